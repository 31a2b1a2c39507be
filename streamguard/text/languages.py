"""What a full stop may belong to, by language: tables of one shape.

English is complete; German, French, Spanish, Italian and Portuguese are small tables of the most
frequent forms. Every other language takes the neutral table, whose few forms occur in most
languages in Latin script; scripts with full stops of their own need no table.

All forms are case-folded and stand without their last full stop.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

TITLE, NUMBERED, SOFT, FINAL = 1, 2, 4, 8

_CLOSING = "\"'”’»›)]}"


@dataclass(frozen=True, slots=True)
class Language:
    """The forms of one language, and how it quotes.

    `forms` gives each abbreviation its kinds, one or several of:

    - `TITLE`: never ends a sentence (`Dr.`).
    - `NUMBERED`: does not end one before a digit (`No. 5`, `Jan. 5`).
    - `SOFT`: ends one only before a word of `starters` (`Inc.`, `p.m.`).
    - `FINAL`: ends one before any capital, not before a small letter (`etc.`).

    A capitalised form is met as it stands only (`Ill.` is a state, `ill.` a word).
    `closing` are the quotes and brackets that close behind a full stop; `ordinal_dot` says that a
    number of one or two digits with a full stop is an ordinal (`3. Oktober`). `short`: words of two
    letters that may end a sentence before a small letter, where most such forms are abbreviations;
    `words`: forms that are words as well (`no.`).
    """

    code: str
    forms: Mapping[str, int]
    starters: frozenset[str]
    closing: str = _CLOSING
    ordinal_dot: bool = False
    short: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()


def language_table(code: str) -> Language:
    """Return the table of an IETF tag (`en`, `de-AT`); the neutral one if there is none."""
    return _TABLES.get(code.replace("_", "-").partition("-")[0].casefold(), NEUTRAL)


def _forms(titles: str, numbered: str, soft: str, final: str = "etc") -> dict[str, int]:
    forms: dict[str, int] = {}
    for kind, words in ((TITLE, titles), (NUMBERED, numbered), (SOFT, soft), (FINAL, final)):
        for word in words.split():
            forms[word] = forms.get(word, 0) | kind
    return forms


def word_set(words: str) -> frozenset[str]:
    """Return the words of `words`, which stand between white space."""
    return frozenset(words.split())


_TITLES = """
    mr mrs ms mx dr drs prof profs rev st msgr Fr Hon Pres Gov Sen Sens Rep Reps Amb Gen Col Maj Lt
    capt cpt cmdr cdr adm sgt pvt cpl brig supt insp Det cllr atty messrs mmes mme mlle
    mt ft ps p.s e.g i.e viz cf
"""
_NUMBERED = """
    no nos nr n° nº art arts fig figs p pp pg pgs pt pts vol vols ch chap chaps sec secs sect par
    para paras eq eqs tab tbl ex exs app ver v vv ed eds op ref refs approx ca circa c cl reg s
    jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun
    ext tel ph rte hwy rm bldg apt ste bk cat
"""
_SOFT = """
    inc ltd co corp cos bros plc llc llp gmbh intl assn assoc dept depts univ inst mfg dist
    jr sr esq phd st ave blvd rd ln ct hwy pkwy sq Dr
    a.m p.m a.d b.c b.c.e c.e u.s u.s.a u.k e.u u.n d.c ph.d m.d b.a m.a b.sc m.sc
    eg ie vs v et al ibid resp incl excl esp approx ca est min max avg
    tbsp tsp oz lb lbs yd yds hr hrs mos yr yrs wk wks misc govt admin mgmt mgr asst voc
    Calif Ariz Colo Conn Fla Ga Ill Ind Kan Ky La Md Mass Mich Minn Miss Mo Mont Nev Okla Ore Pa
    Penn Tenn Tex Va Vt Wash Wis Wyo Ala Ark Ont Que
"""
# Words that open sentences and hardly ever continue a name or a date.
_STARTERS = """
    the a an this that these those there here it its he his him she her hers we our ours us you
    your yours they their them i my me mine who whom whose what which when where why how and but
    or nor so yet if then else than because although though while whereas unless until since as
    at by for from in into of on onto over under to with within without about after before
    between among during through throughout across against along around behind beyond despite
    except like near per toward towards upon via is are was were am be been being have has had
    do does did can could will would shall should may might must let let's don't it's that's
    there's he's she's i'm i've i'd i'll we're we've we'll you're you've you'll they're they've
    they'll what's who's isn't aren't wasn't weren't didn't doesn't can't won't all another any
    anyone anything both each either every everyone everything few many more most much neither
    nobody none nothing one other others several some somebody someone something such not now
    never next nevertheless nonetheless therefore thus hence however moreover furthermore
    meanwhile otherwise also additionally again still instead indeed finally firstly secondly
    thirdly lastly later once only even perhaps maybe sometimes often usually generally
    typically currently recently eventually similarly likewise consequently overall well yes no
    oh ok okay please thanks thank see note check ask make go get take give look try keep use
    according based given following unlike besides together today tomorrow yesterday
    unfortunately fortunately actually basically especially specifically
"""

_SHORT = "oh ok ah uh um eh aw ha hi me us it so up go do he we my to is be"

ENGLISH = Language(
    "en",
    _forms(_TITLES, _NUMBERED, _SOFT),
    word_set(_STARTERS),
    short=word_set(_SHORT),
    words=word_set("no may mar sun sat wed par art s c p v"),
)

NEUTRAL = Language(
    "",
    _forms(
        titles="dr prof st mr mrs",
        numbered="no nr n° nº art fig p pp vol cf tel",
        soft="inc ltd co corp",
        final="etc",
    ),
    frozenset(),
)

GERMAN = Language(
    "de",
    _forms(
        titles="dr prof hr hrn fr dipl ing mag st frl med phil jur rer nat abt bes geb gest hl",
        numbered="""
            nr S s abs art abb bd kap tab ziff vol tel ca jan feb apr aug sep sept okt nov dez kl
            str
            """,
        soft="""
            z.b d.h u.a o.ä u.ä i.d.r z.t v.a s.o s.u u.u o.g bzw ca vgl evtl ggf inkl exkl zzgl
            bspw sog max min mind allg ehem co str mio mrd tsd std
            """,
        final="usw etc",
    ),
    word_set("""
        der die das den dem des ein eine einen einem einer er sie es wir ihr ich du man dies
        diese dieser dieses jedoch aber und oder denn wenn weil da dort hier heute danach dann
        außerdem zudem allerdings deshalb daher trotzdem in im am an auf aus bei mit nach seit
        von vor zu zum zur für durch über unter ohne um nur auch so wie was wer wo warum bitte
        ja nein
        """),
    closing="\"'”’“‘»«›‹)]}",
    ordinal_dot=True,
)

FRENCH = Language(
    "fr",
    _forms(
        titles="m mm mme mmes mlle mlles dr pr me mgr st ste vve",
        numbered="no n° nº art fig p pp vol chap t tél env janv févr avr juil sept oct nov déc",
        soft="cf ex p.ex c.-à-d av apr j.-c env hab min max bd boul sté cie",
        final="etc",
    ),
    word_set("""
        le la les l un une des ce cet cette ces il elle ils elles on nous vous je tu mais et ou
        donc or car si quand comme dans en sur sous avec sans pour par de du au aux à après
        avant depuis cependant toutefois ainsi alors enfin ensuite puis c d s qu que qui où
        pourquoi oui non
        """),
)

SPANISH = Language(
    "es",
    _forms(
        titles="""
            sr sra sres sras srta d dª dña dr dra lic ing prof profa mtro gral cap st sto sta fr
            excmo
            """,
        numbered="""
            no núm n° nº art arts fig pág págs p pp vol cap tel ene feb abr ago sept oct nov dic
            aprox
            """,
        soft="p.ej ej ee.uu ee vv a.c d.c a.m p.m s.a s.l cía av avda ud uds vd vds aprox máx mín",
        final="etc",
    ),
    word_set("""
        el la los las un una unos unas este esta estos estas ese esa eso él ella ellos ellas lo
        le se su sus yo tú nosotros usted pero y o si cuando como en de del al a con sin para
        por según sobre desde hasta entre además también sin embargo así entonces después antes
        no sí qué
        """),
)

ITALIAN = Language(
    "it",
    _forms(
        titles="""
            sig sigg sig.ra sig.na dott dott.ssa dr prof prof.ssa avv ing arch geom on sen s
            mons rag
            """,
        numbered="""
            n n° nº no art artt fig pag pagg p pp vol cap tel gen feb mar apr mag giu lug ago
            set ott nov dic
            """,
        soft="es p.es a.c d.c s.p.a spa s.r.l srl ca circa max min v vs cfr",
        final="ecc",
    ),
    word_set("""
        il lo la i gli le l un uno una questo questa questi queste egli ella esso essa loro lui
        lei io tu noi voi ma e o se quando come in di del della al alla a con senza per da dal
        nel nella su tra fra inoltre tuttavia però quindi così poi dopo prima non sì che chi
        dove perché
        """),
)

PORTUGUESE = Language(
    "pt",
    _forms(
        titles="sr sra srs sras srta dr dra drs prof profa eng arq d exmo exma sto sta cap gen cel",
        numbered="""
            no n° nº art arts fig pág págs p pp vol cap tel jan fev mar abr mai jun jul ago set
            out nov dez
            """,
        soft="p.ex ex a.c d.c s.a ltda cia av aprox máx mín obs vs",
        final="etc",
    ),
    word_set("""
        o a os as um uma uns umas este esta estes estas esse essa isso ele ela eles elas eu tu
        nós você mas e ou se quando como em de do da dos das no na nos nas ao à com sem para por
        segundo sobre desde até entre além também porém contudo assim então depois antes não sim
        que quem
        """),
)

_TABLES = {table.code: table for table in (ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE)}
