"""The derivations that a sentence announces, by the operation's own words.

Words that only sound like reckoning ("for", "than", "up") announce nothing: on sentences by authors
who knew no rule they stand as often beside a wrong value as beside a computed one. So does a plain
comparative; it counts here because a difference is looked for among few values alone.
"""

from __future__ import annotations

from typing import Final, Literal

from streamguard.text.patterns import lazy_re
from streamguard.values.value import any_of, listed

Operation = Literal["difference", "sum", "product", "share", "part", "mean", "span", "period"]

# Those whose result a sentence may state as its value, and that a question may ask for.
RESULTS: Final[frozenset[Operation]] = frozenset(["difference", "sum", "share", "part"])
ASKED_FOR: Final = RESULTS - {"part"}

_WORDS: Final[dict[Operation, frozenset[str]]] = {
    "difference": listed(
        "difference differ differs change changes changed more less fewer cheaper dearer save"
        " saves saved saving savings extra left remain remains remained remaining remainder"
        " rest minus lower higher longer shorter older younger earlier later ahead gap lead"
        " margin surplus deficit deduct deducted deducts subtract subtracted off reduce"
        " reduces reduced reduction increase increases increased decrease decreases decreased"
        " rise rises rose risen fall falls fell fallen drop drops dropped grow grows grew"
        " grown lose loses lost gain gains gained shrank shrink leaves leave exceed exceeds"
        " exceeded against instead net"
    ),
    "sum": listed(
        "total totals totalling totaling altogether together sum sums combined overall plus"
        " add adds added adding both including inclusive include included makes in_all all_in"
        " all_told comes_to come_to came_to amounts_to on_top makes_up works_out work_out"
    ),
    "product": listed(
        "each apiece a_piece times multiplied multiply every per × works_out work_out"
    ),
    "share": listed(
        "percent per_cent percentage discount discounted rebate fraction surcharge commission"
    ),
    "part": listed(
        "half halves halve halved halving twice double doubles doubled doubling triple"
        " triples tripled thrice third thirds quarter quarters fifth tenth"
    ),
    "mean": listed("mean average averages averaged averaging midway halfway"),
    "period": listed(
        "year years yearly annual annually month months monthly week weeks weekly day days daily"
    ),
    "span": listed(
        "later earlier apart after before between since until within last lasts lasted long"
        " older younger old age aged ago gap duration span spans spanned took takes"
    ),
}
# The same in German, French, Spanish, Italian, Dutch and Portuguese; none is a word of English, so
# that no language need be told.
_WORDS_ELSEWHERE: Final[dict[Operation, frozenset[str]]] = {
    "difference": listed(
        "mehr weniger billiger günstiger teurer spart sparen ersparnis unterschied differenz höher"
        " niedriger länger kürzer älter jünger früher später übrig bleibt bleiben verbleiben"
        " verbleibt steigt gestiegen sinkt gesunken erhöht statt gegenüber abzüglich nachlass"
        " preisnachlass rabatt zusätzlich"
        " différence écart moins de_plus en_plus économie économise économisez reste restent"
        " restant augmente augmenté baisse baissé au_lieu contre tombe"
        " más menos diferencia ahorra ahorro queda quedan restan aumento en_vez frente por_encima"
        " più differenza risparmia risparmio resta restano rimangono aumenta scende invece"
        " anziché contro"
        " meer minder verschil goedkoper duurder bespaart besparing hoger lager langer korter"
        " mais diferença poupa economiza"
    ),
    "sum": listed(
        "insgesamt zusammen summe gesamt macht ergibt ergeben kämen hinzu dazu inklusive"
        " einschließlich künftig"
        " soit font ensemble somme s'ajoutent s'ajoute s'élève se_montent se_monte revient"
        " reviennent coûterait coûteraient fait"
        " suma suman sumando juntos hacen incluido incluida"
        " totale somma insieme fanno complessivamente viene vengono compreso compresa"
        " totaal samen inclusief opgeteld"
        " soma somando totaliza fazem incluindo"
    ),
    "product": listed(
        "je pro jeweils mal chacun chacune chaque fois cada veces ciascuno ciascuna ogni volte"
        " a_testa elk elke keer vezes séances"
    ),
    "share": listed(
        "prozent pour_cent remise réduction por_ciento descuento per_cento sconto procent korting"
        " por_cento desconto"
    ),
    "part": listed(
        "hälfte halb halber doppelt doppelte verdoppelt dreifach dreifache drittel viertel moitié"
        " tiers mitad doble tercio metà doppio terzo helft dubbele metade dobro terço"
    ),
    "period": listed(
        "jahr jahre jahren jährlich monat monate monaten monatlich woche wochen wöchentlich tag"
        " tage tagen täglich ans année années mois semaine semaines jour jours nuits año años anual"
        " mes meses mensual semana semanas día días anno anni mese mesi mensilità settimana"
        " settimane giorno giorni jaar maand maanden dagen mês"
    ),
    "span": listed(
        "später früher seit bis zwischen dauert dauerte alt après avant depuis jusqu'à durée âgé"
        " después antes desde hasta duró edad dopo prima fino durata età"
    ),
}
_TABLES: Final = (_WORDS, _WORDS_ELSEWHERE)
_OPERATIONS: Final[dict[str, frozenset[Operation]]] = {
    word.replace("_", " "): frozenset(
        each for table in _TABLES for each, words in table.items() if word in words
    )
    for word in frozenset[str]().union(*(words for table in _TABLES for words in table.values()))
}
_FOUND = lazy_re(rf"(?<![\w-]){any_of(_OPERATIONS)}(?!\w)")
# "With one further seat Basic costs $58"; "three further attempts follow" adds nothing.
_WITH_MORE = lazy_re(
    r"(?<!\w)with[ ](?:an?|one|two|three|four|five|\d{1,3})[ ]"
    r"(?:further|additional|extra|more)(?!\w)"
)
_BY = lazy_re(r"(?<!\w)by[ ](?:(?:about|around|some|roughly|nearly|almost|just|only)[ ])?$")
_BY_REACH = 16
_NONE: Final[frozenset[Operation]] = frozenset()


def announced(low: str) -> frozenset[Operation]:
    """Return the operations that lower-cased words announce; "%" announces a share."""
    found = _NONE.union(*[_OPERATIONS[one[0]] for one in _FOUND.finditer(low)])
    if _WITH_MORE.search(low):
        found |= {"sum"}
    return found | {"share"} if "%" in low else found


def is_step(low: str, start: int) -> bool:
    """Return whether the value at `start` is how far something goes: "it rose by £9"."""
    return _BY.search(low, max(0, start - _BY_REACH), start) is not None
