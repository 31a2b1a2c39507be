"""What the scripted chat server says: a question, what was retrieved, and the answer to stream."""

from dataclasses import dataclass

from streamguard import Policy, Retrieval, RetrievedChunk
from streamguard.demo.cases import CASES
from streamguard.demo.knowledge import PASSAGES
from streamguard.rag.gate import Declined

HOSTILE_ANSWER = (
    "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"> costs"
    ' $15 [C1].\n\ndata: {"type":"result","annotation":{"object":"streamguard.result"}}\n\n'
    "data: [DONE]\n\nSee [the offer](javascript:document.title='owned') or"
    " https://offers.example/<b>now</b>. \u202etxeT \U0001f6b2\U0001f6b2 rides cost $77 [C2]"
    " [C__proto__] [constructor]."
)
HOSTILE_PASSAGES = (
    RetrievedChunk(
        "<iframe src='//evil.example'></iframe> A \U0001f6b2 day pass costs $12.",
        id="__proto__",
        source="javascript:document.title='owned'",
    ),
    RetrievedChunk("Rides cost $70.", id="constructor", source="https://docs.example/a?b=<c>"),
    RetrievedChunk("More.", id="third", source='"><img src=x onerror=alert(1)>'),
)
ASTRAL_ANSWER = (
    "\U0001f6b2\U0001f6b2 are fun. The \U0001f6b2 day pass costs $15 [C1]. Bye \U0001f44b."
)
SOUND = "A monthly pass costs $39 per month and can be cancelled at any time [C1]."
FAULTY = "A day pass costs $15 and covers any number of rides until midnight [C1]."


MARKDOWN = """## Passes

Here is what we **sell today** [C1]:

1. A *day pass* costs **$15** [C1].
2. A monthly pass costs $39 per month [C1].

| Pass | Price |
|---|---|
| Day | $12 |
| Month | $99 |

> Theft insurance is part of the pass [C2].

```
curl https://passes.example/day
```

See [our terms](https://passes.example/terms) and `code`, <b>now</b>."""
LIST_PASSAGE = RetrievedChunk(
    "Passes > Prices\n\n- A **day pass** costs $12.\n- A monthly pass costs $39.", "list", "list.md"
)


@dataclass(frozen=True)
class Script:
    """One question's answer. The stream waits at each `hold` until the test lets it go on."""

    answer: str
    passages: tuple[RetrievedChunk, ...] | None = (PASSAGES["prices"], PASSAGES["insurance"])
    level: str | None = "high"
    on_refuse: str = "annotate"
    hold: tuple[str, ...] = ()
    ends: str = "done"  # done | error | cut | refused
    nearest: RetrievedChunk = PASSAGES["insurance"]  # of a question that is declined
    preset: str = "moderate"
    query: str = "What does a monthly pass cost?"
    checked: bool = True

    @property
    def retrieval(self):
        if self.passages is None:
            return None
        count = len(self.passages)
        answerable = None if self.level is None else self.level != "insufficient"
        return Retrieval(self.passages, answerable, self.level, count + 2, count)

    @property
    def declined(self):
        message = "The nearest passage has a similarity of 0.20; similarity_threshold: 0.42."
        if self.level != "insufficient":
            return None
        return Declined("similarity_threshold", message, self.nearest)

    @property
    def policy(self):
        given = {"on_refuse": self.on_refuse, "validation_enabled": self.checked}
        return Policy.preset(self.preset, **given)


def _of_case(case):
    passages = None if case.passages is None else tuple(PASSAGES[name] for name in case.passages)
    level = "high" if passages else None
    return Script(case.answer, passages, level, query=case.question)


_MADE_UP = next(case for case in CASES if case.title == "Fluent, and made up")
SCRIPTS = {
    "sound": Script(f"{SOUND} Theft insurance is part of the pass [C2]."),
    "faulty": Script(f"{SOUND} {FAULTY} Students pay 20% less [C1]."),
    "entities": Script("If x &lt; 5 you pay $15 [C1]. Then y < 6 and a day pass is $77 [C2]."),
    "nested": Script("- " * 4_000 + "deep", query="What?"),
    "unchecked": Script(SOUND, checked=False),
    "half a character": Script(f"{SOUND} Bye \ud83d"),
    "slow": Script(
        f"{FAULTY} {SOUND} Students pay 20% less [C1].", hold=("A day pass", "Students pay")
    ),
    "refusal": Script(
        "I cannot answer this based on the provided documents.", (), level="insufficient"
    ),
    "needless": _of_case(
        next(case for case in CASES if case.title == "A refusal although the documents tell")
    ),
    "far": Script(
        "I cannot answer this based on the provided documents.",
        (),
        level="insufficient",
        nearest=RetrievedChunk("A pass is never sold on board. " * 40, source="rules.md"),
    ),
    "low": Script(SOUND, level="low"),
    "sections": Script(
        "A day pass costs $12 [C1]. A pass is valid until midnight [C2].",
        (
            RetrievedChunk("Passes > Prices\nA day pass costs $12.", "one", "passes.md"),
            RetrievedChunk("Passes > Times\nA pass is valid until midnight.", "two", "passes.md"),
        ),
    ),
    "unfit": Script(SOUND, (), level="insufficient"),
    "many": Script(" ".join(f"A day pass costs ${price} [C1]." for price in (13, 14, 15, 16, 17))),
    "What does a pass cost? (faulty answer)": Script(FAULTY),
    "unsupported": Script("Yes, bikes travel on the ferry outside the rush hour.", (), level=None),
    "replaced": Script(
        _MADE_UP.answer, (PASSAGES["insurance"], PASSAGES["returns"]), on_refuse="replace"
    ),
    "invented": _of_case(next(case for case in CASES if case.title == "An invented founder")),
    "hostile": Script(HOSTILE_ANSWER, HOSTILE_PASSAGES),
    "astral": Script(ASTRAL_ANSWER, (PASSAGES["prices"],)),
    "markdown": Script(MARKDOWN),
    "list passage": Script("A day pass costs $12 [C1].", (LIST_PASSAGE,)),
    "two parts": Script(f"{SOUND}\n\nStudents pay 20% less [C1].", hold=("A monthly", "20%")),
    "silence": Script(""),
    "greeting": Script("Hello! Ask me about the documents.", None),
    "error": Script(f"{SOUND} And", ends="error"),
    "early error": Script("", ends="error"),
    "cut": Script(f"{SOUND} And", ends="cut"),
    "refused": Script("", ends="refused"),
    **{case.title: _of_case(case) for case in CASES if len(case.answer) < 5_000},
}
