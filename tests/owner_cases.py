"""Self-written values at their own and at another's place: chunks, answer, value, nearest value."""

PLANS = ("| Plan | Basic | Pro |\n|---|---|---|\n| Price | $10 | $49 |\n| Seats | 3 | 5 |",)
OPEN = ("Plan | Basic | Pro\n--- | --- | ---\nprice | $10 | $49\nseats | 3 | 5\n",)
BOLD = ("| | **Basic** | **Pro** |\n|:--|--:|--:|\n| **Price** | **$10** | `$49` |\n",)
HOLES = ("| Plan | Basic | Plus | Pro |\n|---|---|---|---|\n| Price | | $25 | $49 |\n",)
ROWS = ("| Plan | Seats | Price |\n|---|---|---|\n| Basic | 3 | $10 |\n| Pro | 5 | $49 |\n",)
YEARS = ("| Region | 2021 | 2022 |\n|---|---|---|\n| Alder sales | $12,000 | $15,000 |\n",)
PRICES = "| Plan | Basic | Pro |\n|---|---|---|\n| Price | $10 | $49 |\n"
LAMPS = "| Lamp | Oval | Round |\n|---|---|---|\n| Price | $49 | $10 |\n"
TWO_TABLES = (f"{PRICES}\n{LAMPS}",)
MANY = (f"{ROWS[0]}| Plus | many | $25 |\n",)
FILLER = "".join(
    f"| Feature {word} of the plan | included | included |\n" for word in "abcdefgh" * 6
)
LONG = (f"| Plan | Basic | Pro |\n|---|---|---|\n{FILLER}| Price | $10 | $49 |\n",)
SHARED = ("| Plan | Basic | Pro |\n|---|---|---|\n| Users | 3 | 5 |\n| Admins | 5 | 3 |\n",)

LISTED = ("Basic and Pro cost $10 and $49 per month, respectively.",)
THREE = ("Basic, Plus and Pro cost $10, $25 and $49 a month, respectively.",)
DOSES = ("Adults and children take 500 mg and 250 mg respectively.",)
UNIT_ONCE = ("Adults and children take 500 and 250 mg respectively.",)
BEHIND = ("We charge $10 and $49 respectively for Basic and Pro.",)
ORDER = ("Alder and Borne have 18,900 and 65,300 inhabitants, in that order.",)
OPENED = ("The theatre and the library opened in 1944 and 1951, respectively.",)
COLON = ("The prices of Basic & Pro are, respectively, $10 and $49.",)

CLAUSES = ("Adults take 500 mg twice daily; children take 250 mg twice daily.",)
WHILE = ("Adults take 500 mg twice daily, while children take 250 mg twice daily.",)
AND = ("Adults take 500 mg twice daily and children take 250 mg twice daily.",)
SENTENCES = ("Adults take 500 mg twice daily. Children take 250 mg twice daily.",)
FOR = ("The dose is 500 mg for adults and 250 mg for children.",)
FOR_FIRST = ("For adults, the dose is 500 mg; for children, the dose is 250 mg.",)
ELIDED = ("Adults take 500 mg twice daily, children 250 mg.",)
TOLD = ("Basic costs $10 per month. Pro costs $49 per month.",)
BOTH_SAY = (
    "Adults take 500 mg twice daily; children take 250 mg twice daily.",
    "In June children took 500 mg twice daily.",
)

BESIDES = (*CLAUSES, "A dose of 500 mg is also given to children of heavy weight.")
RESTING = ("On days of rest adults take 500 mg. Children take 250 mg.",)

SHIPPING = (
    (
        "| Method | Time | Fee |\n|---|---|---|\n"
        "| Rail | 4-6 days | $12 |\n| Air | 1-2 days | $80 |\n"
        "| Sea | 30-40 days | $5 |\n"
    ),
)
BEERS = (
    (
        "| | Lager | Stout |\n|---|---|---|\n| Strength | 4-5% | 6-8% |\n"
        "| Aging | 3 to 4 weeks | 8 to 10 weeks |\n"
    ),
)
DOGS = ("Small dogs live 12 to 15 years, large dogs live 8 to 10 years.",)
PLANTS = ("Seedlings need 2-3 litres a week; grown trees need 20-30 litres a week.",)
FEE_RANGES = ("Novices and experts pay $10-$15 and $40-$60 respectively.",)

# A range is one value: chunks, answer, value seen, nearest evidence
RANGES = [
    (SHIPPING, "Air takes 4-6 days.", "4-6 days", "1-2 days"),
    (SHIPPING, "Rail needs 1 to 2 days.", "1 to 2 days", "4-6 days"),
    (SHIPPING, "By sea it takes 4-6 days.", "4-6 days", "30-40 days"),
    (SHIPPING, "Air takes 4 to 6 days and costs $80.", "4 to 6 days", "1-2 days"),
    (SHIPPING, "| Method | Time |\n|---|---|\n| Air | 4-6 days |\n", "4-6 days", "1-2 days"),
    (BEERS, "The stout has a strength of 4-5%.", "4-5%", "6-8%"),
    (BEERS, "The aging of the lager takes 8 to 10 weeks.", "8 to 10 weeks", "3 to 4 weeks"),
    (DOGS, "Large dogs live 12 to 15 years.", "12 to 15 years", "8 to 10 years"),
    (PLANTS, "Seedlings need 20-30 litres a week.", "20-30 litres a week", "2-3 litres a week"),
    (FEE_RANGES, "Experts pay $10 to $15.", "$10 to $15", "$40-$60"),
    (FEE_RANGES, "Novices pay $40-60.", "$40-60", "$10-$15"),
]
OWN_RANGES = [
    (SHIPPING, "Air takes 1-2 days."),
    (SHIPPING, "Rail needs 4 to 6 days."),
    (SHIPPING, "By sea it takes 30 to 40 days."),
    (SHIPPING, "Air takes 1 to 2 days and costs $80, rail takes 4-6 days."),
    (SHIPPING, "Unlike rail with 4-6 days, air is quick."),
    (SHIPPING, "| Method | Time |\n|---|---|\n| Air | 1-2 days |\n| Rail | 4-6 days |\n"),
    (BEERS, "The stout has a strength of 6-8%."),
    (BEERS, "The lager is aged for 3-4 weeks."),
    (DOGS, "Large dogs live 8-10 years."),
    (DOGS, "Small dogs live 12-15 years, larger ones 8-10."),
    (PLANTS, "Seedlings need 2 to 3 litres a week."),
    (FEE_RANGES, "Experts pay $40 to $60."),
    (FEE_RANGES, "Novices pay $10 to $15."),
]

# chunks, answer, value seen, nearest evidence
ANOTHERS = [
    # the heads of the columns are the owners
    (PLANS, "The Basic plan costs $49.", "$49", "$10"),
    (PLANS, "Basic includes 5 seats.", "5", "3"),
    (PLANS, "For $10 you get the Pro plan.", "$10", "$49"),
    (PLANS, "With Pro you get 3 seats.", "3", "5"),
    (OPEN, "The Basic plan costs $49.", "$49", "$10"),
    (OPEN, "Basic includes 5 seats.", "5", "3"),
    (BOLD, "Basic costs $49.", "$49", "$10"),
    (HOLES, "Plus costs $49.", "$49", "$25"),
    (YEARS, "Alder sales were $15,000 in 2021.", "$15,000", "$12,000"),
    (TWO_TABLES, "The price of the oval lamp is $10.", "$10", "$49"),
    (LONG, "Basic has a price of $49.", "$49", "$10"),
    (SHARED, "Basic has 5 users.", "5", "3"),
    # those of the rows
    (ROWS, "Basic includes 5 seats.", "5", "3"),
    (ROWS, "The Basic plan costs $49.", "$49", "$10"),
    (MANY, "Basic includes 5 seats and Plus many.", "5", "3"),
    # two lists
    (LISTED, "Pro costs $10 per month.", "$10 per month", "$49 per month"),
    (LISTED, "Basic costs $49 per month.", "$49 per month", "$10"),
    (THREE, "Plus costs $49 a month.", "$49 a month", "$25"),
    (DOSES, "Children take 500 mg.", "500 mg", "250 mg"),
    (UNIT_ONCE, "Adults take 250 mg.", "250 mg", "500"),
    (BEHIND, "Pro costs $10.", "$10", "$49"),
    (ORDER, "Borne has 18,900 inhabitants.", "18,900", "65,300"),
    (OPENED, "The library opened in 1944.", "1944", "1951"),
    (COLON, "Basic has a price of $49.", "$49", "$10"),
    # clauses of one shape
    (CLAUSES, "Children take 500 mg twice daily.", "500 mg", "250 mg"),
    (CLAUSES, "Adults should take 250 mg.", "250 mg", "500 mg"),
    (WHILE, "Children take 500 mg twice daily.", "500 mg", "250 mg"),
    (AND, "Children take 500 mg twice daily.", "500 mg", "250 mg"),
    (SENTENCES, "Children take 500 mg twice daily.", "500 mg", "250 mg"),
    (FOR, "Children take 500 mg.", "500 mg", "250 mg"),
    (FOR, "The dose for adults is 250 mg.", "250 mg", "500 mg"),
    (FOR_FIRST, "The dose for children is 500 mg.", "500 mg", "250 mg"),
    (ELIDED, "Children take 500 mg.", "500 mg", "250 mg"),
]

# chunks, answer, values seen with their nearest evidence
SEVERAL = [
    (
        TOLD,
        "Basic and Pro cost $49 and $10 per month, respectively.",
        [("$49", "$10 per month"), ("$10 per month", "$49 per month")],
    ),
    (PLANS, "Basic and Pro cost $49 and $10, respectively.", [("$49", "$10"), ("$10", "$49")]),
    (PLANS, "The Basic plan costs $49 and Pro costs $10.", [("$49", "$10"), ("$10", "$49")]),
    (LISTED, "Basic costs $49 and Pro $10.", [("$49", "$10"), ("$10", "$49 per month")]),
    (
        CLAUSES,
        "Adults take 250 mg and children 500 mg twice daily.",
        [("250 mg", "500 mg"), ("500 mg", "250 mg")],
    ),
    (
        TOLD,
        "| Plan | Basic | Pro |\n|---|---|---|\n| Price | $49 | $10 |\n",
        [("$49", "$10 per month"), ("$10", "$49 per month")],
    ),
    (PLANS, "| Plan | Basic | Pro |\n|---|---|---|\n| Seats | 5 | 3 |\n", [("5", "3"), ("3", "5")]),
    (PLANS, "| Plan | Seats |\n|---|---|\n| Basic | 5 |\n| Pro | 3 |\n", [("5", "3"), ("3", "5")]),
    (
        ROWS,
        "| | Basic | Pro |\n|---|---|---|\n| Price | $49 | $10 |\n",
        [("$49", "$10"), ("$10", "$49")],
    ),
    (
        TOLD,
        "Plan | Price\n--- | ---\nBasic | $49\nPro | $10\n",
        [("$49", "$10 per month"), ("$10", "$49 per month")],
    ),
]

ITS_OWN = [
    (PLANS, "The Basic plan costs $10 and Pro costs $49."),
    (PLANS, "Pro includes 5 seats, Basic has 3."),
    (PLANS, "For $49 you get the Pro plan."),
    (PLANS, "Pro costs more than $10."),
    (PLANS, "Basic does not cost $49."),
    (PLANS, "Pro, unlike Basic, has 5 seats."),
    (PLANS, "With Pro you get 5 seats instead of the 3 of Basic."),
    (PLANS, "Basic and Pro cost $10 and $49."),
    (PLANS, "Enterprise costs $49."),
    (PLANS, "Basic runs on 5 screens."),
    (OPEN, "Pro includes 5 seats."),
    (BOLD, "Pro costs $49 and Basic costs $10."),
    (HOLES, "Basic costs $49."),
    (YEARS, "In 2022 Alder sales were $15,000."),
    (TWO_TABLES, "The price of the round lamp is $10."),
    (TWO_TABLES, "Basic costs $10."),
    (LONG, "Pro has a price of $49."),
    (SHARED, "Basic has 5 admins."),
    (SHARED, "Basic has 3 users and 5 admins."),
    (ROWS, "Basic includes 3 seats, Pro 5."),
    (LISTED, "Pro costs $49 per month."),
    (LISTED, "Basic costs $10 per month."),
    (LISTED, "Basic and Pro cost $10 and $49 per month, respectively."),
    (LISTED, "Pro and Basic cost $49 and $10 per month, respectively."),
    (THREE, "Plus costs $25 a month."),
    (DOSES, "Children take 250 mg."),
    (UNIT_ONCE, "Children take 250 mg, adults take 500 mg."),
    (BEHIND, "Pro costs $49."),
    (ORDER, "Borne has 65,300 inhabitants."),
    (OPENED, "The library opened in 1951."),
    (CLAUSES, "Adults take 500 mg twice a day."),
    (CLAUSES, "Children take 250 mg twice daily."),
    (CLAUSES, "Adults take 500 mg and children 250 mg twice daily."),
    (CLAUSES, "Patients take 500 mg twice daily."),
    (WHILE, "Children take 250 mg and adults take 500 mg."),
    (SENTENCES, "Adults take 500 mg twice daily."),
    (FOR, "Adults take 500 mg."),
    (FOR_FIRST, "The dose for children is 250 mg."),
    (BESIDES, "Children take 500 mg twice daily."),
    (RESTING, "On days of rest children take 500 mg."),
    (PLANS, "|---|---|---|\n| Price | $49 | $10 |\n"),
    (PLANS, f"{LAMPS}\n{PRICES}".replace("Lamp", "Tree")),
    (BOTH_SAY, "Children took 500 mg twice daily."),
    (TOLD, "Basic and Pro cost $10 and $49 per month, respectively."),
    (TOLD, "| Plan | Basic | Pro |\n|---|---|---|\n| Price | $10 | $49 |\n"),
    (PLANS, "| Plan | Seats |\n|---|---|\n| Basic | 3 |\n| Pro | 5 |\n"),
]
