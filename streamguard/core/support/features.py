"""The figures of the support score: two dozen, read from one sentence in one pass.

A figure says how far the sentence's words, neighbours, figures and names are in the chunks, the
sentence's role, and the sentences before it. None needs a later sentence, a word list from data or
anything outside the context at hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from streamguard.core.index.content import Posting
from streamguard.core.index.evidence import Coverage, Evidence
from streamguard.core.sentence import Sentence
from streamguard.text.words import words_in

_LONG: Final = 9  # letters of a word that is likely rare; guess, half as long again as the mean
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
# Words for the reader and the speaker, and words that deny.
_YOU: Final = frozenset("you your yours you'll you're we our ours us i".split())
_NEGATION: Final = frozenset(
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
# What opens a sentence that sums up.
_SUMMING_UP: Final = frozenset(
    "overall therefore thus hence conclusion summary short finally general ultimately".split()
)


class Feature(NamedTuple):
    """One figure: its name, its reason's number, and its meaning with its range.

    `is_count`: the score takes its logarithm as well, since the tenth uncovered word says less
    than the first.
    """

    name: str
    group: str
    is_count: bool
    meaning: str


FEATURES: Final = (
    Feature("keys", "words", True, "distinct content keys the sentence states, from 0"),
    Feature("held", "words", False, "IDF-weighted share of the keys that some chunk holds, 0 to 1"),
    Feature("held_alike", "words", False, "the same, a common beginning of 5 letters being enough"),
    Feature("absent_plain", "words", True, "content words in no chunk that state something"),
    Feature("absent_new", "words", True, "content keys neither in a chunk nor in the question"),
    Feature("absent_long", "words", True, f"of the absent content words those of {_LONG} letters"),
    Feature("absent_words", "words", True, "words, small ones too, that no chunk uses"),
    Feature("absent_at", "words", False, "where the longest absent run begins, 0 to 1; 1: none"),
    Feature("elsewhere", "window", True, "IDF of the keys held only outside the best window"),
    Feature("gap", "window", True, "longest run of keys outside the best window"),
    Feature("common", "window", False, "mean share of the chunks' sentences that hold a key"),
    Feature("copied", "copying", True, "words of the longest row that runs so in the chunks"),
    Feature("anchors", "figures", True, "figures, amounts, dates and the like"),
    Feature("absent_figures", "figures", True, "of them those that no chunk holds"),
    Feature("absent_names", "names", True, "absent content words with a capital letter"),
    Feature("elsewhere_cited", "citation", False, "coverage lost in the passages it cites, 0 to 1"),
    Feature("denies", "denial", False, "1: says that the sources do not tell something"),
    Feature("summing_up", "form", False, "1: opens with Overall, Therefore and the like"),
    Feature("you", "form", True, "words for the reader and the speaker"),
    Feature("negation", "form", True, "words that deny"),
    Feature("brackets", "form", True, "opening brackets"),
    Feature("colon", "form", False, "1: ends with a colon"),
    Feature("characters", "form", True, "characters of the sentence"),
    Feature("is_item", "form", False, "1: a list item"),
    Feature("is_claim", "form", False, "1: its role is claim"),
    Feature("weakest_before", "answer", False, "largest uncovered share of an earlier claim"),
    Feature("refused_before", "answer", False, "1: an earlier sentence refuses"),
)
COUNTS: Final = tuple(number for number, one in enumerate(FEATURES) if one.is_count)


@dataclass(slots=True)
class Told:
    """The sentences so far, as the figures of the next one need them."""

    weakest: float = 0.0
    refused: bool = False

    def add(self, sentence: Sentence) -> None:
        """Take note of a sentence, once its own figures were read."""
        self.refused = self.refused or bool(sentence.refusals)
        if sentence.role == "claim":
            self.weakest = max(self.weakest, 1.0 - _share(sentence.coverage))


def read_features(sentence: Sentence, evidence: Evidence, told: Told) -> list[float]:
    """Return the figures of `sentence` in the order of `FEATURES`; note it in `told`."""
    words, postings = sentence.stated.words, sentence.postings
    pairs, figures = evidence.tokens.held_pairs(words), sentence.held
    absent = [key for key, found in zip(sentence.keys, postings, strict=True) if not found.df]
    held, alike, plain, new, long, capitals = _absent(sentence, evidence, absent)
    copied = max(map(len, bytes(pairs).split(b"\0"))) + 1 if True in pairs else 0
    unmet = sum([match.relation == "none" and not anchor.casual for anchor, match in figures])
    read = [
        len(postings),
        held,
        alike,
        plain,
        new,
        long,
        evidence.tokens.count_unknown(words),
        _absent_at(postings) if absent else 1.0,
        *_window(sentence, evidence),
        copied,
        len(figures),
        unmet,
        capitals,
        _lost_in_cited(sentence, evidence),
        *_form(sentence),
        told.weakest,
        told.refused,
    ]
    told.add(sentence)
    return read


def _absent(
    sentence: Sentence, evidence: Evidence, absent: Sequence[str]
) -> tuple[float, float, int, int, int, int]:
    """Return `held`, `held_alike`, `absent_plain`, `_new`, `_long` and `_names`."""
    if not absent:
        return 1.0, 1.0, 0, 0, 0, 0
    question = sentence.scope.question.keys
    total = sum([posting.weight for posting in sentence.postings])
    part = evidence.keys.absent.weight / total
    unlike = sum([not evidence.keys.holds_beginning(key) for key in absent])
    words, places = sentence.stated.words, _places(sentence, absent)
    written = words_in(sentence.plain)
    # Case folding may change what is a letter ("İ"): then no word is told to be a name.
    named = places if len(written) == len(words) else ()
    return (
        1.0 - part * len(absent),
        1.0 - part * unlike,
        sum([words[place] not in _EASILY_ADDED for place in places]),
        sum([key not in question for key in absent]),
        sum([len(words[place]) >= _LONG for place in places]),
        sum([place > 0 and written[place][0].isupper() for place in named]),
    )


def _places(sentence: Sentence, absent: Sequence[str]) -> list[int]:
    """Return the first place of each absent key among the stated words."""
    wanted, places = set(absent), []
    for key, place in zip(sentence.stated.keys, sentence.stated.places, strict=True):
        if key in wanted:
            wanted.discard(key)
            places.append(place)
    return places


def _absent_at(postings: Sequence[Posting]) -> float:
    """Return where the longest run of absent keys begins."""
    longest = length = at = 0
    for number, posting in enumerate(postings, 1):
        length = 0 if posting.df else length + 1
        if length > longest:
            longest, at = length, number - length
    return at / len(postings)


def _window(sentence: Sentence, evidence: Evidence) -> tuple[float, int, float]:
    """Return `elsewhere`, `gap` and `common`."""
    inside = evidence.keys_in(sentence.coverage)
    elsewhere = 0.0
    held = seen = gap = longest = 0
    for key, (df, weight, _, _) in zip(sentence.keys, sentence.postings, strict=True):
        held += df
        seen += df > 0
        gap = 0 if key in inside else gap + 1
        longest = max(gap, longest)
        if gap and df:
            elsewhere += weight
    return elsewhere, longest, held / max(1, seen) / max(1, len(evidence.keys))


def _lost_in_cited(sentence: Sentence, evidence: Evidence) -> float:
    """Return how much of the coverage is lost within the passages cited by tag."""
    if not sentence.keys or not sentence.cited:
        return 0.0
    return max(0.0, _share(evidence.coverage(sentence.keys)) - _share(sentence.coverage))


def _form(sentence: Sentence) -> tuple[float, ...]:
    """Return `denies`, and the figures of the form."""
    words, text = sentence.content.words, sentence.folded.text
    you, negations = (sum(map(some.__contains__, words)) for some in (_YOU, _NEGATION))
    denies = not (_DENYING.isdisjoint(words) or _TELLING.isdisjoint(words))
    return (
        denies,
        bool(words) and words[0] in _SUMMING_UP,
        you,
        negations,
        text.count("("),
        text.rstrip().endswith(":"),
        len(sentence.text),
        sentence.kind == "list_item",
        sentence.role == "claim",
    )


def _share(coverage: Coverage | None) -> float:
    return coverage.share if coverage else 0.0
