"""Closed classes of words that tell what kind of thing a sentence says beyond its sources.

Self-written, from grammar and from what advisers and summarisers say; no list is taken from data.
A word has one class. Words of the classes `advice`, `effect` and `light` (judgements, hedges, talk
about sources, and the verbs and nouns that any text is told with) are easily added without
inventing a fact, which is why the other uncovered words are counted apart.
"""

from __future__ import annotations

from typing import Final

ADVICE, EFFECT, LIGHT, YOU, NEGATION = range(1, 6)

_CLASSES: Final = {
    ADVICE: """
        should recommended recommend recommends advisable advise advised consider ensure sure
        always remember avoid professional expert specialist doctor physician provider guidance
        advice instructions manufacturer authorities contact check consult consulting seek
    """,
    EFFECT: """
        because since due thus therefore hence so leading leads lead result results resulting
        cause causes causing allow allows allowing enable enables enabling help helps helping make
        makes making ensures ensuring provide provides providing create creates creating prevent
        prevents preventing reduce reduces reducing improve improves improving
    """,
    LIGHT: """
        important essential crucial key significant critical vital valuable useful helpful
        effective popular best better good great common easy simple ideal excellent perfect unique
        strong beneficial necessary generally usually typically often commonly normally frequently
        mostly sometimes rarely overall various several many different certain specific other
        others may might could perhaps possibly likely probably potentially passage passages
        provided given mention mentions mentioned state states stated information question answer
        context text source sources document documents according based explicitly directly
        specifically details implied suggests suggest indicate indicates get gets getting got
        gotten give gives giving gave come comes coming came take takes taking took taken ask asks
        asked asking need needs needed total include includes included including cost costs pay
        pays paying paid last lasts lasting long go goes going went gone put keep keeps kept let
        use uses used using want wants happen happens become becomes became seem seems way ways
        thing things kind kinds part parts case cases number amount lot lots bit look looks see
        later soon first second next finally today mean means meaning called known apply applies
        start starts end ends available work works working find finds found contain contains
        depend depends depending follow follows following equal equals less least enough set sets
        run runs bring brings show shows shown try tries tried turn turns call calls say says said
        tell tells told think know knows begin begins leave leaves left add adds added offer
        offers offered serve serves require requires required involve involves involved person
        people someone anyone everyone nobody place time times day days example examples note
        point points side top back order fact reason type types form area level item items list
        step steps able unlikely similar same general main major full whole complete particular
        right clear
    """,
    YOU: "you your yours you'll you're we our ours us i",
    NEGATION: """
        not no never none neither nor without cannot can't don't doesn't didn't isn't aren't
        wasn't weren't won't wouldn't shouldn't couldn't hasn't haven't hadn't unable lack lacks
    """,
}
CLASS_OF: Final = {word: number for number, words in _CLASSES.items() for word in words.split()}
# Whatever is said in words outside these states something of the world.
EASILY_ADDED: Final = frozenset({ADVICE, EFFECT, LIGHT})
# "The passages do not mention a price": both kinds of words in one sentence.
DENYING: Final = frozenset("not no doesn't don't didn't isn't aren't unable cannot never".split())
TELLING: Final = frozenset(
    """
    mention mentions mentioned provide provides provided specify specified information state
    states stated contain contains explicitly details answer instructions guidance say says
    """.split()
)
# What opens a sentence that sums up.
SUMMING_UP: Final = frozenset(
    "overall therefore thus hence conclusion summary short finally general ultimately".split()
)
# What leads to the means by which something is done.
MEANS: Final = frozenset("by with through using via".split())
# What makes a statement conditional, or takes something out of it.
CONDITIONS: Final = frozenset(
    """
    if unless until except excluding only provided when whenever where otherwise apart subject
    """.split()
)
