"""A judge of known error rates, as a server: it knows the labels, and is right on so many claims.

    python benchmarks/scripted_judge.py LABELLED [--right 0.9] [--seed 0] [--port 8300]

LABELLED is what `streamguard eval` takes; each claim's label decides. The server speaks Chat
Completions and reads the judge's real requests, so that prompt, schema, quotations and costs are
those of a model. How sure it is follows the log-odds of a normal spread around the truth; at
`--right 0.5` it answers at random.
"""

import argparse
import json
import math
import random
import re
from statistics import NormalDist

from aiohttp import web

from streamguard.commands.labelled import read_labelled
from streamguard.evaluation.labels import Labelled

_WORD = re.compile(r"\w+")


class ScriptedJudge:
    """Answers requests of the judge by the labels of some answers."""

    def __init__(self, rows: list[Labelled], right: float, seed: int) -> None:
        self._right = right
        self._seed = seed
        self._rows: dict[str, list[Labelled]] = {}
        for row in rows:
            self._rows.setdefault(row.context.query or "", []).append(row)

    async def post(self, body):
        """Return status and body for a request's body, as `judge_by` asks for it."""
        asked = body["messages"][1]["content"]
        verdicts = self._verdicts(json.loads(asked))
        content = json.dumps({"verdicts": verdicts})
        words = [len(_WORD.findall(text)) for text in (asked, content)]
        usage = dict(zip(("prompt_tokens", "completion_tokens"), words, strict=True))
        reply = {"choices": [{"message": {"content": content}}], "usage": usage}
        return 200, json.dumps(reply).encode()

    def _verdicts(self, asked):
        texts = [one["text"] for one in asked["passages"]]
        return [
            self._verdict(one["id"], one["text"], asked["question"] or "", texts)
            for one in asked["sentences"]
        ]

    def _verdict(self, name, sentence, question, passages):
        rng = random.Random(f"{self._seed}:{question}:{sentence}")
        truth = -1 if self._is_bad(question, sentence) else 1
        odds = rng.gauss(truth * NormalDist().inv_cdf(self._right), 1)
        support = 1 / (1 + math.exp(-odds))
        quote = _nearest(sentence, passages)
        verdict = "supported" if support >= 0.5 else "contradicted"
        if quote is None:
            verdict = "not_mentioned"
        return {
            "id": name,
            "verdict": verdict,
            "confidence": support if verdict == "supported" else 1 - support,
            "quotes": [] if quote is None else [quote],
        }

    def _is_bad(self, question, sentence):
        for row in self._rows.get(question, ()):
            at = row.answer.find(sentence)
            ends = at + len(sentence)
            if at >= 0 and any(start < ends and end > at for start, end in row.spans or ()):
                return True
        return False


def _nearest(sentence, passages):
    """Return the passages' line that shares most words with the sentence."""
    words = {word.lower() for word in _WORD.findall(sentence)}
    best = (0, None)
    for passage in passages:
        for line in re.split(r"\n+|(?<=[.!?]) ", passage):
            shared = len(words & {word.lower() for word in _WORD.findall(line)})
            best = max(best, (shared, line), key=lambda one: one[0])
    return best[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("labelled")
    parser.add_argument("--right", type=float, default=0.9)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--port", type=int, default=8300)
    args = parser.parse_args()
    if not 0 < args.right < 1:
        parser.error(f"--right is {args.right}, expected a share above 0 and below 1")
    judge = ScriptedJudge(read_labelled(args.labelled), args.right, args.seed)

    async def answer(request):
        status, body = await judge.post(await request.json())
        return web.Response(status=status, body=body, content_type="application/json")

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    web.run_app(app, host="127.0.0.1", port=args.port, print=lambda _: print("ready", flush=True))


if __name__ == "__main__":
    main()
