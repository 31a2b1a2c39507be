"""Hand-written texts and the anchors they hold, one "kind key unit/period" per anchor.

"~" marks an approximate value, "once" a price that is paid one time, "?key" another reading. All
self-written.
"""

AMOUNTS = [
    ("1.299,00 €", "amount 1299 EUR"), ("1.299 €", "amount 1.299 EUR ?1299"),
    ("1 299,00 €", "amount 1299 EUR"), ("Rs500", "amount 500 INR"),
    ("$50 CAD", "amount 50 CAD"), ("99p", "amount 0.99 GBP"),
    ("₹ 12,34,567", "amount 1234567 INR"), ("299 kr", "amount 299 SEK"),
    ("$12 per user", "amount 12 USD/user"), ("$5m", "amount 5000000 USD"),
    ("fifty dollars", "amount 50 USD"), ("a million euros", "amount 1000000 EUR"),
    ("$10/user/month", "amount 10 USD/month"),
    ("between $10 and $15 per month", "amount 10..15 USD/month"),
    ("$5-10 million", "amount 5000000..10000000 USD"),
    ("from $5 million to $10 million", "amount 5000000..10000000 USD"), ("$-5", "amount 5 USD"),
    ("a loss of -$1,200, ($1,200)", "amount 1200 USD; amount 1200 USD"),
    ("Es sind -1.200 m.", "quantity -1.2 m ?-1200"), ("the twenty-first century", "number 20"),
    ("Fixed in 2.3.1-rc1.", "version 2.3.1-rc1"), ("+49 (0)30 901820", "identifier 930901820"),
    ("$50 or so", "amount 50 USD ~"), ("$50+", "amount 50 USD"),
    ("It rose by $5 to $20.", "amount 5 USD; amount 20 USD"),
    ("Sales fell by about 10% to 30 units.", "percent 10 % ~; number 30"),
    ("Children under six enter free.", "number 6; amount 0"), ("It is sugar-free.", ""),
    ("$29 once you sign", "amount 29 USD"),
    ("$29 as a lump sum", "amount 29 USD once"), ("a one-time $29 fee", "amount 29 USD once"),
    ("run `echo $1`", ""), ("`$1` is a name", ""), ('if [ -z "$1" ]; then', ""),
    ("It is ($4 x 100).", "amount 4 USD; number 100"),
]  # fmt: skip

PERCENTAGES = [
    ("-3.2%", "percent 3.2 %"), ("25 basis points", "percent 0.25 pp"),
    ("5 points", "quantity 5 point"), ("nearly 40 percent", "percent 40 % ~"),
]  # fmt: skip

QUANTITIES = [
    ("1 hour, 30 minutes and 10 seconds", "quantity 5410 s"), ("half an hour", "quantity 1800 s"),
    ("the first half hour", "quantity 1800 s"), ("a half-day course", "quantity 43200 s"),
    ("half price, half time", ""), ("three quarters of a million", "number 0.75; number 1000000"),
    ("one and a half hours", "quantity 5400 s"),
    ("two to three weeks", "quantity 1209600..1814400 s"), ("5 ft 10 in", "quantity 1.778 m"),
    ("2 h 30 of them", "quantity 7200 s; number 30"),
    ("2 h 61.", "quantity 7200 s; number 61"), ("1/4 teaspoon", "quantity 0.0012322303984375 L"),
    ("100 square feet", "quantity 9.290304 m²"), ("100 km/h", "quantity 100000 m/h"),
    ("5 km - 10 miles", "quantity 5000 m; quantity 16093.44 m"),
    ("10 mg/dL", "quantity 0.00001 kg/dL"), ("19.3 g/cm3", "quantity 0.0193 kg"),
    ("5 hours 99999999999999999", "quantity 18000 s; identifier 99999999999999999"),
    ("5 hours 10 kg", "quantity 18000 s; quantity 10 kg"),
    ('reads "5" then', "number 5"),
    ("at 3:30 h", "time 03:30 ?15:30"),
    ("at 8:00 hours", "time 08:00"), ("15:00 hours", "time 15:00"),
    ("open 8:30-11:30 h", "time 08:30 ?20:30; time 11:30 ?23:30"),
]  # fmt: skip

FREQUENCIES = [
    ("two to three times daily", "quantity 2..3 time/day"),
    ("max. 2x per month", "quantity 2 time/month"), ("once a year", "quantity 1 time/year"),
    ("it is rinsed twice.", "quantity 2 time"), ("rinse it 3 times", "quantity 3 time"),
    ("come at once.", ""), ("Once.", ""), ("twice as long", ""),
    ("4 times 3", "number 4; number 3"),
]  # fmt: skip

NUMBERS = [
    ("some third party", "ordinal 3"), ("it is a third of it", f"number 0.{'3' * 40}"),
    ("12 × 49.90", "number 12; number 49.9"), ("monsoon, moon", ""),
    ("bones, one thousand", "number 1000"),
    ("Arnby (14) and Bruck (37)", "number 14; number 37"), ("(1) fill and (2) close it", ""),
    ("12 x 49", "number 12; number 49"), ("9x13 pan", "number 9; number 13"),
    ("Pro - 24 months - $99", "quantity 24 month; amount 99 USD"),
    ("3 days - 10 users", "quantity 259200 s; number 10"),
    ("32 km, 280 m of climbing", "quantity 32000 m; quantity 280 m"),
    ("176 x 60 cm", "quantity 1.76 m; quantity 0.6 m"),
    ("the emergency line (24 h)", "quantity 86400 s"), ("tables (60 pcs)", "number 60"),
    ("with the long option 90 days", "quantity 7776000 s"), ("see table (60)", ""),
    ("at 2 at night", "time 02:00"), ("by 19/06", "date --06-19"),
    ("by 05/06", "date --06-05 ?--05-06"), ("until 05/2030", "date 2030-05"),
    ("by 32/06", "identifier 32/06"),
    ("10/12 of it", "number 0.8333333333333333333333333333333333333333"),
    ("5 7/5", "number 5; identifier 7/5"), ("5 requests per hour", "number 5/hour"),
    ("1 234 567 users", "number 1234567"), (".5-1.5 km", "quantity 500..1500 m"),
    ("-.5 %", "percent 0.5 %"), ("done.5 people", "number 5"), ('"on".4 is off', "number 4"),
    (".1.2", "number 1.2"), (".5x", "identifier 5x"),
    ("5-10 million people", "number 5000000..10000000"), ("a dozen eggs", "number 12"),
    ("half a million people", "number 500000"),
    ("two thirds of them", "number 0.6666666666666666666666666666666666666667"),
    ("between 5 and 10", "number 5..10"), ("~50", "number 50 ~"), ("5 a head", "number 5"),
    ("one thousand " * 7, "number 6000; number 1000"),
    ("3rd place", "ordinal 3"),
]  # fmt: skip

DATES = [
    ("May I? In sept.", ""), ("They may March on.", ""),
    ("In August we rest, in May too", "date --08; date --05"),
    ("children over 16 may run", "number 16"),
    ("2024-03-05", "date 2024-03-05"), ("March 5, 2024", "date 2024-03-05"),
    ("5-Mar-2024", "date 2024-03-05"), ("5-Mar-24", "date 2024-03-05"),
    ("March 2024", "date 2024-03"), ("March 5", "date --03-05"), ("05.03.2024", "date 2024-03-05"),
    ("5-7 March 2024", "date 2024-03-05; date 2024-03-07"),
    ("March 5-7, 2024", "date 2024-03-05; date 2024-03-07"),
    ("in Q3 2023, q7", "date 2023-q3 quarter; identifier q7"), ("in 2024-03 we", "date 2024-03"),
    ("2023/24", "year 2023..2024"), ("2000 miles", "quantity 3218688 m"),
    ("31/31/2024", "identifier 31/31/2024"),
]  # fmt: skip

TIMES = [
    ("gates 9 or 11 am", "number 9; time 11:00"), ("half to eight", "number 8"),
    ("It is open 9-5", "number 9; number 5"),
    ("at noon", "time 12:00"), ("13 at noon", "number 13; time 12:00"),
    ("5 o'clock", "time 05:00 ?17:00"), ("5 o'clock in the afternoon", "time 17:00"),
    ("between 2 and 2.45 pm", "time 14:00 ?02:00; time 14:45"),
    ("7.30 till 9 p.m.", "time 19:30 ?07:30; time 21:00"),
    ("from 9 to noon", "time 09:00; time 12:00"),
    ("at 9 or 11 am", "time 09:00; time 11:00"), ("13 to 2 pm", "number 13; time 14:00"),
    ("Monday: 13-18", "date monday weekday; number 13..18"),
    ("Mon-Tue 9-17, Sat 9",
     "date monday weekday; date tuesday weekday; number 9..17; date saturday weekday; number 9"),
    ("Fri to Mon", "date friday weekday ?saturday ?sunday; date monday weekday"),
    ("the Sun. Sat navs, we sat, Black Friday, the Sunday Times", ""),
    ("open on Wed, not Thu. Closed every Fri", "; ".join(
        f"date {day} weekday" for day in ("wednesday", "thursday", "friday"))),
    ("Friday Morning, montags, miércoles", "; ".join(
        f"date {day} weekday" for day in ("friday", "monday", "wednesday"))),
    ("quarta-feira, la quarta", "date wednesday weekday"),
    ("Sunday, 3 May 2026", "date 2026-05-03"), ("Sunday, May 3, 2026", "date 2026-05-03"),
    ("Monday, 3 May 2026", "date monday weekday; date 2026-05-03"),
    ("Sunday the 5th, Sunday in it", "date sunday weekday; ordinal 5; date sunday weekday"),
    ("3Q25, H1'26, Q4/FY24", "date 2025-q3 quarter; date 2026-h1 quarter; date 2024-q4 quarter"),
    ("in Q3, by the second quarter, Q2 results", "; ".join(
        f"date --q{number} quarter" for number in (3, 2, 2))),
    ("Q3: what? (Q2), a third quarter, H3 2025, H1", "ordinal 3; identifier h3; year 2025"),
    ("the third quarter of a mile, the third half", "ordinal 3; ordinal 3"),
    ("first half of the year, 3. Quartal 2025, 1er semestre", "; ".join(
        f"date {key} quarter" for key in ("--h1", "2025-q3", "--h1"))),
    ("9-11:30", "time 09:00 ?21:00; time 11:30 ?23:30"),
    ("verse 3:16-18", "identifier 3:16; number 18"), ("until half past six", "time 06:30 ?18:30"),
    ("at a quarter to eight in the evening", "time 19:45"),
    ("at half past nine at night", "time 21:30"),
    ("open from ten to three", "number 10; number 3"),
    ("at ten to twelve people", "number 10..12"),
]  # fmt: skip

LITERALS = [
    ("Q1: what is it?", ""),
    ("use v2.3 or 2.3.1", "version 2.3; version 2.3.1"), ("paper A4", "identifier a4"),
    ("INV-2024-001", "identifier inv2024-001"),
    ("9x13-inch pan", "quantity 0.2286 m; quantity 0.3302 m"),
    ("2 x 3 = 6", "number 2; number 3; number 6"),
    ("Call 0170 555 0143 now", "identifier 705550143"),
    ("120/80", "identifier 120/80"), ("a 4:1 ratio", "identifier 4:1"),
    ("a...350kmx", "identifier 350kmx"),
    ("(555) 123-4567", "identifier 551234567"),
    ("99999999999999999999", "identifier 99999999999999999999"),
    ("https://example.com/2024/05/a1?b=2 is a page", ""), ("Boeing 747", "number 747"),
    ("x" * 60 + "1", "identifier " + "x" * 40 + "1"),
]  # fmt: skip

REFERENCES = [
    ("1. Open the door.", ""), ("**1.** Open the door.", ""), ("It is so [1].", ""),
    ("It is so [1, 2].", ""),
]  # fmt: skip

ELSEWHERE = [
    ("5月3日", "date --05-03"), ("3月", "date --03"), ("99月", "number 99"),
    ("12年3月", "number 12; date --03"), ("am 14.11. da", "date --11-14"),
    ("It costs 14.11. Then", "number 14.11"), ("von 3. bis 5. Mai", "date --05-03; date --05-05"),
    ("15 Mars bars", "number 15"), ("Mars 2020", "year 2020"), ("im Mai", "date --05"),
    ("es war mai", ""), ("it had 3. May I?", "number 3"), ("3 juin or so", "date --06-03"),
    ("48 h, 48 heures", "quantity 172800 s; quantity 172800 s"), ("à 9 h", "time 09:00"),
    ("3点 and 3点半", "number 3; time 03:30 ?15:30"), ("3時間", "number 3"),
    ("午前9時", "time 09:00"), ("9時", "time 09:00 ?21:00"), ("9-18 Uhr", "time 09:00; time 18:00"),
    ("de 9h à 18h30", "time 09:00; time 18:30"), ("6 h 05", "quantity 21900 s"),
    ("1億2000万円", "amount 120000000 JPY"), ("3万5千", "number 35000"),
    ("3万 5 x", "number 30000; number 5"),
    ("2万3億", "identifier 2万3億"), ("1兆2億3万4千5", "number 1000200034005"),
    ("5千", "number 5000"), ("5千克", "number 5"), ("5百", "number 5"),
    ("5 mil", "number 5000 ?5000000"),
    ("2 mil millones", "number 2000000000"), ("5 M€", "amount 5000000 EUR"),
    ("5 m $", "quantity 5 m"),
    ("3 lakh crore", "number 3000000000000"), ("5 minutes", "quantity 300 s"),
    ("500 人民币", "amount 500 CNY"), ("2.200.000.000 €", "amount 2200000000 EUR"),
    ("192.168.100.200", "version 192.168.100.200"), ("1,250 °C", "quantity 2282 °F"),
    ("1.200 bis 1,500 m", "quantity 1.2..1500 m"),
    ("1.200-1.500 m", "quantity 1.2..1.5 m ?1200..1500"), ("68,000", "number 68000"),
    ("2 Quadratmeter, 3 metros cúbicos", "quantity 2 m²; quantity 3000 L"),
    ("3 puntos porcentuales", "percent 3 pp"), ("5 pour cent", "percent 5 %"),
    ("5 € all'anno", "amount 5 EUR/year"), ("in the range [3, 12]", "number 3; number 12"),
    ("in [12, 3]", ""), ("员工3万人", "number 30000"), ("a 503 with", "number 503"),
]  # fmt: skip

ALL = [
    *AMOUNTS,
    *PERCENTAGES,
    *QUANTITIES,
    *NUMBERS,
    *FREQUENCIES,
    *DATES,
    *TIMES,
    *LITERALS,
    *REFERENCES,
    *ELSEWHERE,
]  # fmt: skip
