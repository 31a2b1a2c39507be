"""The figures of the fast scorer, read in one pass over a sentence and its nearest passages.

A figure depends on the sentence, its passages and question, and the answer before it: no figure
needs a later sentence, a list of words from data, or anything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log1p, sqrt
from typing import Final, NamedTuple

from streamguard.core.facts.model import Edit
from streamguard.core.facts.said import Said
from streamguard.core.index.evidence import Evidence
from streamguard.core.reading.slots import NEGATION, WHOLES
from streamguard.core.sentence import Sentence
from streamguard.text.words import content_keys

# Closed classes of words, self-written from grammar and from what advisers and summarisers say.
# Easily added without inventing a fact: advice, cause and effect, judgements, hedges, talk about
# sources, and the verbs and nouns that any text is told with. Other words state something.
_EASILY_ADDED: Final = frozenset(
    content_keys(
        """
        recommend advisable advise consider ensure sure always remember avoid professional expert
        specialist doctor physician provider guidance advice instructions manufacturer authorities
        contact check consult seek since due lead result cause allow enable help make making provide
        create prevent reduce improve important essential crucial key significant critical vital
        valuable useful helpful effective popular best better good great common easy simple ideal
        excellent perfect unique strong beneficial necessary general usually typically often
        normally frequently mostly sometimes rarely overall various different certain specific
        others perhaps possibly likely probably potentially passage given mention state information
        question answer context text source document according based explicitly directly
        specifically details implied suggest indicate get got gotten give giving gave come coming
        came take taking took taken ask need total include cost pay paid last long go goes going
        went gone put keep kept let use used using want happen become became seem way thing kind
        part case number amount lot bit look see later soon first second next finally today mean
        call known apply start end available work find found contain depend follow equal less least
        enough set run bring show shown try tried turn say said tell told think know begin leave
        left add offer serve require involve person someone anyone everyone nobody place time day
        example note point side top back order fact reason type form area level item list step able
        unlikely similar main major full whole complete particular right clear
        """.split()
    )
)
_DENIALS: Final = frozenset(
    """
    not no never none neither nor without cannot can't don't doesn't didn't isn't aren't wasn't
    weren't won't wouldn't shouldn't couldn't hasn't haven't hadn't unable lack lacks
    """.split()
)
# The first word of a sentence that sums up.
_SUMMING_UP: Final = frozenset(
    "overall therefore thus hence conclusion summary short finally general ultimately".split()
)


class FastFigure(NamedTuple):
    """One figure: its name, the group whose reason it belongs to, and its meaning with its range.

    `grows`: what its weight depends on: "late", ln(1 + statements before), "words", ln(1 + words).
    """

    name: str
    group: str
    meaning: str
    grows: str = ""


# "n of" is ln(1 + n): the tenth word says less than the first.
FIGURES: Final = (
    FastFigure("absent", "words", "n of content words in no passage that state something", "late"),
    FastFigure("common", "words", "root of its keys' mean share of sentences, 0 to 1", "late"),
    FastFigure("matched", "words", "n of its keys that the nearest unit holds"),
    FastFigure("rarest", "words", "weight of its rarest key that stands elsewhere alone", "late"),
    FastFigure("words", "length", "n of words", "words"),
    FastFigure("pairs", "copying", "share of neighbouring words that passages have so, from .4"),
    FastFigure("cited_less", "citation", "coverage lost in the passages it cites, 0 to 1"),
    FastFigure("absent_values", "values", "n of values in no passage, but casual", "late words"),
    FastFigure("other_unit", "values", "n of values that passages have with another unit"),
    FastFigure("casual", "values", "n of absent values that few would look up: two, first"),
    FastFigure("asked_values", "values", "n of values of the question alone", "late words"),
    FastFigure("elsewhere", "values", "n of values whose place fits it far less", "words"),
    FastFigure("value_lead", "values", "lead of another value over a held one, 0 to 1", "words"),
    FastFigure("rival_said", "values", "1: it says what stands in a value's place", "late"),
    FastFigure("underived", "values", "root of likeness beside a value that follows from nothing"),
    FastFigure("absent_names", "names", "n of names in no passage"),
    FastFigure("name_lead", "names", "lead of another name over a held one, 0 to 1"),
    FastFigure("exchanged", "owners", "n of what the passages tell of another owner", "late"),
    FastFigure("denied", "marks", "share in the nearest unit, if only the sentence denies"),
    FastFigure("undenied", "marks", "the same, if only the unit denies", "late"),
    FastFigure("all_new", "marks", "the same, if only the sentence says all or every", "words"),
    FastFigure("negated", "marks", "likeness of a clause that denies otherwise, 0 to 1", "late"),
    FastFigure("must_lead", "marks", "lead of clauses without must over one with it", "words"),
    FastFigure("all_lead", "marks", "lead of clauses with a part over one with all", "late"),
    FastFigure("negation", "form", "n of words that deny", "words"),
    FastFigure("summing_up", "form", "1: opens with Overall, Therefore and the like", "late"),
    FastFigure("colon", "form", "1: ends with a colon"),
    FastFigure("is_claim", "form", "1: its role is claim", "late words"),
    FastFigure("weakest_before", "answer", "largest uncovered share of a claim before", "late"),
    FastFigure("refused_before", "answer", "1: an earlier sentence refuses"),
)
WORDS: Final = [one.name for one in FIGURES].index("words")
CITED_LESS: Final = [one.name for one in FIGURES].index("cited_less")
_LEAST_PAIRS: Final = 0.4  # fewer copied neighbours say no more; hinges chosen out of fold


@dataclass(slots=True)
class AnswerSoFar:
    """What the figures of the next sentence need of those before it."""

    weakest: float = 0.0
    refused: bool = False

    def add(self, sentence: Sentence) -> None:
        """Take note of a sentence, once its own figures were read."""
        self.refused = self.refused or bool(sentence.refusals)
        if sentence.role == "claim":
            self.weakest = max(self.weakest, 1.0 - share_of(sentence))


def read_figures(
    sentence: Sentence,
    evidence: Evidence,
    edits: Sequence[Edit],
    said: Said | None,
    so_far: AnswerSoFar,
) -> list[float]:
    """Return the figures of a sentence in the order of `FIGURES`.

    `edits` are its mismatches with the passages, `said` its slots and nearest units; None where
    nothing was compared.
    """
    matched, rarest, *of_unit = _unit_figures(said)
    words = sentence.stated.words
    pairs = evidence.tokens.held_pairs(words)
    return [
        *_word_figures(sentence, evidence),
        matched,
        rarest,
        log1p(len(words)),
        max(_LEAST_PAIRS, sum(pairs) / len(pairs)) if pairs else _LEAST_PAIRS,
        lost_in_cited(sentence, evidence),
        *_value_figures(sentence, edits),
        *_name_figures(edits),
        *of_unit,
        *_mark_figures(edits),
        *_form_figures(sentence),
        so_far.weakest,
        float(so_far.refused),
    ]


def _word_figures(sentence: Sentence, evidence: Evidence) -> tuple[float, float]:
    """Return `absent` and `common`."""
    counts = [posting[0] for posting in sentence.postings]
    none, stated = counts.count(0), 0
    if none:
        stated = len(absent_keys(sentence) - _EASILY_ADDED)
    seen, sentences = max(1, len(counts) - none), max(1, len(evidence.keys))
    return log1p(stated), sqrt(sum(counts) / seen / sentences)


def absent_keys(sentence: Sentence) -> set[str]:
    """Return the sentence's content keys that no passage holds."""
    postings = zip(sentence.keys, sentence.postings, strict=True)
    return {key for key, posting in postings if not posting[0]}


def lost_in_cited(sentence: Sentence, evidence: Evidence) -> float:
    """Return how much of the coverage is lost within the passages cited by tag: `cited_less`."""
    if not sentence.keys or not sentence.cited:
        return 0.0
    whole = evidence.coverage(sentence.keys, None, sentence.postings)
    return max(0.0, (whole.share if whole else 0.0) - share_of(sentence))


def _value_figures(sentence: Sentence, edits: Sequence[Edit]) -> tuple[float, ...]:
    """Return `absent_values` to `underived`."""
    held = sentence.held
    absent = [1 for anchor, match in held if match.relation == "none" and not anchor.casual]
    values = [edit for edit in edits if edit.group == "value"]
    if not values:
        return (log1p(len(absent)), *(0.0,) * 7)
    standings = [edit.standing for edit in values]
    leads, said, best = zip(*[edit.figures for edit in values], strict=True)
    return (
        log1p(len(absent)),
        *[log1p(standings.count(each)) for each in ("otherwise", "casual", "asked")],
        log1p(len([1 for edit in values if edit.elsewhere is not None])),
        max(0.0, *leads),
        max(said),
        sqrt(max(best)),
    )


def _name_figures(edits: Sequence[Edit]) -> tuple[float, float, float]:
    """Return `absent_names` to `exchanged`."""
    if not edits:
        return 0.0, 0.0, 0.0
    names = [edit for edit in edits if edit.group == "name"]
    absent = len([1 for edit in names if edit.absent])
    exchanged = len([1 for edit in edits if edit.group == "exchange"])
    return log1p(absent), max([0.0, *[edit.lead for edit in names]]), log1p(exchanged)


def _unit_figures(said: Said | None) -> tuple[float, ...]:
    """Return `matched` and `rarest`, then `denied` to `all_new`."""
    if said is None or not said.units:
        return (0.0,) * 5
    unit, own = said.units[0], {key: weight for _, key, weight in said.content}
    keys, above, holds = unit.keys, unit.above, said.source.holds
    inside = total = rarest = 0.0
    matched = 0
    for key, weight in own.items():
        total += weight
        if key in keys:
            matched += 1
            inside += weight
        elif weight > rarest and key not in above and holds(key):
            rarest = weight
    covered = inside / (total or 1.0)
    denies, denied = NEGATION in said.keys, NEGATION in keys
    all_new = not WHOLES.isdisjoint(said.keys) and WHOLES.isdisjoint(keys)
    return (
        log1p(matched),
        rarest,
        covered * (denies and not denied),
        covered * (denied and not denies),
        covered * all_new,
    )


def _mark_figures(edits: Sequence[Edit]) -> tuple[float, float, float]:
    """Return `negated`, `must_lead` and `all_lead`: the largest of the clauses'."""
    negated = must = whole = 0.0
    for edit in edits:
        if edit.group == "polarity":
            negated = max(negated, edit.figures[1])
        elif edit.group == "modal":
            must = max(must, edit.figures[1])
        elif edit.group == "quantifier":
            whole = max(whole, edit.figures[0])
    return negated, must, whole


def _form_figures(sentence: Sentence) -> tuple[float, ...]:
    """Return `negation` to `is_claim`."""
    words = sentence.content.words
    return (
        log1p(sum(map(_DENIALS.__contains__, words))),
        float(bool(words) and words[0] in _SUMMING_UP),
        float(sentence.folded.text.rstrip().endswith(":")),
        float(sentence.role == "claim"),
    )


def share_of(sentence: Sentence) -> float:
    """Return the share of the sentence's keys, by weight, that its best window holds."""
    return sentence.coverage.share if sentence.coverage else 0.0
