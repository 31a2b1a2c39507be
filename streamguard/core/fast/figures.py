"""The figures of the fast scorer, read in one pass over a sentence and its nearest passages.

A figure depends on the sentence, its passages and question, and the answer before it: no figure
needs a later sentence, a list of words from data, or anything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log1p
from typing import Final, NamedTuple

from streamguard.core.facts.model import Edit, Group
from streamguard.core.facts.said import Said
from streamguard.core.index.evidence import Evidence
from streamguard.core.reading.slots import NEGATION, WHOLES
from streamguard.core.sentence import Sentence

# Closed classes of words, self-written from grammar and from what advisers and summarisers say.
# Easily added without inventing a fact: advice, cause and effect, judgements, hedges, talk about
# sources, and the verbs and nouns that any text is told with. Other words state something.
_EASILY_ADDED: Final = frozenset(
    """
    should recommended recommend recommends advisable advise advised consider ensure sure always
    remember avoid professional expert specialist doctor physician provider guidance advice
    instructions manufacturer authorities contact check consult consulting seek because since due
    thus therefore hence so leading leads lead result results resulting cause causes causing allow
    allows allowing enable enables enabling help helps helping make makes making ensures ensuring
    provide provides providing create creates creating prevent prevents preventing reduce reduces
    reducing improve improves improving important essential crucial key significant critical vital
    valuable useful helpful effective popular best better good great common easy simple ideal
    excellent perfect unique strong beneficial necessary generally usually typically often commonly
    normally frequently mostly sometimes rarely overall various several many different certain
    specific other others may might could perhaps possibly likely probably potentially passage
    passages provided given mention mentions mentioned state states stated information question
    answer context text source sources document documents according based explicitly directly
    specifically details implied suggests suggest indicate indicates get gets getting got gotten
    give gives giving gave come comes coming came take takes taking took taken ask asks asked asking
    need needs needed total include includes included including cost costs pay pays paying paid last
    lasts lasting long go goes going went gone put keep keeps kept let use uses used using want
    wants happen happens become becomes became seem seems way ways thing things kind kinds part
    parts case cases number amount lot lots bit look looks see later soon first second next finally
    today mean means meaning called known apply applies start starts end ends available work works
    working find finds found contain contains depend depends depending follow follows following
    equal equals less least enough set sets run runs bring brings show shows shown try tries tried
    turn turns call calls say says said tell tells told think know knows begin begins leave leaves
    left add adds added offer offers offered serve serves require requires required involve involves
    involved person people someone anyone everyone nobody place time times day days example examples
    note point points side top back order fact reason type types form area level item items list
    step steps able unlikely similar same general main major full whole complete particular right
    clear
    """.split()
)
_DENIALS: Final = frozenset(
    """
    not no never none neither nor without cannot can't don't doesn't didn't isn't aren't wasn't
    weren't won't wouldn't shouldn't couldn't hasn't haven't hadn't unable lack lacks
    """.split()
)
# "The passages do not mention a price": both kinds of words in one sentence.
_DENYING: Final = frozenset("not no doesn't don't didn't isn't aren't unable cannot never".split())
_TELLING: Final = frozenset(
    """
    mention mentions mentioned provide provides provided specify specified information state
    states stated contain contains explicitly details answer instructions guidance say says
    """.split()
)
# The first word of a sentence that sums up.
_SUMMING_UP: Final = frozenset(
    "overall therefore thus hence conclusion summary short finally general ultimately".split()
)
# Words that make a statement conditional, or take something out of it.
_CONDITIONS: Final = frozenset(
    (
        "if unless until except excluding only provided when whenever where otherwise apart subject"
    ).split()
)


class FastFigure(NamedTuple):
    """One figure: its name, the group whose reason it belongs to, and its meaning with its range.

    Of a count (`is_count`) the figure is ln(1 + n): the tenth word says less than the first.
    """

    name: str
    group: str
    is_count: bool
    meaning: str


FIGURES: Final = (
    FastFigure("absent", "words", True, "content words in no passage that state something"),
    FastFigure(
        "absent_new", "words", True, "content keys neither in a passage nor in the question"
    ),
    FastFigure("begins_absent", "words", False, "1: its first content key is in no passage"),
    FastFigure("ends_absent", "words", False, "1: its last content key is in no passage"),
    FastFigure(
        "asked", "words", False, "share of its content keys that the question holds, 0 to 1"
    ),
    FastFigure("coverage", "words", False, "share of its keys' weight in the best window, 0 to 1"),
    FastFigure("gap", "words", True, "longest run of keys outside the best window"),
    FastFigure("common", "words", False, "mean share of the passages' sentences that hold a key"),
    FastFigure("words", "copying", True, "its words"),
    FastFigure(
        "pairs", "copying", False, "share of its neighbouring words that stand so in passages"
    ),
    FastFigure("cited_less", "citation", False, "coverage lost in the passages it cites, 0 to 1"),
    FastFigure("absent_values", "values", True, "values in no passage, those in letters left out"),
    FastFigure("other_unit", "values", True, "values that passages have with another unit"),
    FastFigure("alone", "values", True, "absent values that nothing is near"),
    FastFigure("casual", "values", True, "absent values that few would look up: two, first"),
    FastFigure("asked_values", "values", True, "values of the question alone"),
    FastFigure("value_elsewhere", "values", True, "values whose place fits the sentence far less"),
    FastFigure("value_lead", "values", False, "lead of another value over a held one, -1 to 1"),
    FastFigure(
        "rival_said", "values", False, "1: the sentence says what stands in a value's place"
    ),
    FastFigure("absent_rival", "values", False, "likeness of the rival of an absent value, 0 to 1"),
    FastFigure("underived", "values", False, "likeness beside a value that follows from nothing"),
    FastFigure("absent_names", "names", True, "names in no passage"),
    FastFigure("name_lead", "names", False, "lead of another name over a held one, -1 to 1"),
    FastFigure("exchanged", "owners", True, "what the passages tell of another owner"),
    FastFigure("agreed", "owners", True, "what the passages tell of the same owner"),
    FastFigure("matched", "words", True, "its keys that the nearest unit holds"),
    FastFigure(
        "returned", "words", False, "share of the nearest unit's keys that it holds, 0 to 1"
    ),
    FastFigure("rarest_out", "words", False, "weight of its rarest key outside the nearest unit"),
    FastFigure("rarest_elsewhere", "words", False, "the same of the keys that a passage holds"),
    FastFigure("denied", "marks", False, "coverage, if it denies and the nearest unit does not"),
    FastFigure("undenied", "marks", False, "coverage, if the nearest unit denies and it does not"),
    FastFigure("all_new", "marks", False, "coverage, if it says all, every, only and the unit not"),
    FastFigure("negation_other", "marks", False, "likeness of such a nearest clause, 0 to 1"),
    FastFigure("modal_lead", "marks", False, "lead of clauses with another modal over its own"),
    FastFigure("modal_other", "marks", False, "likeness of such a nearest clause, 0 to 1"),
    FastFigure("must_lead", "marks", False, "the lead, where the clause says must"),
    FastFigure("all_lead", "marks", False, "lead of clauses with a part over one with all"),
    FastFigure("denies", "denial", False, "1: says that the sources do not tell something"),
    FastFigure("denies_covered", "denial", False, "the same, times its share in the nearest unit"),
    FastFigure("negation", "form", True, "words that deny"),
    FastFigure("says_all", "form", False, "1: it says all, every, only or the like"),
    FastFigure("conditions", "form", True, "words that make a condition"),
    FastFigure("summing_up", "form", False, "1: opens with Overall, Therefore and the like"),
    FastFigure("brackets", "form", True, "opening brackets"),
    FastFigure("colon", "form", False, "1: ends with a colon"),
    FastFigure("characters", "form", True, "characters of the sentence"),
    FastFigure("is_claim", "form", False, "1: its role is claim"),
    FastFigure("weakest_before", "answer", False, "largest uncovered share of an earlier claim"),
    FastFigure("refused_before", "answer", False, "1: an earlier sentence refuses"),
)
_MARKED: Final[tuple[Group, ...]] = ("polarity", "modal", "quantifier")
_NO_UNIT: Final = (0.0,) * 8


@dataclass(slots=True)
class AnswerSoFar:
    """What the figures of the next sentence need of those before it."""

    weakest: float = 0.0
    refused: bool = False

    def add(self, sentence: Sentence) -> None:
        """Take note of a sentence, once its own figures were read."""
        self.refused = self.refused or bool(sentence.refusals)
        if sentence.role == "claim":
            self.weakest = max(self.weakest, 1.0 - _share(sentence))


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
    words = sentence.content.words
    denies = float(not (_DENYING.isdisjoint(words) or _TELLING.isdisjoint(words)))
    near = _NO_UNIT if said is None or not said.units else _unit_figures(said)
    *of_unit, covered = near
    return [
        *_word_figures(sentence),
        *_window_figures(sentence, evidence),
        *_copying_figures(sentence, evidence),
        _lost_in_cited(sentence, evidence),
        *_value_figures(sentence, edits),
        *_name_figures(edits),
        *_owner_figures(said, edits),
        *of_unit,
        *_mark_figures(edits),
        denies,
        denies * covered,
        *_form_figures(sentence, said),
        so_far.weakest,
        float(so_far.refused),
    ]


def _word_figures(sentence: Sentence) -> tuple[float, ...]:
    """Return `absent` to `asked`."""
    keys, question = sentence.keys, sentence.scope.question.keys
    if not keys:
        return (0.0,) * 5
    share = sum(map(question.__contains__, keys)) / len(keys)
    absent = _absent_keys(sentence)
    if not absent:
        return 0.0, 0.0, 0.0, 0.0, share
    return (
        log1p(sum([word not in _EASILY_ADDED for word in _first_words(absent, sentence)])),
        log1p(len(absent.difference(question))),
        float(keys[0] in absent),
        float(keys[-1] in absent),
        share,
    )


def absent_words(sentence: Sentence) -> list[str]:
    """Return the first word of each content key that no passage holds."""
    return _first_words(_absent_keys(sentence), sentence)


def _absent_keys(sentence: Sentence) -> set[str]:
    postings = sentence.postings
    return {key for key, one in zip(sentence.keys, postings, strict=True) if not one[0]}


def _first_words(keys: set[str], sentence: Sentence) -> list[str]:
    """Return the first word of each of some content keys, in the order of the sentence."""
    stated, found = sentence.stated, dict[str, str]()
    for key, place in zip(stated.keys, stated.places, strict=True):
        if key in keys and key not in found:
            found[key] = stated.words[place]
    return [*found.values()]


def _window_figures(sentence: Sentence, evidence: Evidence) -> tuple[float, ...]:
    """Return `coverage`, `gap` and `common`."""
    inside = evidence.keys_in(sentence.coverage)
    held = seen = gap = longest = 0
    for key, posting in zip(sentence.keys, sentence.postings, strict=True):
        df = posting[0]
        held += df
        seen += df > 0
        if key in inside:
            gap = 0
        else:
            gap += 1
            longest = max(gap, longest)
    common = held / max(1, seen) / max(1, len(evidence.keys))
    return _share(sentence), log1p(longest), common


def _copying_figures(sentence: Sentence, evidence: Evidence) -> tuple[float, float]:
    words = sentence.stated.words
    pairs = evidence.tokens.held_pairs(words)
    return log1p(len(words)), sum(pairs) / max(1, len(pairs))


# Their figures depend on which passages a sentence cites.
CITING: Final = ("coverage", "gap", "cited_less")


def read_citing_figures(sentence: Sentence, evidence: Evidence) -> tuple[float, ...]:
    """Return the figures of `CITING`."""
    return (*_window_figures(sentence, evidence)[:2], _lost_in_cited(sentence, evidence))


def _lost_in_cited(sentence: Sentence, evidence: Evidence) -> float:
    """Return how much of the coverage is lost within the passages cited by tag."""
    if not sentence.keys or not sentence.cited:
        return 0.0
    whole = evidence.coverage(sentence.keys, None, sentence.postings)
    return max(0.0, (whole.share if whole else 0.0) - _share(sentence))


def _value_figures(sentence: Sentence, edits: Sequence[Edit]) -> tuple[float, ...]:
    """Return `absent_values` to `underived`."""
    unmet = [match.relation == "none" and not anchor.casual for anchor, match in sentence.held]
    values = [edit for edit in edits if edit.group == "value"]
    if not values:
        return (log1p(sum(unmet)), *(0.0,) * 9)
    standings = [edit.standing for edit in values]
    leads, said, rivals, best = zip(*[edit.figures for edit in values], strict=True)
    return (
        log1p(sum(unmet)),
        *[log1p(standings.count(each)) for each in ("otherwise", "alone", "casual", "asked")],
        log1p(sum([edit.elsewhere is not None for edit in values])),
        max(leads),
        max(said),
        max(rivals),
        max(best),
    )


def _name_figures(edits: Sequence[Edit]) -> tuple[float, float]:
    """Return `absent_names` and `name_lead`."""
    names = [edit for edit in edits if edit.group == "name"]
    absent = sum([edit.absent for edit in names])
    return log1p(absent), max([edit.lead for edit in names], default=0.0)


def _owner_figures(said: Said | None, edits: Sequence[Edit]) -> tuple[float, float]:
    pairings = said.pairings if said is not None else None
    if not pairings:
        return 0.0, 0.0
    exchanged = sum([edit.group == "exchange" for edit in edits])
    return log1p(exchanged), log1p(sum([one.agrees for one in pairings.values()]))


def _unit_figures(said: Said) -> tuple[float, ...]:
    """Return `matched` to `all_new`, and the share of the weight that the nearest unit holds."""
    unit, own = said.units[0], {key: weight for _, key, weight in said.content}
    keys, above, holds = unit.keys, unit.above, said.source.holds
    inside = total = rarest = elsewhere = 0.0
    matched = 0
    for key, weight in own.items():
        total += weight
        if key in keys:
            matched += 1
            inside += weight
        elif key not in above:
            rarest = max(weight, rarest)
            if weight > elsewhere and holds(key):
                elsewhere = weight
    covered = inside / (total or 1.0)
    denies, denied = NEGATION in said.keys, NEGATION in keys
    says_all, unit_says_all = not WHOLES.isdisjoint(said.keys), not WHOLES.isdisjoint(keys)
    return (
        log1p(matched),
        matched / len(keys),
        rarest,
        elsewhere,
        covered * (denies and not denied),
        covered * (denied and not denies),
        covered * (says_all and not unit_says_all),
        covered,
    )


def _mark_figures(edits: Sequence[Edit]) -> tuple[float, ...]:
    """Return `negation_other` to `all_lead`: the largest of the clauses'."""
    marked = [edit for edit in edits if edit.group in _MARKED]
    if not marked:
        return (0.0,) * 5
    leads = dict.fromkeys(_MARKED, 0.0)
    others, must = dict(leads), 0.0
    for group, *_, figures in [edit[:6] for edit in marked]:
        leads[group] = max(leads[group], figures[0])
        if group != "quantifier":
            others[group] = max(others[group], figures[1])
        if group == "modal":
            must = max(must, figures[2])
    modal = leads["modal"], others["modal"], must
    return others["polarity"], *modal, leads["quantifier"]


def _form_figures(sentence: Sentence, said: Said | None) -> tuple[float, ...]:
    """Return `negation` to `is_claim`."""
    words, text = sentence.content.words, sentence.folded.text
    return (
        log1p(sum(map(_DENIALS.__contains__, words))),
        float(said is not None and not WHOLES.isdisjoint(said.keys)),
        log1p(sum(map(_CONDITIONS.__contains__, words))),
        float(bool(words) and words[0] in _SUMMING_UP),
        log1p(text.count("(")),
        float(text.rstrip().endswith(":")),
        log1p(len(sentence.text)),
        float(sentence.role == "claim"),
    )


def _share(sentence: Sentence) -> float:
    coverage = sentence.coverage
    return coverage.share if coverage else 0.0
