"""One other grounding checker in its own environment: JSON lines in, scores out.

    ENVIRONMENT/bin/python benchmarks/peer_adapters.py NAME < answers > scores

A line in holds question, chunks and answer. The first line out says what runs, each further one
holds `risks`, the peer's natural scores by name (higher is worse), and `raised`, its own verdict.
Knows nothing of streamguard: a peer's environment holds the peer alone.
"""

import json
import os
import sys


def groundlens():
    import groundlens

    verifier = groundlens.Verifier()

    def score(question, chunks, answer):
        record = verifier.seal(question=question, passages=chunks, answer=answer)
        claims = json.loads(record.to_json())["content"]["outcome"]["claims"]
        decisions = [claim["decision"] for claim in claims]
        failed, review = decisions.count("FAIL"), decisions.count("REVIEW")
        risks = {
            "failed claims": failed + review / 2,
            "failed share": (failed + review / 2) / max(1, len(claims)),
        }
        return risks, record.decision != "PASS"

    return "default policy", score


def rag_quantguard():
    from quantguard import QuantitativeGuard

    guard = QuantitativeGuard()

    def score(question, chunks, answer):
        result = guard.verify(answer, chunks)
        counts = result.status_counts
        contradicted = counts.get("CONTRADICTED", 0)
        unsure = counts.get("UNSUPPORTED", 0) + counts.get("AMBIGUOUS", 0)
        risks = {
            "contradicted": contradicted,
            "contradicted or unsupported": contradicted + unsure,
            "share": (contradicted + unsure) / max(1, sum(counts.values())),
        }
        return risks, not result.is_valid

    return "default tolerance", score


def corroborate():
    import corroborate

    def score(question, chunks, answer):
        report = corroborate.check_answer(question, chunks, answer)
        spans = sum(len(finding.spans) for finding in report.critical)
        return {"critical spans": spans, "findings": len(report.findings)}, not report.ok()

    return "default mode", score


def opengate_grounding():
    from opengate_grounding import check_grounding

    def score(question, chunks, answer):
        result = check_grounding(answer, chunks, question=question)
        return {"issues": len(result.issues)}, not result.grounded

    return "without anchors", score


def groundcheck_rag():
    from groundcheck.model import GroundCheck, ModelUnavailableError

    try:
        check = GroundCheck()
    except ModelUnavailableError:
        check = GroundCheck(backend="heuristic")

    def score(question, chunks, answer):
        result = check.check("\n\n".join(chunks), answer, question)
        return {"1 - grounded": 1.0 - result.grounded_score}, not result.grounded

    return f"backend {check.backend}", score


def groundrails():
    import groundrails
    import nltk
    from groundrails.extract import extract_claims

    # It would ask the network for WordNet at every word.
    nltk.download = lambda *_args, **_more: False
    groundrails.init(models="none", wordnet=False)

    def score(question, chunks, answer):
        claims = [found.claim for found in extract_claims(answer)]
        if not claims:
            return {"1 - least": 0.0, "1 - mean": 0.0, "ungrounded": 0.0}, False
        found = groundrails.ground_batch(claims, chunks, semantic=False, ignore_language=True)
        shares = [match.verdict_probability for match in found]
        ungrounded = sum(not match.grounded for match in found)
        risks = {
            "1 - least": 1.0 - min(shares),
            "1 - mean": 1.0 - sum(shares) / len(shares),
            "ungrounded": ungrounded,
            "ungrounded share": ungrounded / len(found),
        }
        return risks, ungrounded > 0

    return "words alone: no models, no WordNet", score


def ancora_rag():
    from ancora.grounding import GroundingChecker
    from ancora.types import Chunk

    checker = GroundingChecker()

    def score(question, chunks, answer):
        evidence = [Chunk(str(n), str(n), text, 0, len(text)) for n, text in enumerate(chunks)]
        checks = checker.check_answer(answer, evidence)
        shares = [0.0 if c.unsupported_numbers else c.support_score for c in checks]
        unsupported = sum(not c.supported for c in checks)
        risks = {
            "1 - least": 1.0 - min(shares, default=1.0),
            "1 - mean": 1.0 - sum(shares) / len(shares) if shares else 0.0,
            "unsupported": unsupported,
            "unsupported share": unsupported / max(1, len(checks)),
        }
        return risks, unsupported > 0

    return "default thresholds", score


PEERS = {
    "groundlens": groundlens,
    "rag-quantguard": rag_quantguard,
    "corroborate": corroborate,
    "opengate-grounding": opengate_grounding,
    "groundcheck-rag": groundcheck_rag,
    "groundrails": groundrails,
    "ancora-rag": ancora_rag,
}


def main():
    # Libraries print; what is ours goes to where standard output was.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    note, score = PEERS[sys.argv[1]]()
    out.write(json.dumps({"note": note}) + "\n")
    for line in sys.stdin:
        row = json.loads(line)
        try:
            risks, raised = score(row["question"], row["chunks"], row["answer"])
        except Exception as exc:  # an answer that a peer cannot read is no reason to leave it out
            found = {"error": f"{type(exc).__name__}: {exc}"}
        else:
            found = {"risks": risks, "raised": bool(raised)}
        out.write(json.dumps(found) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
