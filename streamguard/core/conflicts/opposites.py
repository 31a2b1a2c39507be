"""Words that turn a statement around: negators, and pairs of opposites. Closed and self-written.

An axis has two poles; a word may stand on several axes ("lower" is less, and makes less). Poles of
one axis exclude one another when they are said of the same thing, which the caller has to know:
the table says nothing about context. Two words joined by "_" count side by side alone ("in
person"). Left out on purpose: pairs that often hold together in one text (add and remove, parent
and child, teach and learn). Bounds of values ("at least") are an axis of their own, `LIMIT`, read
in `bounds`.
"""

from __future__ import annotations

from streamguard.core.conflicts.bounds import LIMIT, LOWER, UPPER
from streamguard.core.words import stem

# What follows one of these, up to the next content word, is denied.
NEGATORS = frozenset(
    "not no never cannot nor neither none nothing nobody without fail fails failed failing".split()
)
# Near one of these, who denies what is not told by a few rules: nothing is concluded.
SOFTENERS = frozenset(
    """avoid avoids avoided avoiding avoidance prevent prevents prevented preventing instead rather
    unless except only stop stops stopped warn warns warned against refuse refuses deny
    denies lack lacks lacking hardly rarely seldom barely otherwise despite although though whether
    didnt doesnt dont isnt cant wont
    might careful cautious caution check checks checking extra separately""".split()
)
# "Don't forget the regatta": what follows is not denied.
REMINDING = frozenset("forget hesitate worry panic miss".split())
# A clause that begins with one of these is a condition: what it denies is not denied.
CONDITIONS = frozenset("if unless when whether until once".split())
# Begin a clause of their own.
JOINTS = CONDITIONS | frozenset(
    "but while whereas although though because which who and or than".split()
)
# Negators that say less than they seem to: "not all", "not only".
HEDGED = frozenset(
    """all every everyone everybody everything always only just necessarily limited both each very
    too many much quite""".split()
)
# Between a negator and the word it denies: "no longer included".
PASSED_OVER = frozenset("longer only just even always necessarily usually exactly".split())
# The poles of these govern what follows: "before lunch", "above the line".
GOVERNING = frozenset(("order", "level", "place", "bound", "quantity", "whole"))

_PAIRS = """
    order: before | after
    place: inside within indoors | outside outdoors
    inner: internal internally inner interior indoor | external externally outer exterior outdoor
    level: above over | below under beneath underneath
    amount: more greater most majority | less fewer least few minority
    bound: minimum min | maximum max
    price: expensive pricey | cheap cheaper cheapest inexpensive affordable
    change: increase rise rose risen raise grow grew grown gain boost improve expand climb
        | decrease reduce fall fell fallen lower drop decline shrink shrank diminish cut worsen sink
        sank lose lost contract
    height: high higher highest upper tall taller | low lower lowest short shorter
    size: large larger largest big bigger biggest huge
        | small smaller smallest little tiny
    length: long longer longest lengthy lengthen | short shorter shortest brief shorten
    speed: fast faster fastest quick quickly rapid rapidly | slow slower slowest slowly gradual
        gradually
    pace: accelerate hasten | decelerate slow delay
    age: old older oldest elder ancient | young younger youngest new newer modern
    strength: strong stronger strongest strengthen | weak weaker weakest weaken
    weight: heavy heavier heaviest | light lighter lightest
    brightness: bright brighter light lit | dark darker dim dimmer
    heat: hot hotter hottest warm warmer warmest heated | cold colder coldest cool cooler coolest
        chilled
    heating: heat warm thaw melt boil | cool chill freeze
    up: up upward upwards upstairs uphill | down downward downwards downstairs downhill
    often: always usually often frequently regularly constantly | never rarely seldom occasionally
    quantity: all every everyone everybody everything | some few none nobody nothing
    whole: all every each everyone everybody | most many several certain
    reach: all every each any everyone everybody anyone anybody the_public
        | only solely exclusively reserved restricted limited
    both: both | neither
    north: north northern northward | south southern southward
    east: east eastern eastward | west western westward
    turn: clockwise | counterclockwise anticlockwise counter-clockwise anti-clockwise
    open: open opened opens opening unlock unlocked
        | close closed closes closing shut lock locked
    ease: easy easier easiest easily simple | difficult hard harder hardest complicated
    hardness: hard harder hardest firm rigid | soft softer softest flexible
    safety: safe safer safely harmless | dangerous unsafe harmful risky hazardous
    early: early earlier earliest | late later latest
    public: public | private
    front: front forward forwards | back rear backward backwards
    day: day daytime | night nighttime overnight
    week: weekday workday | weekend
    presence: online virtual virtually remote remotely
        | in_person in-person offline onsite on-site face-to-face
    side: left-hand leftmost the_left your_left turn_left
        | right-hand rightmost the_right your_right turn_right
    board: port portside | starboard
    working: manual manually by_hand | automatic automatically automated by_machine
    hours: full-time full_time | part-time part_time
    selling: wholesale | retail
    sooner: in_advance beforehand upfront | in_arrears afterwards
    summer: summer | winter
    spring: spring | autumn
    morning: morning | evening
    sunrise: sunrise dawn | sunset dusk
    wet: wet wetter moist damp humid | dry drier dried
    thick: thick thicker | thin thinner
    wide: wide wider broad widen | narrow narrower
    deep: deep deeper | shallow
    loud: loud louder noisy | quiet quieter silent
    smooth: smooth smoother | rough rougher coarse
    clean: clean cleaner | dirty dirtier
    straight: straight | curved crooked bent
    trade: buy purchase bought | sell sold
    sign: positive | negative
    duty: require required must mandatory compulsory obligatory necessary essential
        | optional voluntary
    leave: accept approve allow allowed permit permitted let authorise authorize legalise legalize
        | reject deny forbid forbidden prohibit prohibited ban banned refuse outlaw
    include: include included including | exclude excluded excluding
    possible: possible | impossible
    able: able | unable
    available: available | unavailable
    win: win won winner victory | lose lost loser defeat
    import: import imported | export exported
    arrive: arrive arrival enter entry entrance | depart departure leave exit
    begin: begin start begun started began launch beginning | end finish ended stop ending
    same: same identical equal alike similar | different unequal dissimilar
    rich: rich wealthy | poor
    tight: tighten tight tightly | loosen loose loosely
    push: push | pull
    connect: connect attach join fasten | disconnect detach separate unfasten
    enable: enable enabled activate activated | disable disabled deactivate deactivated
    success: succeed success successful successfully | fail failure unsuccessful unsuccessfully
    truth: true correct correctly right | false incorrect incorrectly wrong wrongly
    full: full fill filled | empty emptied
    raw: raw uncooked | cooked
    fresh: fresh | stale frozen rotten
    sweet: sweet | bitter sour salty
    near: near close nearby nearest closest | far distant farthest furthest
    birth: born birth | died death dead
    alive: alive living | dead extinct
    loan: lend lent lender | borrow borrowed borrower
    rent: tenant renter lodger | landlord landlady
    sale: buyer customer purchaser shopper | seller vendor retailer merchant
    making: manufacturer maker | retailer dealer shop distributor importer
    work: employer | employee
    lesson: teacher instructor lecturer | student pupil learner
    illness: doctor physician surgeon | patient
    nursing: doctor physician surgeon | nurse
    insurance: insurer | insured policyholder
    stay: host | guest
    ride: driver | passenger
    region: state federal | city municipality municipal local
    solid: solid | liquid
    acid: acidic | alkaline
    visible: visible | invisible hidden
    horizontal: horizontal horizontally | vertical vertically
    duration: permanent permanently | temporary temporarily
    paid: free complimentary of_charge gratis | paid chargeable charge fee surcharge
    active: active | inactive passive
    legal: legal legally lawful | illegal illegally unlawful
    health: healthy | unhealthy sick ill
    common: common frequent usual | rare uncommon infrequent unusual
    first: first initial previous former | last final next latter
    top: top | bottom
    male: male men boy | female women girl
    profit: profit surplus gain | loss deficit shortage
    advantage: advantage benefit strength | disadvantage drawback weakness
    agree: agree agreement | disagree disagreement
    support: support supported favour favor defend | oppose opposed resist attack
    best: best better good | worst worse bad poor
    create: create build built construct | destroy demolish
    grow: appear | disappear vanish
    find: find found remember | lose lost forget forgot forgotten
    employ: hire hired employ recruit | fire fired dismiss sack
    keep: keep kept retain maintain preserve | discard abandon remove delete
    raising: ascend | descend
    praise: praise encourage | criticise criticize discourage
    love: love loved like enjoy | hate hated dislike
    guilt: guilty | innocent
    major: major main | minor
    senior: senior | junior
    urban: urban | rural
    home: domestic national native local | foreign international global
    formal: formal | informal casual
    severe: severe serious harsh | mild gentle slight
    simple: simple plain | complex elaborate
    natural: natural | artificial synthetic
    credit: credit income asset | debit expense liability
    input: input | output
    single: single | double multiple
    even: even | odd
    past: past | future
    strict: strict strictly | lenient loosely
    certain: certain definite | uncertain doubtful
    patient: patient | impatient
    popular: popular | unpopular
    fair: fair | unfair
    stable: stable | unstable
    complete: complete completely whole entire | incomplete partial partially
    direct: direct directly | indirect indirectly
    regular: regular | irregular
    mature: ripe mature | unripe immature
"""

Pole = tuple[str, int]


def _read(table: str) -> dict[str, tuple[Pole, ...]]:
    """Return the poles of each word and of its stem; words of four letters are their own stem."""
    poles: dict[str, tuple[Pole, ...]] = {}
    axis, side = "", 1
    for word in table.split():
        if word.endswith(":"):
            axis, side = word[:-1], 1
        elif word == "|":
            side = -1
        else:
            word = word.replace("_", " ")
            for key in dict.fromkeys((word, stem(word) if len(word) > 4 else word)):
                if (axis, side) not in poles.get(key, ()):
                    poles[key] = (*poles.get(key, ()), (axis, side))
    return poles


POLES = _read(_PAIRS)
# Of the poles of two words the second words.
PAIR_ENDS = frozenset(pair.split()[1] for pair in POLES if " " in pair)
# Who may: denied it is neither pole, as "not only admins" is not all.
REACH = "reach"
# Before one of these "not" turns the pole but denies nothing: "not all rooms".
WHOLE = frozenset("all every each everyone everybody everything".split())

# Adjectives that a prefix denies, and the stem of what each denies.
DENIED = {
    denied: stem(plain)
    for denied, plain in (
        pair.split("/")
        for pair in """impossible/possible unable/able unlikely/likely unavailable/available
        unnecessary/necessary unsafe/safe uncommon/common unusual/usual invalid/valid
        incorrect/correct inactive/active incomplete/complete ineligible/eligible
        unchanged/changed unlimited/limited inexpensive/expensive unhealthy/healthy
        uncooked/cooked untreated/treated invisible/visible unknown/known unpaid/paid
        unsuccessful/successful undamaged/damaged illegal/legal irregular/regular
        nonrefundable/refundable non-refundable/refundable non-toxic/toxic unaware/aware
        unfamiliar/familiar unfair/fair unpopular/popular unstable/stable unsuitable/suitable
        untrue/true unrelated/related unopened/opened unused/used unlocked/locked
        unauthorized/authorized unauthorised/authorised unacceptable/acceptable
        unaffected/affected unemployed/employed unmarried/married uncertain/certain
        indirect/direct insufficient/sufficient inaccurate/accurate inedible/edible
        ineffective/effective inaccessible/accessible insoluble/soluble inflexible/flexible
        impractical/practical impure/pure immobile/mobile immature/mature irrelevant/relevant
        irreversible/reversible irresponsible/responsible disallowed/allowed
        disapproved/approved dissatisfied/satisfied disconnected/connected
        non-essential/essential non-smoking/smoking non-alcoholic/alcoholic""".split()
    )
}

_CONTRACTED = frozenset(
    """isn't aren't wasn't weren't don't doesn't didn't won't wouldn't can't couldn't shouldn't
    hasn't haven't hadn't mustn't needn't""".split()
)
DENYING_WORDS = NEGATORS.union(DENIED, _CONTRACTED)


def _by_side() -> dict[Pole, frozenset[str]]:
    sides: dict[Pole, set[str]] = {}
    for word, poles in POLES.items():
        for pole in poles:
            sides.setdefault(pole, set()).add(word.split()[-1])
    return {pole: frozenset(words) for pole, words in sides.items()}


def _opposed() -> dict[str, frozenset[str]]:
    opposed: dict[str, frozenset[str]] = {}
    for key, poles in POLES.items():
        word = key.split()[-1]
        others = (SIDES[axis, -pole] for axis, pole in poles)
        opposed[word] = opposed.get(word, frozenset()).union(*others)
    return opposed


# Of each pole of an axis the words and stems of the table, of two words the second.
SIDES = {**_by_side(), (LIMIT, 1): LOWER, (LIMIT, -1): UPPER}
# For a word or stem of the table the words and stems that are its opposites.
OPPOSED = _opposed()
# A sentence without one of these, as a word or a stem, neither denies nor stands on an axis.
TURNING = DENYING_WORDS.union(OPPOSED, LOWER, UPPER)
