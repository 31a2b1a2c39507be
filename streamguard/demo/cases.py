"""The recorded answers of the demo; together they show every flag and status.

A test checks that none is missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from streamguard.core.model.result import Status


@dataclass(frozen=True, slots=True)
class DemoCase:
    """A question, its retrieved passages, a recorded answer, and the expected result.

    `passages` are keys of `knowledge.PASSAGES`; an empty tuple is a retrieval without a hit, None a
    chat without retrieval. `context_in`: where the proxy finds them, in the prompt (with `[Cn]`
    marks, so that citations are requested) or in the request's body. `split`: how the answer is
    cut; `random` gives fewer pieces. `judged`: the demo's judge reads it too. `broken`: the stream
    ends after the text without an end sign.
    """

    title: str
    question: str
    passages: tuple[str, ...] | None
    answer: str
    status: Status | None
    flags: tuple[str, ...] = ()
    context_in: Literal["prompt", "body"] = "prompt"
    split: Literal["token", "random"] = "token"
    judged: bool = False
    broken: bool = False


# A check that fails on these words shows that a broken check does not harm the stream.
STUMBLING_WORDS = "bell, basket and lamp"

# A model that is stuck repeats itself without end; the cap is 1,000 findings.
_STUCK = "The spare parts cost " + ", ".join(f"${n}" for n in range(301, 1_305)) + " [C1]."

# Its purpose, in six answers; `demo --all` plays the others too.
SHORT = (
    DemoCase(
        "Everything is in the documents",
        "What does a monthly pass cost?",
        ("prices", "insurance"),
        "A monthly pass costs $39 per month and can be cancelled at any time [C1]. Theft insurance"
        " is part of it [C2].",
        "PASS",
    ),
    DemoCase(
        "A price that no document holds",
        "What does a day pass cost?",
        ("prices", "returns"),
        "A day pass costs $15 and covers any number of rides until midnight [C1].",
        "REFUSE",
        ("potential_hallucination",),
    ),
    DemoCase(
        "The value of another owner",
        "How long is the Old Port station staffed?",
        ("stations",),
        "The station at Old Port is staffed until 19:00 [C1].",
        "WARN",
        ("unsupported_claim",),
    ),
    DemoCase(
        "A refusal although the documents tell",
        "How much is the fee for a bike that is left elsewhere?",
        ("returns",),
        "The provided documents do not mention a fee.",
        "WARN",
        ("refusal_detected",),
    ),
    DemoCase(
        "What only a language model reads: a judge's word",
        "Is water damage insured?",
        ("insurance",),
        "Theft and damage by water are part of the monthly pass [C1].",
        "REFUSE",
        ("contradicted_claim",),
        judged=True,
    ),
    DemoCase(
        "The stream breaks off",
        "What deposit is held for a cargo bike?",
        ("deposit",),
        "For cargo bikes a deposit of $150 is held on your card [C1]. It is released within",
        "WARN",
        broken=True,
    ),
)
CASES = (
    *SHORT,
    DemoCase(
        "Other words, same values",
        "How long does a charge last?",
        ("battery",),
        "A full charge takes four hours [C1]. In eco mode it lasts for roughly 80 kilometres [C1].",
        "PASS",
    ),
    DemoCase(
        "The right number with another period",
        "How much is the monthly pass?",
        ("prices", "deposit"),
        "The monthly pass costs $39 per year and can be cancelled at any time [C1].",
        "REFUSE",
        ("potential_hallucination",),
    ),
    DemoCase(
        "The right number with another unit",
        "How long does a charge last?",
        ("battery",),
        "A full charge takes four minutes [C1]. In eco mode it lasts for roughly 80 km [C1].",
        "WARN",
        ("contradicted_claim",),
    ),
    DemoCase(
        "An invented founder",
        "Who founded Harbourlight Bikes?",
        ("history",),
        "Harbourlight Bikes was founded in 2014 by Ingrid Solberg and Marcus Bellweather in Port"
        " Ellery [C1].",
        "REFUSE",
        ("potential_hallucination",),
    ),
    DemoCase(
        "Fluent, and made up",
        "What happens after a crash?",
        ("insurance", "returns"),
        "After a crash you pay at most $80 for repairs [C1]. A mechanic visits within the hour and"
        " lends out a scooter. Winners of the spring lottery ride without any charge. Injured"
        " animals go to the shelter in the old lighthouse. Our hotline speaks 19 languages,"
        " Klingon among them. A second crash within a year ends your contract, and the app deletes"
        " every route that you have ridden so far.",
        "REFUSE",
        ("potential_hallucination", "unsupported_claim", "uncited_claim", "too_few_citations"),
    ),
    DemoCase(
        "The wrong document is cited, and one that does not exist",
        "Do I pay a deposit?",
        ("deposit", "hours"),
        "For cargo bikes a deposit of $150 is held on your card [C2]. It is released within 3 days"
        " after the bike is back at a station [C7].",
        "WARN",
        ("citation_unknown", "citation_mismatch"),
    ),
    DemoCase(
        "Correct, but without a source",
        "When is Mill Square staffed?",
        ("hours",),
        "The station at Mill Square is staffed from 7:30 to 19:00 on weekdays. On Saturdays it"
        " closes at 14:00.",
        "PASS",
        ("uncited_claim", "too_few_citations"),
    ),
    DemoCase(
        "A refusal where the documents do not tell",
        "Which train goes to the airport?",
        ("returns", "hours"),
        "I cannot answer this based on the provided documents.",
        "PASS",
        ("refusal_detected",),
    ),
    DemoCase(
        "It refuses, then answers anyway",
        "Is water damage insured?",
        ("insurance",),
        "I'm not sure about water damage. Theft insurance is part of the monthly pass [C1]. The"
        " premium plan for $9 a month insures water damage as well.",
        "WARN",
        ("refusal_detected", "potential_hallucination", "uncited_claim"),
    ),
    DemoCase(
        "Nothing was retrieved, and it answers",
        "May I take a bike on the ferry?",
        (),
        "Yes, bikes travel on the ferry at any time outside the rush hour.",
        "REFUSE",
        ("no_context_warning", "unsupported_claim"),
        context_in="body",
    ),
    DemoCase(
        "An ordinary chat, no retrieval at all",
        "Write one line about cycling in the rain.",
        None,
        "Cycling in the rain turns every puddle into a lake that the front wheel crosses first.",
        None,
    ),
    DemoCase(
        "One of the checks is broken",
        "What comes with a bike?",
        ("returns",),
        f"Return the bike with {STUMBLING_WORDS} to any station and wait for the green light [C1].",
        "WARN",
        ("check_error",),
    ),
    DemoCase(
        "A model that is stuck",
        "What do spare parts cost?",
        ("insurance",),
        _STUCK,
        "REFUSE",
        ("potential_hallucination", "too_few_citations", "limit_reached"),
        split="random",
    ),
)
