"""Two values or names of one sentence in each other's clauses: (passage, answer).

All self-written. Each right answer says in other words what its passage says, each wrong one tells
two values or names the wrong way round.
"""

PROSE = "Ann Berg checks the roof by 3 May. Bo Lund orders the tiles by 9 May."
INITIALS = "Chair: K. Moss. Actions: K. Moss books the hall by 4 June. L. Hale prints the flyers."
CODES = """| Code | Meaning |
|---|---|
| 611 | card expired |
| 634 | account closed |
| 650 | try again later |
"""
HALLS = "The barn holds up to 120 guests. Under the pergola there is room for 45."
SPANISH = "Horario: lunes y martes de 9 a 14 h, viernes de 16 a 21 h."
GERMAN = "Die Sauna kostet 14 Euro. Für das Schwimmbad zahlt man 6 Euro."
SHARES = "Rent rose by 4 % last year; wages by 7 %."
ACTS = "The Harbour Act dates from 1921, the Fisheries Act from 1934."
BATTERY = "The drone flies 25 minutes and charges for 70 minutes."
COUNTS = "The crew has four officers and 21 sailors."
CLUBS = "Nadia plays for Rovers in Leith, and Olga is with Wanderers in Oban."

HEADINGS = "# Sauna\nThe ticket is 14 euros.\n\n# Pool\nThe ticket is 6 euros."
FIELDS = "## Basic\nPrice: $49\nSeats: 3\n\n## Business\nPrice: $149\nSeats: 12"
RECORDS = '[{"plan": "Basic", "price": "$49"}, {"plan": "Business", "price": "$149"}]'
SECTIONS = "mail:\n  port: 6101\n  retries: 4\nmaps:\n  port: 6102\n  retries: 7\n"

WRONG = [
    (HEADINGS, "The sauna ticket is 6 euros, and the pool ticket is 14 euros."),
    (FIELDS, "Basic costs $149 and Business costs $49."),
    (FIELDS, "Basic has 12 seats, while Business has 3 seats."),
    (SECTIONS, "Mail listens on port 6102, and maps on port 6101."),
    (PROSE, "Ann has to check the roof by 9 May, and Bo will order the tiles by 3 May."),
    (PROSE, "Bo Lund is to check the roof, and Ann Berg will order tiles."),
    (INITIALS, "L. Hale is to book the hall, and K. Moss will print the flyers."),
    (CODES, "If a card has expired you get 634, and for a closed account 611."),
    (HALLS, "In the barn up to 45 guests fit, while the pergola takes 120."),
    (SPANISH, "Abre el martes de 16 a 21 h y el viernes de 9 a 14 h."),
    (GERMAN, "Die Sauna kostet 6 Euro und das Schwimmbad 14 Euro."),
    (SHARES, "Rent rose by 7 %, and wages went up by 4 %."),
    (ACTS, "There is a Harbour Act of 1934 and a Fisheries Act of 1921."),
    (BATTERY, "It can fly for 70 minutes, but charges in 25 minutes."),
    (COUNTS, "There are 21 officers and four sailors on board."),
    (CLUBS, "Olga plays in Leith, while Nadia is in Oban."),
]
RIGHT = [
    (HEADINGS, "The sauna ticket is 14 euros, and the pool ticket is 6 euros."),
    (HEADINGS, "For the pool you pay 6 euros, and for the sauna 14 euros."),
    (FIELDS, "Basic costs $49 and Business costs $149."),
    (FIELDS, "Business has 12 seats, while Basic has 3 seats."),
    (FIELDS, "Basic has 3 seats and costs $49, Business has 12 and costs $149."),
    (RECORDS, "Business costs $149, and Basic costs $49."),
    (SECTIONS, "Mail listens on port 6101, and maps on port 6102."),
    (PROSE, "Ann has to check the roof by 3 May, and Bo will order the tiles by 9 May."),
    (INITIALS, "K. Moss is to book the hall, and L. Hale will print the flyers."),
    (CODES, "If a card has expired you get 611, and for a closed account 634."),
    (HALLS, "In the barn up to 120 guests fit, while the pergola takes 45."),
    (SPANISH, "Abre el martes de 9 a 14 h y el viernes de 16 a 21 h."),
    (SHARES, "Wages went up by 7 %, and rent rose by 4 %."),
    (ACTS, "There is a Fisheries Act of 1934 and a Harbour Act of 1921."),
    (BATTERY, "It charges in 70 minutes and flies for 25 minutes."),
    (COUNTS, "There are 21 sailors and four officers on board."),
    (CLUBS, "Nadia plays in Leith, while Olga is in Oban."),
    # Denied, rounded, compared, with another place that has both, or with both in one clause.
    (COUNTS, "There are not 21 officers, and not four sailors."),
    (COUNTS, "There are about 21 officers and four sailors."),
    (CLUBS, "Olga, instead of Nadia, plays in Leith, and Nadia in Oban."),
    (COUNTS + " Last year there were 21 officers.", "There were 21 officers and four sailors."),
    (COUNTS, "It has 4 sailors 21 officers."),
    # One alone is said of the other's owner, or stands with words of no passage.
    (CODES, "If a card has expired you get 634, and 999 for a closed account."),
    (COUNTS, "There are 21 guests and four cooks."),
]
