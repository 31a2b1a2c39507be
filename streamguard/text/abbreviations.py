"""Abbreviations, and the following words that decide whether they end a sentence.

One table has those of English, German, French, Spanish, Italian, Dutch and Portuguese, since a text
may mix languages. A form that is a word in another language is listed with its capital.
"""

from __future__ import annotations

from streamguard.text.languages import SMALL_WORDS
from streamguard.text.words import STOP_WORDS

# Abbreviations, without their full stop, each of one or several kinds. A
# capitalised form is met as it stands only ("Ill." is a state, "ill." a word).
TITLE, NUMBERED, SOFT, FINAL, ELSEWHERE = 1, 2, 4, 8, 16
# Never ends a sentence.
_TITLES = """
    mr mrs ms mx dr drs prof profs rev st msgr Fr Hon Pres Gov Sen Sens Rep Reps Amb Gen Col Maj Lt
    capt cpt cmdr cdr adm sgt pvt cpl brig supt insp Det cllr atty messrs mmes mme mlle
    mt ft ps p.s e.g i.e viz cf
    Hr Frl Dipl Hrsg bzw ggf bspw inkl exkl zzgl evtl vgl sog insb insbes einschl bzgl
    MM mgr Sra Sras Srta Srtas Sres Dña Uds Ud Excmo Excma Ilmo Exmo Exma Lic
    sig sigg dott dr.ssa dott.ssa avv dhr mevr mw bijv zgn ej z.b d.h p.ej p.ex d.w.z i.d.r
"""
# Does not end one before a digit: "No. 5", "Jan. 5".
_NUMBERED_FORMS = """
    no nos nr n° nº art arts fig figs p pp pg pgs pt pts vol vols ch chap chaps sec secs sect par
    para paras eq eqs tab tbl ex exs app ver v vv ed eds op ref refs approx ca circa c cl reg s
    jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun
    ext tel ph rte hwy rm bldg apt ste bk cat
    Doc Docs Inv Ord Acct Ser Pat Cust
    Nr Nrn Abs Az Kap Bd Bde Ziff Rn Rdnr Abb Bsp Pos Jg mind Hs Hausnr Hauptstr
    réf réfs artt al env núm núms pág págs pag pags pagg aprox rif num fls blz hfst afd
"""
# Ends one only before a word of `_STARTERS`: "Inc.", "p.m."; "etc." before any capital.
_SOFT_FORMS = """
    inc ltd co corp cos bros plc llc llp gmbh intl assn assoc dept depts univ inst mfg dist
    jr sr esq phd st ave blvd rd ln ct hwy pkwy sq Dr
    a.m p.m a.d b.c b.c.e c.e u.s u.s.a u.k e.u u.n d.c ph.d m.d b.a m.a b.sc m.sc
    eg ie vs v et al ibid resp incl excl esp approx ca est min max avg
    tbsp tsp oz lb lbs yd yds hr hrs mos yr yrs wk wks misc govt admin mgmt mgr asst voc
    Calif Ariz Colo Conn Fla Ga Ill Ind Kan Ky La Md Mass Mich Minn Miss Mo Mont Nev Okla Ore Pa
    Penn Tenn Tex Va Vt Wash Wis Wyo Ala Ark Ont Que
"""
# The same of other languages: their own small words open a sentence as well.
_SOFT_ELSEWHERE = """
    Mio Mrd Tsd mln mld mrd Std Stk Sek Pers Jh Jhdt geb gest verh Aufl Hbf Pkt Chr Ing
    UU Avda Ctra pta ptas hab cta gral avda
    e.v o.ä u.ä u.a v.a o.g s.o s.u z.t z.z n.chr v.chr j.-c a.c d.c n.v b.v o.a m.b.t t.a.v
    a.u.b i.v.m ltda
"""
_FORMS: dict[str, int] = {"etc": FINAL, "usw": FINAL, "ecc": FINAL, "enz": FINAL}
for _kind, _words in (
    (TITLE, _TITLES),
    (NUMBERED, _NUMBERED_FORMS),
    (SOFT, _SOFT_FORMS),
    (ELSEWHERE, _SOFT_ELSEWHERE),
):
    for _word in _words.split():
        _FORMS[_word] = _FORMS.get(_word, 0) | _kind
# "Rechnungsnr. 4711", "Hauptstr. 5": words that German puts together.
_COMPOUNDS = ("nr", "str")
ALSO_WORDS = frozenset("no may mar sun sat wed par art s c p v".split())
# Words that open sentences and hardly ever continue a name or a date.
STARTERS = (STOP_WORDS - {"down", "off", "out", "up"}) | frozenset(
    """
    according anyone ask based basically behind beyond check consequently currently especially
    eventually everyone except finally firstly following fortunately generally get give given go
    keep lastly later let like look make maybe near never nevertheless next nobody none nonetheless
    note nothing often oh ok okay one others otherwise overall perhaps recently secondly see
    similarly since somebody someone sometimes specifically take thank thanks thirdly throughout
    today tomorrow try typically unfortunately unlike use usually well who's yesterday
    """.split()
)
# Small words of the other languages, which open sentences there.
SMALL_ELSEWHERE = frozenset[str]().union(
    *(words for language, words in SMALL_WORDS.items() if language != "en")
)
# The beginnings of forms with inner stops: they are written apart as well, and
# must not end behind one ("z. B.", "i. d. R.", "p. ej.").
BEGINNINGS = frozenset(form[:at] for form in _FORMS for at, sign in enumerate(form) if sign == ".")

# A number with a full stop is an ordinal before a German month or day, or before a counted thing,
# and behind an article ("der 3. Mai", "1. Vorsitzender", "ab dem 10. Jahr").
ORDINAL_BEHIND = frozenset(
    """
    januar jänner februar feber märz april mai juni juli august september oktober november dezember
    jan feb mrz apr jun jul aug sept okt nov dez
    montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag
    vorsitzende vorsitzender vorsitzenden vorsitz vorstand stellvertreter bürgermeister
    jahrgang semester quartal halbjahr monat woche kalenderwoche
    stock stockwerk etage obergeschoss untergeschoss stufe klasse bundesliga liga mahnung auflage
    weltkrieg person kind senat zivilsenat strafsenat kammer
    """.split()
)
ORDINAL_YEARS = ("jahr", "jahres", "jahre", "jahrhundert", "jahrhunderts")
ORDINAL_BEFORE = frozenset("der die das dem den des im zum zur vom beim jeden jede jedes".split())


def kinds_of(word: str) -> int:
    """Return the kinds of abbreviation of `word`. A single capital is an initial, unlike `p.`."""
    kind = _FORMS.get(word, 0)
    if kind or len(word) == 1:
        return kind
    kind = _FORMS.get(word.casefold(), 0)
    if kind or not word.isupper():
        return kind or (NUMBERED if word.endswith(_COMPOUNDS) else 0)
    return _FORMS.get(word.capitalize(), 0)
