"""The values a check is called with: a settled sentence, the whole answer, and the scope."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from operator import attrgetter
from typing import Any

from streamguard.core.context import Context, Question
from streamguard.core.facts.model import Doubt, Edit, probability
from streamguard.core.facts.said import MAX_COMPARED
from streamguard.core.facts.standing import WARNED
from streamguard.core.index.content import Content, Posting, content_of
from streamguard.core.index.evidence import Coverage, Evidence
from streamguard.core.model.brought import NativeCitation
from streamguard.core.model.policy import Policy, as_policy
from streamguard.core.model.types import (
    AnswerSpan,
    Effect,
    Finding,
    Nearest,
    Plain,
    Severity,
    Support,
    UnreadText,
)
from streamguard.core.names.reading import Name, NameMatch, read_names
from streamguard.core.reading import roles
from streamguard.core.reading.markers import Citation, ReadMarks, read_marks
from streamguard.core.reading.refusals import REFUSALS
from streamguard.core.reading.roles import Kind
from streamguard.core.reading.talk import without_talk
from streamguard.core.reading.unread_text import find_unread_text
from streamguard.text.fields import UNSEEN
from streamguard.text.normalise import Folded, fold, in_latin
from streamguard.text.patterns import lazy
from streamguard.text.words import parts_in
from streamguard.values import Anchor, Match, anchors_in, read_anchors
from streamguard.values.value import readings_of

_NO_SUPPORT = Support(0.0, ("none of its content words is in a retrieved passage",))
# Values whose words are no names: "May", "NOK 680", "17:00 CEST".
_NAMELESS = frozenset({"date", "amount", "time"})
_MOST_READ = MAX_COMPARED + 1  # values, names, tags of a sentence: one more than are compared
_BOUNDED = ("anchors", "names", "citations")
_LOOKED_UP = 8  # values between two places where a long sentence may pause


@dataclass(frozen=True, slots=True)
class Scope:
    """All that a check may look at besides its sentence.

    `evidence` is None if retrieval is unknown; `earlier` are the sentences settled before this one,
    `question` is the question as it was read, `supports` the support scores of the sentences so far
    by their index, None if scoring failed; `edits` their mismatches with the passages, `doubts`
    their error probabilities. All three are empty without chunks, and where nothing is judged.
    `told` are citations that came beside the text.
    """

    context: Context
    evidence: Evidence | None
    policy: Policy
    question: Question
    earlier: Sequence[Sentence] = ()
    supports: Sequence[Support | None] = ()
    edits: Sequence[Sequence[Edit]] = ()
    doubts: Sequence[Doubt | None] = ()
    told: Sequence[NativeCitation] = ()


@cache
def _nowhere() -> Scope:
    return Scope(Context(), None, as_policy(None), Question(""))


@dataclass(frozen=True)
class Sentence(Plain):
    """One settled sentence: its place in the answer (half-open, code points) and its text.

    `rank` counts what the answer states before it: greetings, headings and the like are nothing.
    `language` is None if it is judged in full; else it is not English, or its passages are not, and
    only values, identifiers and citations are compared. Everything below `text` is read from it on
    first use and kept. Spans of `anchors`, `names` and `citations` count from the start of
    `folded.text`; `finding` maps them into the answer.
    """

    index: int
    start: int
    end: int
    text: str
    kind: Kind = "prose"
    leading: bool = False
    promoted: bool = False
    scope: Scope = field(default_factory=_nowhere, repr=False, compare=False)
    rank: int = 0
    language: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return place, text and kind, and whether it is a claim, as JSON values."""
        names = ("index", "start", "end", "text", "kind", "is_claim")
        return {name: getattr(self, name) for name in names}

    @lazy
    def folded(self) -> Folded:
        """The text as phrases and values are matched on: NFKC, plain quotes and dashes."""
        return fold(self.text)

    @lazy
    def anchors(self) -> tuple[Anchor, ...]:
        """Amounts, numbers, dates and the like, from left to right; of very many the first."""
        return self._as_held(read_anchors(self.prose, _MOST_READ))

    @property
    def has_more(self) -> bool:
        """Whether it holds more values, names or tags than are read, where somebody asked."""
        if len(self.text) <= MAX_COMPARED or self.kind == "code":
            return False
        read = self.__dict__
        return any(len(read.get(part, ())) > MAX_COMPARED for part in _BOUNDED)

    def reading(self) -> Generator[None, None, None]:
        """Read `anchors` with pauses, unless they are read: those of many figures take long."""
        if "anchors" in self.__dict__:
            return
        text = self.prose
        yield
        read: list[Anchor] = []
        for number, anchor in enumerate(anchors_in(text), 1):
            if anchor is not None:
                read.append(anchor)
                if len(read) == _MOST_READ:
                    break
            if number % MAX_COMPARED == 0:
                yield
        self.__dict__["anchors"] = self._as_held(tuple(read))

    def _as_held(self, anchors: tuple[Anchor, ...]) -> tuple[Anchor, ...]:
        """Return the values, each of several readings in the one that the passages hold, if any."""
        evidence = self.scope.evidence
        several = [number for number, one in enumerate(anchors) if one.shifts]
        if evidence is None or not several:
            return anchors
        found = list(anchors)
        for number in several:
            first, *others = readings_of(anchors[number])
            if evidence.find_anchor(first).relation != "same":
                held = (one for one in others if evidence.find_anchor(one).relation == "same")
                found[number] = next(held, anchors[number])
        return tuple(found)

    @property
    def span(self) -> tuple[int, int]:
        """Start and end in the answer."""
        return self.start, self.end

    @property
    def amounts(self) -> tuple[Anchor, ...]:
        """Amounts of money."""
        return tuple(anchor for anchor in self.anchors if anchor.kind == "amount")

    @lazy
    def names(self) -> tuple[Name, ...]:
        """Proper nouns; months of dates, currencies, the unit of "1,500 MB" and code are none.

        They are told by their capitals: empty in other languages than English.
        """
        if self.kind == "code" or self.language is not None:
            return ()
        dates = [anchor for anchor in self.anchors if anchor.kind in _NAMELESS]
        found = read_names(_blanked(self.prose, map(_SPAN, dates)), _MOST_READ)
        if not found:
            return ()
        # The unit of "4 GB EU roaming" is no part of the name behind it.
        starts = {name.start for name in found}
        quantities = (anchor for anchor in self.anchors if anchor.kind == "quantity")
        units = [one for one in quantities if not starts.isdisjoint(range(one.start, one.end))]
        return (
            read_names(_blanked(self.prose, map(_SPAN, (*dates, *units))), _MOST_READ)
            if units
            else found
        )

    @lazy
    def _marks(self) -> ReadMarks:
        """Citation marks of any form. A bounded number, the first ones."""
        if self.kind == "code":
            return ReadMarks()
        evidence = self.scope.evidence
        if evidence is None:
            return read_marks(self.folded.text, most=_MOST_READ)
        known = evidence.folded_labels, len(evidence.chunks), evidence.brackets.hold
        return read_marks(self.folded.text, *known, _MOST_READ)

    @lazy
    def citations(self) -> tuple[Citation, ...]:
        """Citation tags; the context's chunk ids count too. A bounded number, the first ones."""
        return self._marks.citations

    @lazy
    def unread_text(self) -> tuple[UnreadText, ...]:
        """Text in it that looks like a value, a citation or a table's head and was not read."""
        if self.kind == "code":
            return ()
        found = find_unread_text(self.prose, self.kind, self.anchors, self._marks)
        told = self._untold if self.scope.told else ()
        if not (found or told):
            return ()
        places = [(self.place(start, end), kind) for start, end, kind in found]
        return (*told, *(UnreadText(at.start, at.end, kind) for at, kind in places))

    @property
    def told_citations(self) -> Sequence[NativeCitation]:
        """Citations of the sentence, or of a part of it, that came beside the text."""
        told = self.scope.told
        return [each for each in told if each.start < self.end and self.start < each.end]

    @lazy
    def may_rest_elsewhere(self) -> bool:
        """Whether it cites, beside the text, a page or a file that nobody shows."""
        return bool(self.scope.told and self._untold)

    @lazy
    def _untold(self) -> tuple[UnreadText, ...]:
        """Where it cites what nobody shows."""
        evidence = self.scope.evidence
        if evidence is None or self.scope.context.citations is not None:
            return ()
        end = self.start + len(self.text)
        return tuple(
            UnreadText(max(each.start, self.start), min(each.end, end), "citation")
            for each in self.told_citations
            if not any(map(evidence.chunk_numbers, each.names))
        )

    @lazy
    def refusals(self) -> tuple[roles.Refusal, ...]:
        """Refusal phrases, and the leading refusal of an answer's first sentence.

        Empty under literal matching, which looks for phrases in the whole answer at its close.
        """
        policy = self.scope.policy
        if policy.matching == "literal":
            return ()
        text = in_latin(self.folded.text) if policy.fold_look_alikes else self.folded.text
        found = roles.find_refusals(text, policy.refusal_phrases)
        if not found and self.language in REFUSALS:
            found = roles.find_refusals(text, REFUSALS[self.language])
        if not found and self.leading and policy.leading_refusals:
            found = [lead] if (lead := roles.leading_refusal(text)) else []
        return tuple(found)

    @lazy
    def role(self) -> roles.Role:
        """The sentence's role: a claim, or one of the roles that claim nothing."""
        question, text = self.scope.question, self.folded.text
        figure = any(anchor.key not in question.values for anchor in self.anchors)
        value = figure or any(not question.holds_name(name) for name in self.names)
        refusing = roles.refuses(text, self.refusals)
        return roles.role_of(text, self.kind, refusing=refusing, has_value=value, has_figure=figure)

    @property
    def is_claim(self) -> bool:
        """Whether it states something that needs evidence; under literal matching refusals do."""
        return self.promoted or self.role == "claim" or self.refuses_literally

    def unread(self) -> Sentence:
        """Return the sentence as it was before anything was read from it."""
        fresh = object.__new__(Sentence)
        fresh.__dict__.update({name: self.__dict__[name] for name in _GIVEN})
        return fresh

    def as_claim(self) -> Sentence:
        """Return the sentence as a claim, with all that was read from it."""
        claim = object.__new__(Sentence)
        claim.__dict__.update(self.__dict__, promoted=True)
        return claim

    @property
    def refuses_literally(self) -> bool:
        """Whether, under literal matching, the sentence holds a refusal phrase."""
        policy = self.scope.policy
        return policy.matching == "literal" and roles.is_refusal(self.text, policy)

    @lazy
    def prose(self) -> str:
        """The folded text with its citation marks blanked: same length, same offsets."""
        return (
            _blanked(self.folded.text, self._marks.spans) if self._marks.spans else self.folded.text
        )

    @lazy
    def content(self) -> Content:
        """Word tokens and content keys, citation tags left out."""
        return content_of(self.prose, self.anchors)

    @lazy
    def plain(self) -> str:
        """The prose with talk about the sources blanked: same length, same offsets."""
        return without_talk(self.prose)

    @lazy
    def stated(self) -> Content:
        """The statement of the sentence: its content without talk about the sources."""
        if self.plain == self.prose:
            return self.content
        return content_of(self.plain, self.anchors)

    @lazy
    def keys(self) -> tuple[str, ...]:
        """Distinct content keys of the statement, in order: stems, and values as `#49`."""
        return tuple(dict.fromkeys(self.stated.keys))

    @lazy
    def postings(self) -> Sequence[Posting]:
        """Where the chunks hold each of its keys; empty without chunks."""
        return self.scope.evidence.keys.of(self.keys) if self.scope.evidence else ()

    @property
    def edits(self) -> Sequence[Edit]:
        """Mismatches between this sentence and its nearest passages.

        Once its checks have run those of values that no chunk holds, which what follows may reckon.
        """
        return self.scope.edits[self.index] if self.index < len(self.scope.edits) else ()

    @property
    def doubt(self) -> Doubt | None:
        """How likely something in it is wrong; None if nothing was scored."""
        return self.scope.doubts[self.index] if self.index < len(self.scope.doubts) else None

    @property
    def doubted(self) -> float:
        """The probability in [0, 1] that something in it is wrong; 0.0 where nothing was scored."""
        return 0.0 if self.doubt is None else probability(self.doubt.risk)

    @lazy
    def matches(self) -> tuple[tuple[Anchor, Match], ...]:
        """Every anchor with what the chunks say of its value; empty without chunks.

        A value that follows from others counts as theirs, one of the question's is "given" unless
        the sentence gives it as an answer.
        """
        return tuple((anchor, self._excused(anchor, match)) for anchor, match in self.held)

    def _excused(self, anchor: Anchor, match: Match) -> Match:
        if match.relation == "same" or self.scope.policy.matching == "literal":
            return match
        if anchor.start in self.derived:
            return replace(match, relation="same")
        asked = anchor.key in self.scope.question.values
        if match.relation == "none" and asked and anchor.start not in self._warned:
            return replace(match, relation="given")
        return match

    @lazy
    def derived(self) -> Mapping[int, Edit]:
        """Values that follow from others, by the anchor's start."""
        return {
            edit.slot.anchor.start: edit
            for edit in self.edits
            if edit.derivation is not None and edit.slot is not None and edit.slot.anchor
        }

    @lazy
    def _warned(self) -> frozenset[int]:
        """The starts of values that are warned of by themselves."""
        slots = (edit.slot for edit in self.edits if edit.standing in WARNED)
        return frozenset(slot.anchor.start for slot in slots if slot and slot.anchor)

    @lazy
    def reckonable(self) -> frozenset[int]:
        """The starts of values that follow from others, or may in several steps."""
        edits = (edit for edit in self.edits if edit.standing in ("reckoned", "alone"))
        return frozenset(edit.slot.anchor.start for edit in edits if edit.slot and edit.slot.anchor)

    @lazy
    def held(self) -> tuple[tuple[Anchor, Match], ...]:
        """Every anchor with what the chunks hold of its value as it stands."""
        return self._look_up(self.anchors)

    def looking_up(self) -> Generator[None, None, None]:
        """Read `held` with pauses: the passages may hold each of many values in many forms."""
        evidence = self.scope.evidence
        if evidence is None:
            return
        held: list[tuple[Anchor, Match]] = []
        for number, anchor in enumerate(self.anchors, 1):
            held.append((anchor, evidence.find_anchor(anchor)))
            if number % _LOOKED_UP == 0:
                yield
        self.__dict__["held"] = tuple(held)

    @property
    def amount_matches(self) -> tuple[tuple[Anchor, Match], ...]:
        """Every amount with what the chunks hold of it as it stands."""
        return self._look_up(self.amounts)

    def _look_up(self, anchors: Sequence[Anchor]) -> tuple[tuple[Anchor, Match], ...]:
        evidence = self.scope.evidence
        return tuple((one, evidence.find_anchor(one)) for one in anchors) if evidence else ()

    @lazy
    def unknown_names(self) -> tuple[tuple[Name, NameMatch], ...]:
        """The names that neither a chunk nor the question nor the policy holds."""
        evidence = self.scope.evidence
        if evidence is None:
            return ()
        looked_up = ((name, evidence.find_name(name)) for name in self.names)
        return tuple(one for one in looked_up if not (one[1].found or self.excuses(one[0])))

    @lazy
    def cited(self) -> frozenset[int]:
        """Numbers of the chunks the sentence cites; the caller's list stands for every sentence."""
        scope = self.scope
        if scope.evidence is None:
            return frozenset()
        numbers, listed = scope.evidence.chunk_numbers, scope.context.citations
        labels = [tag.label for tag in self.citations] if listed is None else [*listed]
        if listed is None and scope.told:
            for cited in self.told_citations:  # the first of its names that a passage has
                labels += [name for name in cited.names if numbers(name)][:1]
        return frozenset(number for label in labels for number in numbers(label))

    @lazy
    def coverage(self) -> Coverage | None:
        """Best evidence in the cited chunks, in all chunks where none is cited.

        A sentence without words of its own ("No, you don't.", "€12.") counts with the question's
        words, as long as the passages hold its values. None without chunks, and where no chunk
        holds any of the content.
        """
        scope = self.scope
        if scope.evidence is None:
            return None
        literal = scope.policy.matching == "literal"
        chunks = self.cited if self.cited or literal else None
        found = scope.evidence.coverage(self.keys, chunks, self.postings)
        if found is not None or literal or any(key[0] != "#" for key in self.keys):
            return found
        stands = all(match.stands or anchor.casual for anchor, match in self.matches)
        return scope.evidence.coverage(scope.question.keywords, chunks) if stands else None

    @property
    def support(self) -> Support | None:
        """The support score, given as the sentence settles; None without chunks or English.

        A fragment that became a claim has no wording to be judged by: without evidence it has none.
        """
        if self.index >= len(self.scope.supports) or self.language is not None:
            return None
        bare = self.promoted and self.coverage is None
        return _NO_SUPPORT if bare else self.scope.supports[self.index]

    def finding(
        self,
        flag: str,
        span: tuple[int, int] | None = None,
        *,
        check: str = "",
        message: str,
        severity: Severity = "warning",
        nearest: Nearest | None = None,
        against: AnswerSpan | None = None,
        effect: Effect | None = None,
    ) -> Finding:
        """Return a finding about `span` of `folded.text`, or about the whole sentence (None).

        `check` is the flag's name where it is not given.
        """
        end = self.start + len(self.text)
        at = self.place(*span) if span else AnswerSpan(self.text, self.start, end)
        place = (at.start, at.end, at.value)
        return Finding(flag, check or flag, severity, *place, nearest, message, against, effect)

    def place(self, start: int, end: int) -> AnswerSpan:
        """Return the span of `folded.text` as a place of the answer."""
        start, end = self.folded.span(start, end)
        while start and self.text[start - 1] == UNSEEN:  # of an escape, all of it
            start -= 1
        return AnswerSpan(
            self.text[start:end].replace(UNSEEN, ""), self.start + start, self.start + end
        )

    def text_at(self, finding: Finding) -> str:
        """Return the sentence's text at the finding's span; "" if it points elsewhere."""
        if finding.start is None or finding.end is None or finding.start < self.start:
            return ""
        return self.text[finding.start - self.start : finding.end - self.start]

    def excuses(self, name: Name) -> bool:
        """Return whether question or policy excuse a name ("Ask Clearpath Assistant")."""
        allowed = self.scope.policy.allowed_names
        known = self.scope.question.holds_name(name) or _allowed(name.tokens, allowed)
        return known or (name.initial and _allowed(name.tokens[1:], allowed))


_GIVEN = tuple(each.name for each in fields(Sentence))


@dataclass(frozen=True, slots=True)
class Answer:
    """The whole answer at its close.

    `refusal` holds the refusal phrases found in it, `tags` counts its citation tags.
    """

    sentences: Sequence[Sentence]
    claims: Sequence[Sentence]
    text: str
    refusal: Sequence[str]
    tags: int = 0


def _allowed(tokens: Sequence[str], allowed: Sequence[str]) -> bool:
    return any(list(tokens) == parts_in(other.casefold()) for other in allowed)


_SPAN = attrgetter("start", "end")


def _blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    pieces, at = [], 0
    for start, end in sorted(spans):
        pieces += [text[at:start], " " * (end - max(at, start))]
        at = max(at, end)
    return "".join([*pieces, text[at:]])
