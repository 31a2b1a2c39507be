"""Pairs of an answer's words and a source's words, and how the source stands to the answer."""

AGREEMENTS = [
    # the same value, written another way
    ("$1,299.00", "1.299,00 $", "same"), ("1.299 €", "1.299,00 €", "same"),
    ("50 kr", "50 NOK", "same"), ("£50", "50 pounds", "same"),
    ("90 minutes", "1 hour 30 minutes", "same"), ("20 °C", "68 °F", "same"),
    ("2 percentage points", "2 points", "same"), ("3rd place", "the third place", "same"),
    ("GPT-4o", "gpt-4o", "same"), ("3.11 is out", "Python 3.11", "same"),
    ("It is free", "€0", "same"),
    # rounding: what the words allow and no more
    ("$50", "$49.95", "no"),
    ("3.7 million people", "3,712,345 people", "same"), ("about 50 people", "52 people", "same"),
    ("about 50 people", "70 people", "no"), ("5 %", "5.2 %", "same"), ("5.25 %", "5.2 %", "no"),
    ("3 miles", "5 km", "same"), ("2 miles", "5 km", "no"), ("175 °C", "350 °F", "same"),
    # ranges
    ("$10-15", "$10-20", "no"), ("$10", "$10-15", "same"), ("$12", "$10-15", "no"),
    # another unit, currency or period
    ("$50", "50 EUR", "unit"), ("US$50", "CA$50", "unit"), ("5 %", "5 percentage points", "unit"),
    ("5 km", "5 minutes", "no"), ("$10/mo", "$10 / month", "same"),
    ("$29 per month", "$29 once", "period"), ("a one-time fee of $29", "$29 a year", "period"),
    ("a one-time fee of $29", "$29", "same"), (".05", "5", "no"),
    ("no charge", "the fee is waived", "same"),
    # an hour, with and without what tells that it is one
    ("at 5 p.m.", "from 8 to 17", "same"),
    ("2 million years", "2 billion years", "unit"), ("2 million years", "3 billion years", "no"),
    # a bound is exact, and "about" stands only where the source rounds to it
    ("up to €255", "€250", "no"), ("over 200 species", "213 species", "no"),
    ("about 55 people", "52 people", "no"), ("about 300 people", "296 people", "same"),
    ("about 50 people", "49 people", "same"), ("about 50 people", "40 people", "no"),
    # figures keep their precision, also where one has no unit
    ("29 minutes", "30", "no"), ("7 kg", "6.30", "no"), ("1.5 hours", "89 minutes", "same"),
    ("91 minutes", "1.5 hours", "no"), ("61 miles", "100 km", "no"), ("62 miles", "100 km", "same"),
    # a labelled number needs its label
    ("class 6", "six months", "no"), ("level 4", "16:00", "no"), ("class 6", "Class 6", "same"),
    ("class 6", "grade 6", "no"), ("class 6", "6 members", "no"), ("section 4", "Sec. 4", "same"),
    ("classes 6", "class 6", "same"), ("class 6", "| 6 |", "same"),
    # a share is of something
    ("half of £48", "£24", "same"), ("£24", "half of £48", "same"), ("half of £48", "£48", "same"),
    ("£48", "half of £48", "same"), ("a third of the $48", "$16", "same"),
    ("half of £48", "£50", "no"), ("half the 30 days", "15 days", "same"),
    # a table in millions
    ("£36.5 million", "36.5", "same"), ("£36.5 million", "365", "no"),
    # a number that counts or numbers something else
    ("two months", "tip 2 of 2 rooms", "no"), ("12 people", "12 km", "no"),
    ("3 times a day", "3 tablets a day", "no"),
    # pounds are money or mass, and as mass no kilograms
    ("30 pounds", "30 kg", "unit"), ("30 kg", "30 pounds", "unit"), ("66 pounds", "30 kg", "same"),
    ("12 pounds", "12 lb", "same"), ("2 pounds", "2 grams", "unit"), ("1 pound", "16 oz", "same"),
    ("7 pounds", "£7", "same"), ("£7", "7 pounds", "same"), ("7 pounds", "EGP 7", "same"),
    ("14 pounds", "1 stone", "same"), ("8 pounds", "8 tonnes", "unit"),
    ("70 pounds", "70 miles", "no"),
    # dates
    ("2024-03-05", "5 March 2024", "same"), ("March 2024", "5 March 2024", "same"),
    ("the 2020s", "5 March 2024", "same"), ("in 1995", "the 1990s", "no"),
    ("5 March 2024", "5 March", "no"), ("03/05/2024", "3 May 2024", "same"),
    ("on the 5th", "5 March 2024", "same"), ("5 March 2024", "5 km", "no"),
    ("5 requests per minute", "5 requests per hour", "period"),
    # times
    ("3 pm", "3:00", "same"),
    ("3 pm CET", "3 pm EST", "unit"),
    ("3 pm ET", "3 pm CET", "unit"), ("7:30 PM ET", "7:30 PM EST", "same"),
    ("-$1,200", "$1,200", "same"), ("-5 °C", "5 °C", "no"),
    ("030 1234567", "+49 30 1234567", "same"), ("(555) 123-4567", "(555) 123-4568", "no"),
    ("3 pm", "3 hours", "no"), ("4:45 pm", "up to 16.45", "same"), ("7:30", "7.30 tons", "no"),
    ("8:30 am", "from 8.00 to 8.30", "same"),
    # literals
    ("INV-2024-001", "INV-2024-002", "no"),
]  # fmt: skip

# What stands in another group of values: told when the two are laid side by side, not looked up.
SIDE_BY_SIDE = [
    ("about $12", "$10-15", "same"), ("twice a year", "every six months", "same"),
    ("four times a day", "every six hours", "same"),
]  # fmt: skip
