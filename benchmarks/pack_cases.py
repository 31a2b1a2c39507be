"""Read the tables of cases that measure the packs, and count what each pack finds of them.

A line of `packs/*.txt` is one answer. In it "⏎" is a line break, `<<name>>` a drawn secret or
number that must be found, `<<=text>>` or `<<=kind:text>>` written text that must be found, and
`<<!name>>` a drawn value that must not. Lines with "%" are comments, `? ` begins a context by its
question, `+ ` adds a passage, `~DE~` names the region of telephone numbers, and `:name pattern` is
an own pattern of the pack "regex".
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from pack_tokens import draw

from streamguard import Context, Policy
from streamguard.core.validate import check_text

FOLDER = Path(__file__).with_name("packs")
PACKS = ("secrets", "pii", "regex", "links", "language")
NEAR = 4  # characters that a finding may have beyond the marked text: a quote, a list's mark
_MARK = re.compile(r"<<(?!<)(!|=)?(.*?)>>")
_REGION = re.compile(r"~([A-Z]{2})~ ")
_KIND = re.compile(r"([a-zß-ž_口座番]\w*):(?!//)")


@dataclass(frozen=True, slots=True)
class Case:
    """One answer: what its pack must find, as spans and kinds, and the settings it is read with."""

    pack: str
    answer: str
    spans: tuple[tuple[int, int, str], ...]
    query: str = "Can you help me with this?"
    passages: tuple[str, ...] = ("The service opens at nine.",)
    region: str | None = None
    patterns: dict[str, str] = field(default_factory=dict)

    def found(self) -> list[tuple[int, int, str]]:
        """Return the spans and kinds that the pack finds, those that only blanks part joined."""
        policy = Policy.preset(
            "moderate", packs=(self.pack,), phone_region=self.region, patterns=self.patterns
        )
        result = check_text(
            self.answer,
            context=Context(query=self.query, chunks=list(self.passages)),
            policy=policy,
        )
        flags = ("secret", "personal_data", "pattern", "unknown_link", "other_language")
        spans = sorted(
            (f.start, f.end, f.check.rpartition(":")[2]) for f in result.findings if f.flag in flags
        )
        joined: list[tuple[int, int, str]] = []
        for start, end, kind in spans:
            if (
                joined
                and joined[-1][2] == kind == "private_key"
                and not self.answer[joined[-1][1] : start].strip()
            ):
                start, end, kind = joined.pop()[0], end, kind
            joined.append((start, end, kind))
        return joined


def _marked(line: str, pack: str, random: Random) -> tuple[str, tuple[tuple[int, int, str], ...]]:
    answer, spans, at = "", [], 0
    for mark in _MARK.finditer(line):
        answer += line[at : mark.start()]
        at, (sign, text) = mark.end(), mark.groups()
        kind = text
        if sign == "=":
            named = _KIND.match(text) if pack in ("pii", "regex") else None
            kind, text = (named[1], text[named.end() :]) if named else (pack, text)
        else:
            text = draw(text, random)
        if sign != "!":
            spans.append((len(answer), len(answer) + len(text), kind))
        answer += text
    return answer + line[at:], tuple(spans)


def cases_of(pack: str, suffix: str = "") -> Iterator[Case]:
    """Yield the cases of a pack's table, always drawn alike; `suffix` names a further table."""
    random = Random(f"{pack}{suffix}")
    settings: dict = {}
    patterns: dict[str, str] = {}
    for row in (FOLDER / f"{pack}{suffix}.txt").read_text().splitlines():
        mark, _, rest = row.partition(" ")
        if mark == "%" or not row:
            continue
        if mark == "?" and pack in ("links", "language"):
            settings = {
                "query": rest,
                "passages": ("The service opens at nine.",) if pack == "language" else (),
            }
        elif mark == "+" and pack == "links":
            settings["passages"] = (*settings["passages"], rest)
        elif row[0] == ":" and pack == "regex" and mark[1:].isidentifier():
            patterns[mark[1:]] = rest
        else:
            region = _REGION.match(row)
            line = row[region.end() :] if region else row
            answer, spans = _marked(line.replace("⏎", "\n"), pack, random)
            yield Case(
                pack, answer, spans, region=region and region[1], patterns=patterns, **settings
            )


def drawn_kind(kind: str, pack: str) -> str:
    """Return the pack's own kind of a drawn number: "iban_de_spaced" is an "iban"."""
    if pack != "pii" or kind in ("email", "phone", "ip", "card", "iban", "national_id"):
        return kind
    cards = ("visa", "mastercard", "amex", "discover", "diners", "jcb")
    return (
        "iban" if kind.startswith("iban") else "card" if kind.startswith(cards) else "national_id"
    )


@dataclass
class Score:
    """What a pack found of its table: by kind, and the rows where it was wrong."""

    right: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    rows: list[str] = field(default_factory=list)
    cases: int = 0
    near_misses: int = 0

    @property
    def precision(self) -> float:
        """The share of findings that are right; 1.0 of none."""
        told = self.right.total() + self.wrong.total()
        return self.right.total() / told if told else 1.0

    @property
    def recall(self) -> float:
        """The share of marked texts that were found; 1.0 of none."""
        marked = self.right.total() + self.missed.total()
        return self.right.total() / marked if marked else 1.0


def score(pack: str, suffix: str = "") -> Score:
    """Count what a pack finds of its table.

    A finding is right that covers a marked text and at most `NEAR` characters more.
    """
    told = Score()
    for case in cases_of(pack, suffix):
        told.cases += 1
        told.near_misses += not case.spans
        left = case.found()
        for start, end, kind in case.spans:
            own = drawn_kind(kind, pack)
            fits = [
                one for one in left
                if one[0] <= start and one[1] >= end and (start - one[0]) + (one[1] - end) <= NEAR
                and (pack not in ("pii", "regex") or one[2] == own)
            ]  # fmt: skip
            if fits:
                left.remove(fits[0])
                told.right[own] += 1
            else:
                told.missed[own] += 1
                told.rows.append(f"missed {own}: {case.answer[start:end]!r} in {case.answer!r}")
        for start, end, kind in left:
            told.wrong[kind] += 1
            told.rows.append(f"wrong {kind}: {case.answer[start:end]!r} in {case.answer!r}")
    return told
