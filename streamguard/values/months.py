"""Month names in English and other languages.

In other languages a month needs a day or year next to it ("3. Mai", "mayo de 2026"), or a preceding
word of time ("im Mai"). Short forms that are English words ("set", "ago", "gen") are left out.
Source: CLDR.
"""

from __future__ import annotations

from typing import Final

from streamguard.values.value import listed, numbered

MONTHS: Final = numbered(
    "1: january jan; 2: february feb; 3: march mar; 4: april apr; 5: may; 6: june jun; 7: july jul;"
    "8: august aug; 9: september sept sep; 10: october oct; 11: november nov; 12: december dec"
)
# German, French, Spanish, Italian, Portuguese, Dutch, Swedish and Danish, Polish, Russian.
_ELSEWHERE: Final = numbered(
    "1: januar jänner janvier janv enero ene gennaio janeiro januari stycznia января;"
    "2: februar feber février fevrier févr fevr febrero febbraio fevereiro februari lutego февраля;"
    "3: märz maerz mrz mär mars marzo março marco maart marts marca марта;"
    "4: avril avr abril abr aprile kwietnia апреля; 5: mai mayo maggio maio mei maj maja мая;"
    "6: juni juin junio giugno junho czerwca июня;"
    "7: juli juillet juil julio luglio julho lipca июля;"
    "8: août aout agosto augustus augusti sierpnia августа;"
    "9: septembre septiembre setiembre settembre setembro września сентября;"
    "10: oktober okt octobre octubre ottobre outubro października октября;"
    "11: novembre noviembre novembro listopada ноября;"
    "12: dezember dez décembre décembre déc decembre diciembre dicembre dic dezembro grudnia"
    " декабря"
)
ANYWHERE: Final = {**_ELSEWHERE, **MONTHS}
# Alone these need "in", "of" or the like before them.
WORDY: Final = listed("may march august")
# Names of a planet and of people with a capital, and months with a small letter.
NAMES: Final = listed("mars julio marco")
# A full stop behind these ends a sentence: they are no abbreviations.
WHOLE: Final = WORDY | (
    ANYWHERE.keys()
    - listed("jan feb mar apr jun jul aug sept sep oct nov dec janv ene févr fevr mrz mär avr abr")
    - listed("juil okt dez déc dic")
)
