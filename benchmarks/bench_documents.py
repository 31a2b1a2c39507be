"""Right and wrong answers over documents of different forms: which pass in silence.

    python benchmarks/bench_documents.py [--write]

`documents/documents.json` holds a table, a list, headings, comma-separated values, doses, versions,
times, sections of law, a log, JSON, a text in two languages and a mail, each with two right answers
and three wrong ones, written before anybody had seen what the package says of them. An answer in
another language than its document has no status, which counts as neither. `documents/owners.json`
holds 44 more with wrong answers that tell a value of another owner, written likewise.
"""

import argparse
import json
from collections import Counter
from pathlib import Path

from streamguard import Context, check_text

HERE = Path(__file__).parent
PAGE = HERE / "results" / "documents.md"
_HEAD = """# Documents of many forms

<!-- Written by `python benchmarks/bench_documents.py --write`. -->

Two right answers and three wrong ones over each of twelve documents; an answer in another language
than its document has no status. Wrong answers that pass in silence are listed below the table.
"""
_OWNERS = """## Values of other owners

Wrong answers tell a value of another section, record, row or speaker. The first 29 documents, to
"support thread", were seen while the reading of owners was written, the others after it.
"""


def outcome(document: dict, kind: str, answer: str) -> str:
    """Return "right" or "wrong" with what came of an answer."""
    context = Context(query=document["question"], chunks=[document["text"]])
    result = check_text(answer, context=context)
    expected = "wrong" if kind else "right"
    if result.status is None:
        return f"{expected}, no status"
    if result.status != "PASS":
        return f"{expected}, not PASS"
    is_said = any(one.unread_text for one in result.sentences)
    return f"{expected}, PASS" + (" with unread_text" if kind and is_said else "")


COLUMNS = (
    "right, PASS",
    "right, not PASS",
    "right, no status",
    "wrong, not PASS",
    "wrong, PASS with unread_text",
    "wrong, PASS",
    "wrong, no status",
)


def table(documents: list[dict]) -> str:
    """Return the table of all documents, and the wrong answers that pass in silence."""
    lines = [f"| form | {' | '.join(COLUMNS)} |", f"|---|{'---|' * len(COLUMNS)}"]
    silent, total = [], Counter()
    for document in documents:
        answers = [("", one) for one in document["right"]]
        answers += [tuple(one) for one in document["wrong"]]
        found = Counter()
        for kind, answer in answers:
            came = outcome(document, kind, answer)
            found[came] += 1
            if came in ("wrong, PASS", "right, not PASS"):
                silent.append(f"- {document['form']}, {kind or 'right'}: {answer}")
        total += found
        lines.append(f"| {document['form']} | {' | '.join(str(found[one]) for one in COLUMNS)} |")
    lines.append(f"| all | {' | '.join(str(total[one]) for one in COLUMNS)} |")
    return "\n".join([*lines, "", *silent, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    arguments = parser.parse_args()
    tables = []
    for name in ("documents", "owners"):
        text = (HERE / "documents" / f"{name}.json").read_text(encoding="utf-8")
        tables.append(table(json.loads(text)))
    written = f"\n{_OWNERS}\n".join(tables)
    print(written)
    if arguments.write:
        PAGE.write_text(f"{_HEAD}\n{written}", encoding="utf-8")


if __name__ == "__main__":
    main()
