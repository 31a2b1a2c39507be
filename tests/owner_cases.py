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

HOTEL = ("The hotel by the lake has 120 rooms and 3 restaurants.",)
GUESTS = ("The hotel by the lake has 120 guest rooms, 3 restaurants and 45 parking spaces.",)
SLOPES = ("Kesmark has 14 lifts and 38 runs. The valley has 2 ski schools.",)
FLEET = ("The line runs 27 ferries on 9 routes. It employs 640 people.",)
SCHOOL = ("The school of Alder teaches 410 pupils in 18 classes, with 32 teachers.",)
PARK = ("There are 23 ponds in the park, and 7 bridges cross them.",)
RULES = ("A password needs 12 characters and 2 digits. After 5 attempts the account is locked.",)
VISITS = ("The museum counted 900 visitors a day in June and holds 250 paintings.",)
CAREGIVERS = (("Primary caregivers receive 26 weeks of leave and secondary caregivers 8 weeks."),)
PARENTS = (
    (
        "The first parent may take 20 weeks of leave at full pay. The second parent "
        "may take 4 weeks at full pay."
    ),
)
BUSES = (
    (
        "Buses leave at 06:10, 11:30 and 17:45 from May to August; in winter only "
        "the 11:30 bus runs."
    ),
)
PARCELS = ("Large parcels cost $18 to send and small parcels $7.",)
MEMBERS = ("Junior members pay a fee of $40 a year, while senior members pay $90.",)
FEEDING = ("Adult dogs need 300 grams of food a day and young dogs 450 grams.",)

# Clauses of unequal shape: chunks, answer, value seen, nearest evidence
UNEQUAL = [
    (CAREGIVERS, "Secondary caregivers get 26 weeks.", "26 weeks", "8 weeks"),
    (CAREGIVERS, "Secondary caregivers receive 26 weeks of leave.", "26 weeks", "8 weeks"),
    (CAREGIVERS, "Primary caregivers get 8 weeks of leave.", "8 weeks", "26 weeks"),
    (PARENTS, "The second parent may take 20 weeks of leave at full pay.", "20 weeks", "4 weeks"),
    (PARENTS, "The first parent may take 4 weeks of leave.", "4 weeks", "20 weeks"),
    (BUSES, "In winter only the 17:45 bus runs.", "17:45", "11:30"),
    (PARCELS, "Small parcels cost $18 to send.", "$18", "$7"),
    (PARCELS, "Large parcels cost $7.", "$7", "$18"),
    (MEMBERS, "Senior members pay a fee of $40 a year.", "$40 a year", "$90"),
    (MEMBERS, "Junior members pay $90 a year.", "$90 a year", "$40 a year"),
    (FEEDING, "Young dogs need 300 grams of food a day.", "300 grams", "450 grams"),
    (FEEDING, "Adult dogs need 450 grams of food.", "450 grams", "300 grams"),
]
OWN_UNEQUAL = [
    (BUSES, "The last bus leaves at 17:45."),
    (BUSES, "The first of the buses leaves at 06:10 and the last one at 17:45."),
    (CAREGIVERS, "Secondary caregivers get 8 weeks."),
    (CAREGIVERS, "Primary caregivers receive 26 weeks of leave."),
    (CAREGIVERS, "Primary caregivers get 26 weeks and secondary ones 8 weeks."),
    (PARENTS, "The second parent may take 4 weeks of leave at full pay."),
    (PARENTS, "The first parent may take 20 weeks."),
    (BUSES, "In winter only the 11:30 bus runs."),
    (BUSES, "From May to August there is a bus at 17:45."),
    (PARCELS, "Small parcels cost $7 to send."),
    (MEMBERS, "Senior members pay a fee of $90 a year."),
    (MEMBERS, "Junior members pay $40."),
    (FEEDING, "Young dogs need 450 grams of food a day."),
    (FEEDING, "Adult dogs need 300 grams of food."),
    (CAREGIVERS, "Caregivers get 26 or 8 weeks of leave."),
    (FEEDING, "Both dogs need food, the young ones 450 grams."),
    (
        ("On days of rest adult dogs eat 300 grams. Young dogs eat 450 grams.",),
        "On days of rest young dogs eat 300 grams.",
    ),
    (
        ("Adult dogs eat 300 grams and the dogs of the young 450 grams.",),
        "Young people's dogs eat 300 grams.",
    ),
]

# chunks, answer, value seen, nearest evidence
ANOTHERS = [
    # the number of other things
    (HOTEL, "The hotel by the lake has 3 rooms.", "3", "120"),
    (HOTEL, "The hotel has 120 restaurants by the lake.", "120", "3"),
    (GUESTS, "The hotel by the lake has 45 guest rooms.", "45", "120"),
    (GUESTS, "The hotel by the lake has 45 rooms.", "45", "120"),
    (GUESTS, "The hotel by the lake has 120 parking spaces.", "120", "45"),
    (SLOPES, "In Kesmark there are 38 lifts.", "38", "14"),
    (SLOPES, "Kesmark has 14 runs.", "14", "38"),
    (FLEET, "The line runs 9 ferries.", "9", "27"),
    (SCHOOL, "The school of Alder teaches 32 pupils.", "32", "410"),
    (SCHOOL, "The school has 410 teachers and is in Alder.", "410", "32"),
    (PARK, "The park has 7 ponds.", "7", "23"),
    (RULES, "A password needs 2 characters.", "2", "12"),
    (VISITS, "The museum holds 900 paintings.", "900", "250"),
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
    (HOTEL, "The hotel by the lake has 3 rooms and 120 restaurants.", [("3", "120"), ("120", "3")]),
    (SLOPES, "Kesmark has 38 lifts and 14 runs.", [("38", "14"), ("14", "38")]),
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
    (HOTEL, "The hotel by the lake has 120 rooms and 3 restaurants."),
    (HOTEL, "There are 3 restaurants and 120 rooms in the hotel by the lake."),
    (HOTEL, "The hotel by the lake has 120 large rooms."),
    (HOTEL, "Of restaurants the hotel by the lake has 3."),
    (HOTEL, "The hotel by the lake has 3 places to eat."),
    (GUESTS, "The hotel by the lake has 120 rooms."),
    (GUESTS, "The hotel by the lake has 45 spaces for parking."),
    (SLOPES, "Kesmark has 38 runs and 14 lifts."),
    (FLEET, "On its 9 routes the line runs 27 ferries."),
    (FLEET, "The line has 640 employees."),
    (SCHOOL, "The school of Alder has 410 pupils, 32 teachers and 18 classes."),
    (SCHOOL, "In 18 classes 410 pupils are taught by 32 teachers."),
    (PARK, "The ponds in the park number 23."),
    (PARK, "The park has 7 bridges."),
    (RULES, "After 5 failed attempts the account is locked."),
    (RULES, "A password needs 2 digits and 12 characters."),
    (("Rooms: 120. Restaurants: 3. The hotel has 45 rooms by the lake.",), "There are 120 rooms."),
    (("Three rooms face the lake. The hotel has 120 rooms and 3 bars.",), "3 rooms face the lake."),
    (("1 in 8 chicks lays 12 eggs a week on the farm.",), "On the farm 1 in 12 chicks lays eggs."),
    (("Bake 12 small or 24 large buns in the oven.",), "Bake 12 buns in the oven."),
    (("The farm keeps 8 to 12 hens and 24 ducks.",), "The farm keeps 8-12 ducks."),
    (("A mile in the park has 8 large, 12 small ponds.",), "The park has 12 large ponds."),
    (tuple(f"The park has {n} ponds and 7 elms." for n in range(20, 40)), "The park has 7 ponds."),
    (VISITS, "The museum holds 250 paintings, and 900 visitors came a day in June."),
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
