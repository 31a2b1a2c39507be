"""The values a check is called with: a settled sentence, the whole answer, and the scope."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from operator import attrgetter
from typing import Any, Generic, Literal, TypeVar

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
from streamguard.text.normalise import Folded, fold, in_latin, lower_in_place
from streamguard.text.words import parts_in, words_in
from streamguard.values import Anchor, Match, read_anchors
from streamguard.values.addresses import ADDRESSES
from streamguard.values.identifiers import SIZE
from streamguard.values.value import readings_of

_NO_SUPPORT = Support(0.0, ("none of its content words is in a retrieved passage",))
# Values whose words are no names: "May", "NOK 680", "17:00 CEST".
_NAMELESS = frozenset({"date", "amount", "time", SIZE}) | ADDRESSES
_MOST_READ = MAX_COMPARED + 1  # values, names, tags of a sentence: one more than are compared

T = TypeVar("T")
_Reader = Literal["read", "look_up", "look_up_names", "judge"]
_Matches = tuple[tuple[Anchor, Match], ...]


@dataclass(frozen=True, slots=True)
class Scope:
    """All that a check may look at besides its sentence.

    `evidence` is None if retrieval is unknown; `earlier` are the sentences settled before this one,
    `question` is the question as it was read; `told` are citations that came beside the text.
    """

    context: Context
    evidence: Evidence | None
    policy: Policy
    question: Question
    earlier: Sequence[Sentence] = ()
    told: Sequence[NativeCitation] = ()


@cache
def _nowhere() -> Scope:
    return Scope(Context(), None, as_policy(None), Question(""))


@dataclass(frozen=True, slots=True)
class Judgement:
    """How a sentence compares with the passages.

    `edits` are its mismatches with its nearest passages; once its checks have run, those of values
    that no passage holds, which later sentences may be computed from. `support` is the score of
    `fast`, `doubt` how likely something in it is wrong; None if scoring failed, and of a sentence
    that is not judged in full.
    """

    edits: Sequence[Edit] = ()
    support: Support | None = None
    doubt: Doubt | None = None


class SentencePart(Generic[T]):
    """An attribute that `Sentence.read`, `look_up` or `judged` gives.

    Of a sentence that was not read yet it is read each time somebody asks, and not kept.
    """

    def __init__(self, reader: _Reader, doc: str) -> None:
        self._reader, self.__doc__ = reader, doc

    def __set_name__(self, owner: type, name: str) -> None:
        """Note under which name the sentence has it."""
        self._name = name

    def __get__(self, instance: Any, owner: type) -> T:
        """Return the attribute of a sentence without it, or this when asked of the class."""
        if instance is None:
            return self  # type: ignore[return-value]
        found: T = getattr(instance, self._reader)().__dict__[self._name]
        return found


@dataclass(frozen=True)
class Sentence(Plain):
    """One settled sentence: its place in the answer (half-open, code points) and its text.

    `rank` counts what the answer states before it: greetings, headings and the like are nothing.
    `language` is None if it is judged in full; else it is not English, or its passages are not, and
    only values, identifiers and citations are compared. `judgement` is None where nothing is
    scored.

    A check is given the sentence with all that is read from it and looked up in the passages. Of
    an earlier sentence that is read anew each time it is asked for: ask once, or `look_up` first.
    Spans of `anchors`, `names` and `citations` count from the start of `folded.text`; `finding`
    maps them into the answer.
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
    judgement: Judgement | None = field(default=None, repr=False, compare=False)

    # What `read` gives, in its order.
    folded = SentencePart[Folded](
        "read", "The text as phrases and values are matched on: NFKC, plain quotes and dashes."
    )
    marks = SentencePart[ReadMarks]("read", "Citation marks of any form; of very many the first.")
    citations = SentencePart[tuple[Citation, ...]](
        "read", "Citation tags; the context's chunk ids count too. Of very many the first."
    )
    prose = SentencePart[str](
        "read", "The folded text with its citation marks blanked: same length, same offsets."
    )
    anchors = SentencePart[tuple[Anchor, ...]](
        "read", "Amounts, numbers, dates and the like, from left to right; of very many the first."
    )
    names = SentencePart[tuple[Name, ...]](
        "read",
        'Proper nouns; months of dates, currencies, the unit of "1,500 MB" and code are none. '
        "They are told by their capitals: empty in other languages than English.",
    )
    refusals = SentencePart[tuple[roles.Refusal, ...]](
        "read",
        "Refusal phrases, and the leading refusal of an answer's first sentence. "
        "Empty under literal matching, which looks for phrases in the whole answer at its close.",
    )
    role = SentencePart[roles.Role](
        "read", "The sentence's role: a claim, or one of the roles that claim nothing."
    )
    is_claim = SentencePart[bool](
        "read",
        "Whether it states something that needs evidence; under literal matching refusals do.",
    )
    plain = SentencePart[str](
        "read", "The prose with talk about the sources blanked: same length, same offsets."
    )
    # What `look_up` gives.
    content = SentencePart[Content]("look_up", "Word tokens and content keys, citations left out.")
    stated = SentencePart[Content](
        "look_up", "The statement of the sentence: its content without talk about the sources."
    )
    keys = SentencePart[tuple[str, ...]](
        "look_up", "Distinct content keys of the statement, in order: stems, and values as `#49`."
    )
    postings = SentencePart[Sequence[Posting]](
        "look_up", "Where the chunks hold each of its keys; empty without chunks."
    )
    held = SentencePart[tuple[tuple[Anchor, Match], ...]](
        "look_up", "Every anchor with what the chunks hold of its value as it stands."
    )
    derived = SentencePart[Mapping[int, Edit]](
        "look_up", "Values that follow from others, by the anchor's start."
    )
    reckonable = SentencePart[frozenset[int]](
        "look_up", "The starts of values that follow from others, or may in several steps."
    )
    matches = SentencePart[tuple[tuple[Anchor, Match], ...]](
        "look_up",
        "Every anchor with what the chunks say of its value; empty without chunks. A value that "
        'follows from others counts as theirs, one of the question\'s is "given" unless the '
        "sentence gives it as an answer.",
    )
    unknown_names = SentencePart[tuple[tuple[Name, NameMatch], ...]](
        "look_up_names", "The names that neither a chunk nor the question nor the policy holds."
    )
    cited = SentencePart[frozenset[int]](
        "look_up",
        "Numbers of the chunks the sentence cites; the caller's list stands for every sentence.",
    )
    coverage = SentencePart[Coverage | None](
        "look_up",
        "Best evidence in the cited chunks, in all chunks where none is cited. A sentence without "
        'words of its own ("No, you don\'t.", "€12.") counts with the question\'s words, as long '
        "as the passages hold its values. None without chunks, and where no chunk holds any of the "
        "content.",
    )
    # What `judged` gives.
    edits = SentencePart[Sequence[Edit]](
        "judge", "Mismatches between this sentence and its nearest passages."
    )
    doubt = SentencePart[Doubt | None](
        "judge", "How likely something in it is wrong; None if nothing was scored."
    )
    doubted = SentencePart[float](
        "judge",
        "The probability in [0, 1] that something in it is wrong; 0.0 where nothing was scored.",
    )
    support = SentencePart[Support | None](
        "judge", "The support score; None without chunks or English."
    )

    def to_dict(self) -> dict[str, Any]:
        """Return place, text and kind, and whether it is a claim, as JSON values."""
        names = ("index", "start", "end", "text", "kind", "is_claim")
        return {name: getattr(self, name) for name in names}

    def read(self) -> Sentence:
        """Return the sentence with what its text says, from `folded` to `plain`."""
        if "plain" in self.__dict__:
            return self
        scope, is_code, text = self.scope, self.kind == "code", self.text
        policy, question, evidence = scope.policy, scope.question, scope.evidence
        folded = fold(text)
        text = folded.text
        lowered = lower_in_place(text)
        marks = ReadMarks() if is_code else _marks_in(text, evidence)
        prose = _blanked(text, marks.spans) if marks.spans else text
        anchors = _as_held(read_anchors(prose, _MOST_READ), evidence)
        is_english = not is_code and self.language is None
        names = _names_in(prose, anchors) if is_english else ()
        refusals = () if policy.matching == "literal" else self._refusals_in(text, lowered)
        figure = value = False
        for anchor in anchors:
            if anchor.key not in question.values:
                figure = value = True
                break
        else:
            for name in names:
                value = value or not question.holds_name(name)
        refusing = bool(refusals) and roles.refuses(text, refusals)
        role = roles.role_of(
            text,
            self.kind,
            refusing=refusing,
            has_value=value,
            has_figure=figure,
            lowered=lowered,
        )
        plain = without_talk(prose, lowered if prose is text else None)
        return _with(
            self,
            folded=folded,
            marks=marks,
            citations=marks.citations,
            prose=prose,
            anchors=anchors,
            names=names,
            refusals=refusals,
            role=role,
            is_claim=self.promoted or role == "claim" or self.refuses_literally,
            plain=plain,
        )

    def _refusals_in(self, text: str, lowered: str) -> tuple[roles.Refusal, ...]:
        policy = self.scope.policy
        if policy.fold_look_alikes and not text.isascii():
            text = in_latin(text)
            lowered = lower_in_place(text)
        found = roles.find_refusals(text, policy.refusal_phrases, lowered)
        if not found and self.language in REFUSALS:
            found = roles.find_refusals(text, REFUSALS[self.language], lowered)
        if not found and self.leading and policy.leading_refusals:
            found = [lead] if (lead := roles.leading_refusal(text)) else []
        return tuple(found)

    def look_up(self) -> Sentence:
        """Return the sentence as it is read, with what the passages hold of it."""
        if "coverage" in self.__dict__:
            return self
        read, evidence = self.read(), self.scope.evidence
        anchors, cited = read.anchors, frozenset[int]()
        content = stated = content_of(read.prose, anchors)
        if read.plain != read.prose:
            stated = _stated(read, content)
        keys = tuple(dict.fromkeys(stated.keys))
        derived, reckonable = _values_of(self.judgement)
        held: _Matches = ()
        matches: _Matches = ()
        postings, coverage = list[Posting](), None
        if evidence is not None:
            postings, cited = evidence.keys.of(keys), self._cited_in(evidence, read.citations)
            held = matches = tuple([(anchor, evidence.find_anchor(anchor)) for anchor in anchors])
            if self.scope.policy.matching != "literal":
                matches = self._excused(held, derived)
            coverage = self._coverage_in(evidence, keys, postings, cited, matches)
        # Nothing that was read changes: the sentence only has more of what can be asked of it.
        read.__dict__.update(
            content=content,
            stated=stated,
            keys=keys,
            postings=postings,
            held=held,
            derived=derived,
            reckonable=reckonable,
            matches=matches,
            unknown_names=self._unknown(read.names),
            cited=cited,
            coverage=coverage,
        )
        return read

    def citing(self, cited: frozenset[int]) -> Sentence:
        """Return the sentence as it is looked up, as if its tags meant the passages `cited`."""
        now, evidence = self.look_up(), self.scope.evidence
        assert evidence is not None  # there are passages to cite
        coverage = self._coverage_in(evidence, now.keys, now.postings, cited, now.matches)
        return _with(now, cited=cited, coverage=coverage)

    def look_up_names(self) -> Sentence:
        """Return the sentence as it is read, with its `unknown_names`."""
        read = self.read()
        return _with(read, unknown_names=self._unknown(read.names))

    def _unknown(self, names: Sequence[Name]) -> tuple[tuple[Name, NameMatch], ...]:
        evidence = self.scope.evidence
        if evidence is None or not names:
            return ()
        found = [(name, evidence.find_name(name)) for name in names]
        return tuple([one for one in found if not (one[1].found or self.excuses(one[0]))])

    def _excused(self, held: _Matches, derived: Mapping[int, Edit]) -> _Matches:
        """Return every value with what the chunks say of it, or what excuses it."""
        if all(match.relation == "same" for _, match in held):
            return held
        asked = self.scope.question.values
        edits = self.judgement.edits if self.judgement is not None else ()
        slots = [edit.slot for edit in edits if edit.standing in WARNED]
        warned = {slot.anchor.start for slot in slots if slot and slot.anchor}
        found: list[tuple[Anchor, Match]] = []
        for anchor, match in held:
            relation = match.relation
            if relation != "same" and anchor.start in derived:
                relation = "same"
            elif relation == "none" and anchor.key in asked and anchor.start not in warned:
                relation = "given"
            same = relation == match.relation
            found.append((anchor, match if same else replace(match, relation=relation)))
        return tuple(found)

    def _cited_in(self, evidence: Evidence, tags: Sequence[Citation]) -> frozenset[int]:
        scope, numbers = self.scope, evidence.chunk_numbers
        listed = scope.context.citations
        if not tags and listed is None and not scope.told:
            return frozenset()
        labels = [tag.label for tag in tags] if listed is None else [*listed]
        if listed is None and scope.told:
            for cited in self.told_citations:  # the first of its names that a passage has
                labels += [name for name in cited.names if numbers(name)][:1]
        return frozenset([number for label in labels for number in numbers(label)])

    def _coverage_in(
        self,
        evidence: Evidence,
        keys: Sequence[str],
        postings: Sequence[Posting],
        cited: frozenset[int],
        matches: _Matches,
    ) -> Coverage | None:
        literal = self.scope.policy.matching == "literal"
        chunks = cited if cited or literal else None
        found = evidence.coverage(keys, chunks, postings)
        if found is not None or literal or any(key[0] != "#" for key in keys):
            return found
        stands = all(match.stands or anchor.casual for anchor, match in matches)
        return evidence.coverage(self.scope.question.keywords, chunks) if stands else None

    def judged(self, judgement: Judgement | None) -> Sentence:
        """Return the sentence with its judgement, and all that was read from it."""
        edits: Sequence[Edit] = ()
        support, doubt = None, None
        if judgement is not None:
            edits, support, doubt = judgement.edits, judgement.support, judgement.doubt
            # A fragment that became a claim has no wording to be judged by.
            if self.promoted and self.language is None and self.coverage is None:
                support = _NO_SUPPORT
        doubted = 0.0 if doubt is None else probability(doubt.risk)
        return _with(
            self, judgement=judgement, edits=edits, support=support, doubt=doubt, doubted=doubted
        )

    def judge(self) -> Sentence:
        """Return the sentence with the parts of its judgement."""
        return self.judged(self.judgement)

    def as_claim(self) -> Sentence:
        """Return the sentence as a claim, as short answers without claims are judged by it."""
        return replace(self, promoted=True)

    def without_readings(self, judgement: Judgement | None) -> Sentence:
        """Return the sentence with this judgement, and nothing that was read from it."""
        return Sentence(
            self.index,
            self.start,
            self.end,
            self.text,
            self.kind,
            self.leading,
            self.promoted,
            self.scope,
            self.rank,
            self.language,
            judgement,
        )

    @property
    def has_more(self) -> bool:
        """Whether it holds more values, names or tags than are read."""
        if len(self.text) <= MAX_COMPARED or self.kind == "code":
            return False
        read = self.read()
        return max(len(read.anchors), len(read.names), len(read.citations)) > MAX_COMPARED

    @property
    def span(self) -> tuple[int, int]:
        """Start and end in the answer."""
        return self.start, self.end

    @property
    def amounts(self) -> tuple[Anchor, ...]:
        """Amounts of money."""
        return tuple(anchor for anchor in self.anchors if anchor.kind == "amount")

    @property
    def unread_text(self) -> tuple[UnreadText, ...]:
        """Text in it that looks like a value, a citation or a table's head and was not read."""
        if self.kind == "code":
            return ()
        read, evidence = self.read(), self.scope.evidence
        held = evidence.writes if evidence else _holds_nothing
        found = find_unread_text(read.prose, self.kind, read.anchors, read.marks, held)
        told = self._untold if self.scope.told else ()
        if not (found or told):
            return ()
        places = [(read.place(start, end), kind) for start, end, kind in found]
        return (*told, *(UnreadText(at.start, at.end, kind) for at, kind in places))

    @property
    def told_citations(self) -> Sequence[NativeCitation]:
        """Citations of the sentence, or of a part of it, that came beside the text."""
        told = self.scope.told
        return [each for each in told if each.start < self.end and self.start < each.end]

    @property
    def may_rest_elsewhere(self) -> bool:
        """Whether it cites, beside the text, a page or a file that nobody shows."""
        return bool(self.scope.told and self._untold)

    @property
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

    @property
    def refuses_literally(self) -> bool:
        """Whether, under literal matching, the sentence holds a refusal phrase."""
        policy = self.scope.policy
        return policy.matching == "literal" and roles.is_refusal(self.text, policy)

    @property
    def amount_matches(self) -> tuple[tuple[Anchor, Match], ...]:
        """Every amount with what the chunks hold of it as it stands."""
        evidence = self.scope.evidence
        return tuple((one, evidence.find_anchor(one)) for one in self.amounts) if evidence else ()

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


def _with(sentence: Sentence, **parts: Any) -> Sentence:
    """Return the sentence with these parts of it."""
    found = object.__new__(Sentence)
    object.__setattr__(found, "__dict__", sentence.__dict__ | parts)
    return found


def _stated(read: Sentence, content: Content) -> Content:
    """Return the content without talk; where it only leads the sentence, no word is read again."""
    prose, plain, anchors = read.prose, read.plain, read.anchors
    begin = len(plain) - len(plain.lstrip())
    lead, rest = prose[:begin], prose[begin:]
    is_parted = lead[-1:] == " " or rest[:1] == ","
    has_value = bool(anchors) and anchors[0].start < begin
    if is_parted and not has_value and plain[begin:] == rest and lead.isascii():
        return content.behind(len(words_in(lead)))
    return content_of(plain, anchors)


def _marks_in(text: str, evidence: Evidence | None) -> ReadMarks:
    if evidence is None:
        return read_marks(text, most=_MOST_READ)
    known = evidence.folded_labels, len(evidence.chunks), evidence.brackets.hold
    return read_marks(text, *known, _MOST_READ)


def _as_held(anchors: tuple[Anchor, ...], evidence: Evidence | None) -> tuple[Anchor, ...]:
    """Return the values, each of several readings in the one that the passages hold, if any.

    Addresses of the passages themselves are no values of theirs.
    """
    if evidence is None or not any(one.shifts or one.unit in ADDRESSES for one in anchors):
        return anchors
    anchors = tuple(
        one for one in anchors if one.unit not in ADDRESSES or not evidence.chunk_numbers(one.text)
    )
    several = [number for number, one in enumerate(anchors) if one.shifts]
    found = list(anchors)
    for number in several:
        first, *others = readings_of(anchors[number])
        if evidence.find_anchor(first).relation != "same":
            held = (one for one in others if evidence.find_anchor(one).relation == "same")
            found[number] = next(held, anchors[number])
    return tuple(found)


def _names_in(prose: str, anchors: Sequence[Anchor]) -> tuple[Name, ...]:
    dates = [_SPAN(one) for one in anchors if not _NAMELESS.isdisjoint((one.kind, one.unit))]
    dates += [_with_label(prose, one) for one in anchors if one.label and one.number is None]
    found = read_names(_blanked(prose, dates) if dates else prose, _MOST_READ)
    if not found:
        return ()
    # The unit of "4 GB EU roaming" is no part of the name behind it.
    starts = {name.start for name in found}
    quantities = (anchor for anchor in anchors if anchor.kind == "quantity")
    units = [one for one in quantities if not starts.isdisjoint(range(one.start, one.end))]
    if not units:
        return found
    return read_names(_blanked(prose, (*dates, *map(_SPAN, units))), _MOST_READ)


def _with_label(prose: str, anchor: Anchor) -> tuple[int, int]:
    """Return the span of an article's part with its label: "Art. 6(1)"."""
    return prose.rfind(" ", 0, max(0, anchor.start - 1)) + 1, anchor.end


def _values_of(judgement: Judgement | None) -> tuple[dict[int, Edit], frozenset[int]]:
    """Return `derived` and `reckonable` of a sentence."""
    derived: dict[int, Edit] = {}
    reckonable: set[int] = set()
    for edit in judgement.edits if judgement is not None else ():
        if edit.slot is not None and edit.slot.anchor is not None:
            if edit.derivation is not None:
                derived[edit.slot.anchor.start] = edit
            if edit.standing in ("reckoned", "alone"):
                reckonable.add(edit.slot.anchor.start)
    return derived, frozenset(reckonable)


_SPAN = attrgetter("start", "end")


def _blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    pieces, at = [], 0
    for start, end in sorted(spans):
        pieces += [text[at:start], " " * (end - max(at, start))]
        at = max(at, end)
    return "".join([*pieces, text[at:]])


def _holds_nothing(written: str) -> bool:
    return False
