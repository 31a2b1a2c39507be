"""Answers under every policy: question, passages and answer made of the same pieces.

No check may fail on any of them, however the text is cut, and the result must not depend on it.
"""

import random

from streamguard import Context, Policy, StreamGuard, check_text
from streamguard.examiner import Examiner
from streamguard.testing import cut

CASE = "answers beside a question and passages of the same pieces"

# Ends and beginnings of names, values and clauses, so that any of them may cross a border.
WORDS = (
    "Anna", "Maria", "Lopez", "Anna Maria", "Anna Maria Lopez", "Dr.", "Mrs", "John Miller", "IBM",
    "World Health Organization", "WHO", "Acme Corp", "Acme", "iPhone 15", "GPT-4", "U.S.", "NZ.",
    "the Basic plan", "Basic", "refunds", "regions", "incidents", "uptime", "the office", "it",
    "leads", "costs", "includes", "was founded in", "opens at", "is", "is not", "never", "cannot",
    "must", "may", "all", "some", "none of", "only", "no fee", "free", "respectively", "total",
    "per month", "per user per month", "a year", "once", "one-time", "each", "about", "up to",
    "less than", "twice", "half", "a dozen", "two thirds", "and", "or", "but", "because", "if",
)  # fmt: skip
VALUES = (
    "0", "00", "0%", "99%", "100 %", "0 of 0", "1", "-1", "1.", ".05", "$.55", "$0", "$1", "$1 / 0",
    "$10", "$10.00", "10 USD", "$10/mo", "$120 a year", "€9,99", "1.299,00", "1,299.00", "$1.2M",
    "5-10", "10-5", "5 to 10 km", "5 km", "0 km", "350 °F", "-40 °C", "-459.67 °F", "2 GB",
    "5'10\"", "1/2", "1⁄2", "½", "1½", "0/0", "1/0", "3:45", "25:61", "24:00", "12 pm", "12 am",
    "noon", "9-17:00", "2024", "0000", "March 5", "5 March 2021", "2021-02-29",
    "31/02/2021", "Q3 2023", "Feb 30", "29 February", "yesterday", "v2.3.1", "10.0.0.1", "1e9",
    "1e99", "1e-99", "999999999999999", "9" * 40, "first", "2nd", "IV", "#7", "№ 5", "[C1]", "[C9]",
    "[C1, C2]",
    "[C1-C9]", "[1]", "(C2)", "$HOME", "$TBD", "`echo $1`",
)  # fmt: skip
SIGNS = (
    " ", " ", " ", " ", " ", " ", ", ", ". ", ".", "; ", ": ", "! ", "? ", " - ", " — ", "\n",
    "\n\n",
    "\n- ", "\n1. ", "\n# ", "\n> ", "\n```\n", "`", "**", "_", "|", " | ", "\n|", "\n|\n", "|---|",
    "\n| ", "(", ")", "[", "]", "\"", "'", "“", "”", "’", "…", "/", "%", "$", "\t", "\u00a0",
    "\u200b", "\r\n", "\u2028", "🎉", "\ud83c", "\udf89", "e\u0301", "İ", "ß", "ﬁ", "＄", "²", "",
)  # fmt: skip
SENTENCES = (
    "99%, with 0 incidents in 0 regions",
    "Anna Maria Lopez leads it.",
    "The Basic plan costs $10 per month, or $120 per year.",
    "That adds up to $46:",
    "I cannot answer this based on the provided documents.",
    "The passages do not mention dogs, but Basic costs $10.",
    "According to passage 2, refunds take 14 days [C2].",
    "Refunds were cut from 30 to 14 days, a drop of 53%.",
    "Anna Lopez and John Miller were paid $5 and $7, respectively.",
    "It was founded in 1999, 25 years ago, by Dr. Anna Lopez.",
    "| Plan | Price |\n|---|---|\n| Basic | $10 |\n| Pro | $0 |\n",
    "- Basic: $10\n- Pro: 0\n- Total: $10\n",
    "Step 1: Open Settings. Step 2: Press Enter.",
    "He said “it is free” and left.",
    "Unlike Basic, Pro never includes support before 9:00.",
    "You may pay nothing for 0 users.",
    "Here is what I found:\n",
    "oh. my bad",
    "Eq. (4) follows",
    "no way!!! tell me",
    "```sh\necho $1\n```\n",
    "$29 once, then $29 a month",
)
POLICIES = ("moderate", "moderate", "strict", "lenient", "literal", "calibrated")


def text(rng, most):
    """Return a text of up to so many pieces, with what stands between them."""
    parts = []
    for _ in range(rng.randint(0, most)):
        kind = rng.random()
        if kind < 0.15:
            piece = rng.choice(SENTENCES)
            if rng.random() < 0.3:  # a piece of it
                start = rng.randrange(len(piece))
                piece = piece[start : start + rng.randint(1, 40)]
        else:
            piece = rng.choice(WORDS if kind < 0.6 else VALUES)
        if rng.random() < 0.1:
            piece = rng.choice((str.upper, str.lower, str.title))(piece)
        parts += [piece, rng.choice(SIGNS)]
    return "".join(parts)


def case(seed):
    rng = random.Random(seed)
    answer = text(rng, 14)
    chunks = [text(rng, 10) for _ in range(rng.randint(0, 4))]
    if chunks and rng.random() < 0.2:  # the answer itself, over the border of two
        at = rng.randint(0, len(answer))
        chunks = [*chunks[:2], answer[:at], answer[at:]]
    query = text(rng, 5) if rng.random() < 0.8 else None
    policy = Policy.preset(rng.choice(POLICIES))
    requested = rng.random() < 0.5

    def context():
        return Context(query=query, chunks=chunks, citations_requested=requested)

    said = f"{answer!r} on {chunks!r}, asked {query!r}, {policy.name}"
    result = check_text(answer, context=context(), policy=policy)
    assert not result.errors, f"{said}: {result.errors}"
    for finding in result.findings:
        assert 0 <= (finding.start or 0) <= (finding.end or 0) <= len(answer), f"{said}: {finding}"
    if seed % 4 == 0:
        guard = StreamGuard(context(), policy)
        for piece in cut(answer, rng):
            guard.feed(piece)
        assert guard.close() == result, f"{said}: the result depends on the cut"
    if seed % 4 == 1:
        examiner = Examiner("0" * 32, context(), policy)
        examiner.take(0, [answer])
        while examiner.due:
            examiner.turn()
        assert examiner.close("complete").result == result, f"{said}: it depends on the turns"
