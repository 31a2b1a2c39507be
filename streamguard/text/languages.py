"""The language of a text, by its letters and its small words.

Languages with Latin letters are told by words that hardly stand in the others, and by letters such
as "ß" or "ł"; scripts of their own are told by their letters. A text that is too short or too mixed
has no language here: None is an answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from string import ascii_letters

from streamguard.text.patterns import lazy_re, lazy_regex

MAX_READ = 4_000  # characters of a text that are looked at
_LEAST_WEIGHT = 1.9  # of a language: two words of its own; with less nothing is told
_LEAD = 1.6  # how many times as many as of the next one; guess, tried on mixed sentences
_LEAD_OVER_EXCLUDED = 2.0  # as many as of the language that it may not be; likewise
_LETTER_WEIGHT = 0.5  # of a word in small letters that has a letter of few languages
_LEAST_LETTERS = 3  # of another script

# By language: articles, pronouns, prepositions, "to be" and "to have", small numbers, times. A word
# that is one of several languages counts for each, by its share.
SMALL_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": """
            the of and to in is are was were be been being for with that this these those it its
            on by at from as or not you your we our they their he she his her have has had i my
            will would can could should may must do does did an if which who when where why
            there than then but into about after before up only also more any all no so such
            what how per each between during both because while please yes here some most other
            two three four five ten hours hour days day months month years year week takes costs
            cannot don isn doesn t m ll ve
        """,
        "de": """
            der die das den dem des ein eine einen einem einer eines und ist sind war
            waren wird werden wurde nicht mit von für auf im in zu zum zur bei aus nach
            vor über unter sich auch als wie oder aber wenn dass es er sie wir ihr ihre
            ihren ihrem sein seine haben hat hatte kann können muss müssen darf nur noch am an
            um bis durch ohne gegen innerhalb je pro beim ich mein meine was wo wann warum wer
            welche welcher welches viel viele lange bitte ja nein kein keine hier sehr etwa
            zwei drei vier fünf zehn stunde stunden tag tage tagen monat monate woche jahr jahre
            dauert kostet gibt steht liegt diese dieser dieses beide sobald mehr
        """,
        "fr": """
            le la les un une des du de et est sont était étaient être été pour avec que
            qui dans sur par pas ne se ce cette ces son sa ses leur leurs vous votre vos
            nous notre il elle ils elles on ou mais si au aux en plus avant après jusqu
            sans sous entre peut peuvent doit doivent avez ont a y dont où comme chaque
            lors je mon ma mes quel quelle combien quand comment pourquoi oui non ici très faut
            deux trois quatre cinq dix heure heures jour jours mois semaine ans année coûte dure
            d l c qu n environ
        """,
        "es": """
            el la los las un una uno unos unas de del y es son era eran ser está están para
            con que en por no se su sus lo al o pero si como más muy este esta estos estas
            ese esa usted ustedes nosotros ellos ellas hay fue han ha he puede pueden debe
            deben sin sobre entre hasta desde cada cuando donde también antes después
            durante mi mis yo qué cuánto cuánta cuántos cuándo cómo dónde quién cuál sí aquí
            dos tres cuatro cinco diez hora horas día días mes meses semana año años cuesta
            tarda unas llega dejes
        """,
        "it": """
            il lo la gli le un uno una di del della dei delle degli dello al alla ai alle
            nel nella nei nelle da dal dalla e è sono era erano essere per con che in non
            si su sul sulla o ma se come più questo questa questi queste lei loro noi voi
            ha hanno può possono deve devono senza tra fra fino ogni quando dove anche
            prima dopo entro io mio mia cosa quanto quale perché chi sì qui molto circa
            due tre quattro cinque dieci ora ore giorno giorni mese mesi settimana anno anni
            costa dura tutta vogliono l d c un
        """,
        "nl": """
            de het een en is zijn was waren wordt worden werd niet met van voor op in te
            tot bij uit naar over onder zich ook als of maar dat die dit deze er hij zij
            ze wij we u uw hun hebben heeft had kan kunnen moet moeten mag alleen nog aan
            om door zonder tegen binnen per geen na tijdens elke ik mijn wat hoe waar wanneer
            waarom wie welke hier zeer ongeveer ja nee
            twee drie vier vijf tien uur dag dagen maand maanden week jaar kost duurt ligt hele
        """,
        "pt": """
            o a os as um uma uns umas de do da dos das e é são era eram ser está estão
            para com que em no na nos nas por não se seu sua seus suas lhe ao à aos às ou
            mas mais muito este esta estes estas você vocês nós eles elas há foi têm tem
            pode podem deve devem sem sobre entre até desde cada quando onde também antes
            depois durante pelo pela eu meu minha qual quanto como porque quem sim aqui cerca
            dois duas três quatro cinco dez hora horas dia dias mês meses semana ano anos custa
            demora toda fica
        """,
        "sv": """
            och att det som en ett är av för på med den till inte har de om var jag vi ni han hon
            sig från så men eller när kan ska skall vill måste får vid under efter också bara mycket
            detta denna dessa här där vad hur vem varför min din sin alla någon något i omkring
            ungefär två tre fyra fem tio timme timmar dag dagar månad månader vecka år kostar gäller
            hela räcker
        """,
        "da": """
            og at det som en et er af for på med den til ikke har de om var jeg vi han hun
            sig fra så men eller når kan skal vil må får ved under efter også kun meget
            dette denne disse her der hvad hvor hvem hvorfor min din sin alle nogen noget i omkring
            cirka to tre fire fem ti time timer dag dage måned måneder uge år koster gælder
            hele hvis mellem blir bliver norsk ble blev
        """,
        "pl": """
            i w na z do nie jest są że się to jak ale lub oraz dla po od przez przy nad pod ten ta
            te tego tej być był była było ma mają może można co kto gdzie kiedy dlaczego ile czy
            który która które już tylko także bardzo jego jej ich mój moja około całą całej
            dwa dwie trzy cztery pięć dziesięć godzina godzin godziny dzień dni miesiąc miesięcy
            tydzień rok lat lata kosztuje o a
        """,
        "cs": """
            a v na z do ne je jsou že se to jak ale nebo pro po od přes při nad pod ten ta
            te toho být byl byla bylo má mají může lze co kdo kde kdy proč kolik si který která
            které už jen také velmi jeho její jejich můj s ve ke k o i
            dva dvě tři čtyři pět deset hodina hodin hodiny den dny dní měsíc měsíců týden rok
            roky let stojí platí
        """,
        "ro": """
            și în de la cu pe nu este sunt care pentru din că un o al ai ale lui ei se mai sau dar
            după până fără între poate trebuie dacă când unde cum ce cine cât această acest aceste
            doi două trei patru cinci zece oră ore zi zile lună luni an ani costă
        """,
        "hu": """
            a az és nem is hogy van egy ez csak meg már de ha vagy mint volt lesz kell lehet
            akkor után előtt között nélkül alatt mit mi ki hol mikor miért mennyi hogyan
            két kettő három négy öt tíz óra órát nap hónap hét év
        """,
        "fi": """
            ja on ei se että oli ovat joka mutta kun tai myös niin kuin voi hän me te he ole
            jos vain sen ennen jälkeen ilman kanssa mikä mitä missä milloin miksi kuinka paljon
            kaksi kolme neljä viisi kymmenen tunti tuntia päivä päivää kuukausi vuosi vuotta noin
        """,
        "tr": """
            ve bir bu için ile de da değil var yok olarak olan çok daha ne nasıl nerede zaman
            neden kim kaç gibi kadar sonra önce ama veya eğer her mi mı en ya siz ben biz
            iki üç dört beş on saat gün ay hafta yıl sürer
        """,
    }.items()
}
# Letters that few of these languages write. Names travel: only words in small letters count.
_LETTERS = {
    letter: languages.split()
    for letters, languages in (
        ("ß", "de"),
        ("ä", "de sv fi"),
        ("ö", "de sv fi hu tr"),
        ("ü", "de hu tr es"),
        ("å", "sv da"),
        ("æø", "da"),
        ("ñ", "es"),
        ("ãõ", "pt"),
        ("çêâô", "fr pt"),
        ("èîœùûëï", "fr it"),
        ("ìò", "it"),
        ("łżźćęąśń", "pl"),
        ("ěřůčďťň", "cs"),
        ("šžý", "cs"),
        ("őű", "hu"),
        ("ğış", "tr"),
        ("șță", "ro"),
        ("ó", "es pt pl hu"),
        ("áíú", "es pt cs hu"),
    )
    for letter in letters
}
# Scripts that one language, or a few, are written in.
_SCRIPTS = {
    "ja": r"[\p{Hiragana}\p{Katakana}]",
    "zh": r"\p{Han}",
    "ko": r"\p{Hangul}",
    "ru": r"\p{Cyrillic}",
    "el": r"\p{Greek}",
    "ar": r"\p{Arabic}",
    "he": r"\p{Hebrew}",
    "hi": r"\p{Devanagari}",
    "th": r"\p{Thai}",
}
_WORD = lazy_re(r"[^\W\d_]+")
# Letters of ASCII, all other signs as spaces: several times as fast as the pattern.
_LETTERS_ALONE = bytes(one if one in ascii_letters.encode() else 32 for one in range(256))
_LATIN = lazy_regex(r"\p{Latin}")
# Signs that may be letters of another script: no accented letter, quote, dash, arrow or currency.
_NON_LATIN = lazy_re(r"[^\x00-\u036f\u1e00-\u1eff\u2000-\u2bff\ufe0f\U0001f000-\U0001ffff]")


@cache
def _shares() -> dict[str, list[tuple[str, float]]]:
    """Return of each small word the languages that have it, and its weight for each."""
    found: dict[str, list[str]] = {}
    for language, words in SMALL_WORDS.items():
        for word in words:
            found.setdefault(word, []).append(language)
    return {
        word: [(language, 1.0 / len(languages)) for language in languages]
        for word, languages in found.items()
    }


def language_of(text: str, other_than: str | None = None) -> str | None:
    """Return the language of `text` as two letters of ISO 639-1, None if it is not clear.

    Those of `SMALL_WORDS` are told by their words ("da" stands for Norwegian as well), "ja", "zh",
    "ko", "ru", "el", "ar", "he", "hi" and "th" by their script: "ru" stands for every language in
    Cyrillic letters, "ar" for every one in Arabic letters. With `other_than` a language counts
    that is told from that one, if not from its neighbours. Only the first `MAX_READ` characters
    are read.
    """
    text = text[:MAX_READ]
    if _NON_LATIN.search(text) is not None and (script := _script_of(text)) is not None:
        return script
    shares, words = _shares(), dict.fromkeys(_words_in(text))
    small = [word for word in map(str.lower, words) if word in shares]
    if len(small) < _LEAST_WEIGHT and text.isascii():
        return None  # none weighs more than one
    weights = _weights(text, words, small)
    first = max(weights, key=weights.__getitem__, default="")
    if not first or weights[first] < _LEAST_WEIGHT:
        return None
    if other_than is not None:
        lead, rival = _LEAD_OVER_EXCLUDED, weights.get(other_than, 0)
    else:
        lead, rival = _LEAD, sorted(weights.values())[-2] if len(weights) > 1 else 0
    return first if weights[first] >= lead * rival else None


def _weights(text: str, words: Iterable[str], small: Iterable[str]) -> dict[str, float]:
    """Return how much speaks for each language: its small words and letters, each word once.

    `small` are the small words of any language among the text's.
    """
    weights = dict[str, float]()
    if "¿" in text or "¡" in text:
        weights["es"] = 1
    shares = _shares()
    for word in small:
        for language, share in shares[word]:
            weights[language] = weights.get(language, 0) + share
    for word in () if text.isascii() else words:
        if not word.isascii() and word.islower():
            few = next((_LETTERS[letter] for letter in word if letter in _LETTERS), [])
            for language in few:
                weights[language] = weights.get(language, 0) + _LETTER_WEIGHT / len(few)
    return weights


def _words_in(text: str) -> list[str]:
    """Return the runs of letters of a text; those of ASCII are split at all other signs."""
    if not text.isascii():
        return _WORD.findall(text)
    return text.encode().translate(_LETTERS_ALONE).decode().split()


def _script_of(text: str) -> str | None:
    """Return the language whose script most letters are of; None for Latin letters."""
    most, latin = 0, len(_LATIN.findall(text))
    found = None
    for language, pattern in _SCRIPTS.items():
        count = len(lazy_regex(pattern).findall(text))
        # Japanese is written with Chinese characters as well: its own letters come first.
        if count > most and not (language == "zh" and most > count / 10):
            most, found = count, language
    return found if most >= _LEAST_LETTERS and most > latin else None
