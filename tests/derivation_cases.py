"""Sources, sentences, and the value of each that follows from the sources, or does not.

Self-written. A case is (sentence, value as written, the words of its derivation); a wrong one has
None instead of the words.
"""

PLANS = (
    "The Basic plan costs $29 per month. The Pro plan costs $49 per month and includes 5 seats."
    " The Team plan costs $99 per month."
)
REVENUE = "Revenue was $40 million in 2019 and $50 million in 2020."
TABLE = (
    "| Region | Sales |\n| --- | --- |\n| North | 120 |\n| South | 180 |\n| East | 100 |\n\n"
    "Figures are for last year."
)
OFFER = "We offer these plans:\n- Basic\n- Pro\n- Enterprise\n\nWrite to us for more."
STEPS = "To reset the lamp:\n1. Unplug it.\n2. Wait.\n3. Plug it in.\n4. Press the button.\n"
LIFE = "Marie Holt was born on 4 May 1879 and died on 12 March 1955."
FIRM = "The firm was founded in 1950 and sold in 2001. Its founder died in 1990, aged 62."
TRIAL = "The trial lasts 14 days. It starts on 1 March 2024."
CLUB = "The club is there from noon to 6 pm."
HOURS = "The shop is open from 9 am to 5 pm. Deliveries take 90 minutes from noon."
SALE = "The jacket costs $80. Members get 25% off."
VOTE = "62% of the members voted yes. Half of the staff were asked. 45 of 180 guests replied."
WAGE = "Pay for the job is $18 per hour."
TICKETS = "Tickets cost $12 per person. A group ticket for 10 costs $90. Lockers cost $3 each."
LENGTHS = "The river is 300 miles long. The wells are 45, 75 and 270 meters deep."
CROWD = "The hall seats 1,937 people. The annex seats 263."
NOTICE = "Notice must be given 3 months in advance. The warranty is valid for 24 months."
STORAGE = "Basic has 10 GB of storage. Pro has twice as much storage as Basic."
ADMISSION = "Admission is 12 euros, reduced 8 euros. Children under 6 enter free."
BILLING = "Pro costs $25 per month. Every plan is billed monthly.\n\nAnnual billing saves 20%."
EXPRESS = "The train covers 300 km in 2 hours."
TONGUES = "The app is available in English, German, French and Spanish."
SETUP = "Setup costs $100. The monthly fee is $20."
RENTAL = (
    "The machine is rented for $45 per month. Delivery costs $60 and the deposit is $150."
    " The lease runs for 24 months."
)
HONEY = "Honey costs $11 per kg. It keeps for 6 to 8 months."
WAR = "The war lasted from 1618 to 1648. The treaty was signed in October."
ROSE = "The share rose from 40% to 45%. The price rose from $40 to $50."
SEATS = "The hall has 14 rows of 22 seats."
ROOM = "The room is 5 meters long and 4 meters wide."
TRAIN = "The train runs at 60 km/h. The trip takes 3 hours."
FAR = "The coast is 180 km away. The train runs at 60 km/h."
FAST = "The train covers 180 km in 3 hours."
COLD = "It was 22 °C in Oslo and 15 °C in Bergen. It was 46 °F in Lima and 50 °F in Quito."
PAIR = "Anna, 34, and Ben, 22, run the shop."
KIN = "Carl is 51 years old. Dora is 44 years old."
PONDS = "The lake has 40 fish and the pond has 10."
CLOSED = "The bridge was closed in March 2019 and opened again in July 2020."
FAIR = "The fair runs from 3 May to 7 May."
RANGE = "A seat costs $10-$15 per month. Repairs take 20 to 30 minutes."
TAXED = "A night costs $200 plus 15% tax."
CARD = "There are three cards in all. 50% of the guests have one."
TOWNS = "| Town | Pop. |\n|---|---|\n| Abel | 10 |\n| Bree | 20 |\n"
GOODS = "On sale: rope, twine, wire and chain. Ask (for help, or for a bag) at the desk."
JOIN = "The store, which opened last year at the corner of the square, sells tea, milk and bread."
TRIP = "The tour takes a week. It begins in June 2021."
TRAIL = "The trail is 12 km long. The lake is 90 km away."
FEE = "The fee is $240. The contract runs for 24 months."
ROADS = "All roads lead to Abel on the coast, to Bree and to Cork, the three towns there are."
CREW = "When fog comes, the roles on deck of the old ship are cook, guide and driver."
RENT = "Rent is $300 per week. The lease runs for 2 years."
DOSE = "One tablet of 20 mg is taken twice daily. Over 65 the dose is 10 mg once daily."
SHELF = "The shelf holds desks for $90, tapes for $10 and lamps for $40 per user. It has a lid."
SALES = (
    "The chain has 900 people at 11 sites. Sales in 2023 were $412 million, up from $371 million."
    " Profit fell from $48 million to $41 million."
)
LODGE = "Stay at Fjellro Lodge (9 rooms, from NOK 1,150 per night). Tents cost NOK 220."
SEATED = "Starter costs $12 per user per month. Team costs $24 per user per month."
TERM = "The lease begins on 1 July 2023 for an initial term of thirty-six (36) months."
BOX = "The box measures (W x H x D) 42 x 36 x 24.5 cm. It is green."
ODDS = (
    "One in four guests has a card. Rare effects: 30 out of 1000 people. In 2 in 1 cases it fails."
)
OFFICE = "The office is open from 09:00 to 17:00. Noon is for lunch."
CHIEF = (
    "The yard was founded in 1954. In 1972 it bought a dock. It went public in 1987. In 2003 Kari"
    " Moe became chief; she left in 2016."
)
ACCOUNTS = (
    "| Service | Basic | Premium |\n|---|---|---|\n| Monthly fee | €2.50 | €7.90 |\n"
    "| Cash abroad | €4.00 | free |\n"
)
BABY = "Eva Lind, 40 years old, retired in 2010."
BOXES = "They sent 14 boxes with 12 jars in each."

RIGHT = [
    (PLANS, "The Pro plan costs $588 per year.", "$588 per year", "$49 per month × 12"),
    (PLANS, "The Pro plan costs $588 annually.", "$588 annually", "$49 per month × 12"),
    (PLANS, "Pro is $49 monthly, or $588 a year.", "$588 a year", "$49 monthly × 12"),
    (PLANS, "The annual price of the Team plan is $1,188.", "$1,188", "$99 per month × 12"),
    (ADMISSION, "A family of two adults would pay €24 in total.", "€24", "12 euros × two"),
    (ADMISSION, "Three reduced tickets come to €24 altogether.", "€24", "8 euros × Three"),
    (BILLING, "With annual billing, Pro costs $20 per month.", "$20 per month",
     "$25 per month - 20%"),
    (EXPRESS, "That is 150 km/h on average.", "150 km/h", "300 km ÷ 2 hours"),
    (TONGUES, "It is available in 4 languages.", "4",
     "4 listed: The app is available in English, German, French and Spanish"),
    (SETUP, "In the first year you pay $340 in total.", "$340", "$100 + $20/month × 12"),
    (SETUP, "Over six months you pay $220 in all, setup included.", "$220",
     "$100 + $20/month × 6"),
    (SETUP, "Including setup, the first year costs $340.", "$340", "$100 + $20/month × 12"),
    (SETUP, "With the setup, a full year comes to $340.", "$340", "$100 + $20/month × 12"),
    (RENTAL, "Renting the machine with delivery for 6 months costs $330 altogether.", "$330",
     "$60 + $45 per month × 6"),
    (RENTAL, "In total, delivery and the whole lease of the machine come to $1,140.", "$1,140",
     "$60 + $45 per month × 24"),
    (PLANS, "Two years of Pro cost $1,176.", "$1,176", "$49 per month × 24"),
    (PLANS, "For six months of Basic you pay $174.", "$174", "$29 per month × 6"),
    (PLANS, "Pro comes to about $11 per week.", "$11 per week", "$49 per month ÷ 4.33"),
    (PLANS, "Basic is less than a dollar a day: $0.97 per day.", "$0.97 per day",
     "$29 per month ÷ 30"),
    (PLANS, "Basic and Pro together cost $78 per month.", "$78 per month",
     "$29 per month + $49 per month"),
    (PLANS, "All of the plans together cost $177 a month.", "$177 a month",
     "$29 per month + $49 per month + $99 per month"),
    (PLANS, "Team costs $50 more per month than Pro.", "$50", "$99 per month - $49 per month"),
    (PLANS, "Basic is $20 cheaper than Pro.", "$20", "$49 per month - $29 per month"),
    (PLANS, "On average the plans cost $59 per month.", "$59 per month",
     "($29 per month + $49 per month + $99 per month) ÷ 3"),
    (PLANS, "Pro is 69% more expensive than Basic.", "69%",
     "($49 per month - $29 per month) ÷ $29 per month"),
    (PLANS, "Basic is 41% cheaper than Pro.", "41%",
     "($49 per month - $29 per month) ÷ $49 per month"),
    (REVENUE, "Revenue grew by 25% from 2019 to 2020.", "25%",
     "($50 million - $40 million) ÷ $40 million"),
    (REVENUE, "Revenue rose by $10 million.", "$10 million", "$50 million - $40 million"),
    (REVENUE, "Over both years revenue came to $90 million.", "$90 million",
     "$40 million + $50 million"),
    (REVENUE, "Revenue averaged $45 million.", "$45 million",
     "($40 million + $50 million) ÷ 2"),
    (TABLE, "Sales total 400 across all regions.", "400", "120 + 180 + 100"),
    (TABLE, "South sold 60 more than North.", "60", "180 - 120"),
    (TABLE, "North and East together sold 220.", "220", "120 + 100"),
    (TABLE, "North accounts for 30% of all sales.", "30%", "120 ÷ (120 + 180 + 100)"),
    (TABLE, "South had 1.5 times the sales of North.", "1.5", "180 ÷ 120"),
    (OFFER, "There are 3 plans.", "3", "3 listed: - Basic - Pro - Enterprise"),
    (OFFER, "The passages name three plans.", "three", "3 listed: - Basic - Pro - Enterprise"),
    (STEPS, "The lamp is reset in 4 steps.", "4",
     "4 listed: 1. Unplug it. 2. Wait. 3. Plug it in. 4. Press the button."),
    (LIFE, "She died at the age of 75.", "75", "12 March 1955 - 4 May 1879"),
    (LIFE, "Marie Holt lived for 75 years.", "75 years", "12 March 1955 - 4 May 1879"),
    (FIRM, "The firm was sold 51 years after it was founded.", "51 years", "2001 - 1950"),
    (FIRM, "The founder was born in 1928.", "1928", "1990 - 62"),
    (FIRM, "The founder was born in 1927 or 1928.", "1927", "1990 - 62"),
    (TRIAL, "The trial ends on 15 March 2024.", "15 March 2024", "1 March 2024 + 14 days"),
    (TRIAL, "The trial runs until March 15.", "March 15", "1 March 2024 + 14 days"),
    (HOURS, "The shop is open for 8 hours a day.", "8 hours a day", "5 pm - 9 am"),
    (CLUB, "The club is there from 12 to 18.", "12 to 18", "noon to 6 pm"),
    (HOURS, "A delivery from noon arrives at 1:30 pm.", "1:30 pm", "noon + 90 minutes"),
    (SALE, "Members pay $60 for the jacket.", "$60", "$80 - 25%"),
    (SALE, "Members save $20 on the jacket.", "$20", "25% of $80"),
    (VOTE, "The remaining 38% did not vote yes.", "38%", "100% - 62%"),
    (VOTE, "50% of the staff were asked.", "50%", "Half of the"),
    (VOTE, "A quarter of the guests, 25%, replied.", "25%", "45 ÷ 180"),
    (WAGE, "That is $37,440 a year for full-time work.", "$37,440 a year", "$18 per hour × 2,080"),
    (WAGE, "A day of 8 hours pays $144.", "$144", "$18 per hour × 8"),
    (TICKETS, "A family of 4 pays $48.", "$48", "$12 per person × 4"),
    (TICKETS, "In the group of 10 each person pays $9.", "$9", "$90 ÷ 10"),
    (TICKETS, "For 5 lockers you pay $15.", "$15", "$3 each × 5"),
    (LENGTHS, "On average the wells are 130 meters deep.", "130 meters",
     "(45 + 75 + 270 meters) ÷ 3"),
    (LENGTHS, "The wells are 390 meters deep in total.", "390 meters", "45 + 75 + 270 meters"),
    (CROWD, "Hall and annex seat 2,200 people in total.", "2,200", "1,937 + 263"),
    (CROWD, "The hall seats over 1,600 people.", "1,600", "1,937, rounded"),
    (CROWD, "Some 88% of the seats are in the hall.", "88%", "1,937 ÷ (1,937 + 263)"),
    (NOTICE, "Notice must be given 90 days in advance.", "90 days", "3 months, a month as 30 days"),
    (NOTICE, "Bought on 3 May 2023, it has a warranty that ends on 3 May 2025.", "3 May 2025",
     "3 May 2023 + 24 months"),
    (STORAGE, "Pro has 20 GB of storage.", "20 GB", "10 GB × 2"),
    (HONEY, "Honey costs about $5 per lb.", "$5 per lb", "$11 per kg ÷ 2.2"),
    (HONEY, "For 3 kg of honey you pay $33.", "$33", "$11 per kg × 3"),
    (BOXES, "In total 168 jars were sent.", "168", "12 each × 14"),
    (WAR, "The war went on for 30 years.", "30 years", "1648 - 1618"),
    (ROSE, "The share rose by 5 percentage points.", "5 percentage points", "45% - 40%"),
    (ROSE, "The price rose by 25%.", "25%", "($50 - $40) ÷ $40"),
    (SEATS, "The hall seats 308 people.", "308", "14 × 22"),
    (ROOM, "The room has an area of 20 square meters.", "20 square meters", "5 meters × 4 meters"),
    (TRAIN, "The trip is 180 km long.", "180 km", "60 km/h × 3 hours"),
    (FAR, "The train takes 3 hours to the coast.", "3 hours", "180 km ÷ 60 km/h"),
    (FAST, "The train runs at 60 km/h.", "60 km/h", "180 km ÷ 3 hours"),
    (COLD, "Oslo was 7 °C warmer than Bergen.", "7 °C", "22 °C - 15 °C"),
    (COLD, "Quito was 4 °F warmer than Lima.", "4 °F", "50 °F - 46 °F"),
    (PAIR, "Anna is 12 years older than Ben.", "12 years", "34 - 22"),
    (KIN, "Carl is 7 years older than Dora.", "7 years", "51 years - 44 years"),
    (PONDS, "The lake has four times as many fish as the pond.", "four", "40 ÷ 10"),
    (CLOSED, "The bridge was closed for 16 months.", "16 months", "July 2020 - March 2019"),
    (FAIR, "The fair is open for 5 days.", "5 days", "7 May - 3 May + 1 day"),
    (FAIR, "There are 4 days between start and end of the fair.", "4 days", "7 May - 3 May"),
    (RANGE, "A seat costs $120-$180 per year.", "$120-$180 per year", "$10-$15 per month × 12"),
    (TAXED, "With tax a night costs $230.", "$230", "$200 + 15%"),
    (CARD, "Half of the guests have one.", "Half of the", "50% = 0.5"),
    (TOWNS, "There are 2 towns in the table.", "2", "2 listed: | Abel | 10 | | Bree | 20 |"),
    (GOODS, "There are 4 kinds on sale.", "4", "4 listed: rope, twine, wire and chain"),
    (JOIN, "The store sells 3 goods: tea, milk and bread.", "3", "the list in the sentence"),
    (FIRM, "The founder, who was born in the year 1928, died at 62.", "1928", "1990 - 62"),
    (FIRM, "The sale came 11 years after the founder died.", "11 years", "2001 - 1990"),
    (WAR, "Ten years after 1648, in 1658, a new king came.", "1658", "1648 + Ten years"),
    (TRIP, "The tour is repeated 1 month after its start, in July 2021.", "July 2021",
     "June 2021 + 1 month"),
    (TRAIL, "The trail is about 7 miles long.", "7 miles", "12 km, converted"),
    (FEE, "The fee comes to $10 a month.", "$10 a month", "$240 ÷ 24"),
    (RENT, "Over the lease of 2 years you pay $31,200.", "$31,200", "$300 per week × 104"),
    (BABY, "Eva Lind was born in 1970.", "1970", "2010 - 40 years"),
    (VOTE, "45 of 180 guests is a rate of 25%.", "25%", "45 ÷ 180"),
    (WAR, "The talks failed 2 years before 1618, in 1616.", "1616", "1618 - 2 years"),
    (ROADS, "The roads lead to 5 towns on the coast: Abel, Bree, Cork, Dale and Eden.", "5",
     "the list in the sentence"),
    (CREW, "The crew has 3 roles.", "3",
     "3 listed: the roles on deck of the old ship are cook, guide and driver"),
    (DOSE, "Taking one tablet twice daily makes 40 mg per day.", "40 mg per day",
     "20 mg × twice daily"),
    (SALES, "Sales rose by $41 million to $412 million in 2023, by some 11%.", "11%",
     "($412 million - $371 million) ÷ $371 million"),
    (SEATED, "For 5 users Starter comes to $60 per month.", "$60 per month",
     "$12 per user per month × 5"),
    (SEATED, "Starter for ten seats costs $1,440 a year.", "$1,440 a year",
     "$12 per user per month × 120"),
    (SEATED, "A year of Team comes to $288 per user.", "$288 per user",
     "$24 per user per month × 12"),
    (TERM, "The initial term runs until 30 June 2026.", "30 June 2026",
     "1 July 2023 + thirty-six (36) months - 1 day"),
    (TERM, "The initial term runs until 1 July 2026.", "1 July 2026",
     "1 July 2023 + thirty-six (36) months"),
    (BOX, "The box is 6 cm wider than high.", "6 cm", "42 - 36"),
    (ODDS, "25% of the guests have a card.", "25%", "one in four"),
    (ODDS, "Rare effects show in 3% of the people.", "3%", "30 out of 1000"),
    (OFFICE, "The office is open 9 to 5.", "9", "09:00 to 17:00"),
    (OFFICE, "The office is open from 9 until 5.", "5", "09:00 to 17:00"),
    (CHIEF, "Kari Moe was chief for 13 years, from 2003 to 2016.", "13 years", "2016 - 2003"),
    (ACCOUNTS, "At €7.90 a month, Premium costs €94.80 a year.", "€94.80 a year",
     "€7.90 a month × 12"),
    (LODGE, "Two nights at Fjellro start at NOK 2,300.", "NOK 2,300", "NOK 1,150 per night × 2"),
    (HOURS, "90 minutes before noon, at 10:30 am, the trucks leave.", "10:30 am",
     "noon - 90 minutes"),
]  # fmt: skip

WRONG = [
    (BILLING, "With annual billing, Pro costs $21 per month.", "$21 per month"),
    (EXPRESS, "That is 140 km/h on average.", "140 km/h"),
    (TONGUES, "It is available in 5 languages.", "5"),
    (DOSE, "Taking one tablet twice daily makes 60 mg per day.", "60 mg per day"),
    (LODGE, "Two beds at Fjellro start at NOK 2,300.", "NOK 2,300"),
    (LODGE, "Two nights at Fjellro start at NOK 2,400.", "NOK 2,400"),
    (SEATED, "Starter for ten users costs $1,540 a year.", "$1,540 a year"),
    (SEATED, "For 5 desks Starter comes to $70 per month.", "$70 per month"),
    (SEATED, "For 2.5 users Starter comes to $70 per month.", "$70 per month"),
    (TERM, "The initial term runs until 30 July 2026.", "30 July 2026"),
    (TERM, "It was renewed 36 months later, on 30 June 2026.", "30 June 2026"),
    (TERM, "The initial term began on 29 June 2026.", "29 June 2026"),
    (BOX, "The box is 38 cm high.", "38 cm"),
    (ODDS, "35% of the guests have a card.", "35%"),
    (ODDS, "200% of the cases fail.", "200%"),
    (OFFICE, "The office is open 9 to 6.", "6"),
    (OFFICE, "The office is open 8 to 5.", "8"),
    (OFFICE, "The office is open 5-9.", "5-9"),
    (CHIEF, "Kari Moe was chief for 15 years, from 2003 to 2016.", "15 years"),
    (ACCOUNTS, "At €7.90 a month, Premium costs €30 a year.", "€30 a year"),
    (DOSE, "One tablet is taken three times daily.", "three times daily"),
    (
        "The test may be taken twice. There are 15 rooms for 5 groups.",
        "The test may be taken three times.",
        "three times",
    ),
    (SHELF, "It has room for 3 users.", "3"),
    (SALES, "Sales rose to $412 million in 2023, by some 14%.", "14%"),
    (
        "It cost $10, then $20, $30 and $50. Then a day at $7 a seat. Then $8. Then $9.",
        "From $10 it rose by 110%.",
        "110%",
    ),
    (ADMISSION, "A family of two adults would pay €30 in total.", "€30"),
    (ADMISSION, "In total there is a fee of €24.", "€24"),
    (SETUP, "In the first year you pay $360 in total.", "$360"),
    (SETUP, "The first year costs $340 less with the voucher.", "$340"),
    (SETUP, "Over six months you pay $340 in all, setup included.", "$340"),
    (RENTAL, "Renting the machine with the deposit for 6 months costs $330 altogether.", "$330"),
    (PLANS, "The Pro plan costs $600 per year.", "$600 per year"),
    (PLANS, "The Basic plan costs $588 per year.", "$588 per year"),
    (PLANS, "Two years of Pro cost $1,200.", "$1,200"),
    (PLANS, "Basic and Pro together cost $88 per month.", "$88 per month"),
    (PLANS, "Basic and Pro together cost $128 per month.", "$128 per month"),
    (PLANS, "Team costs $70 more per month than Pro.", "$70"),
    (PLANS, "The plans were introduced at $20.", "$20"),
    (PLANS, "On average the plans cost $55 per month.", "$55 per month"),
    (PLANS, "Pro is 41% more expensive than Basic.", "41%"),
    (REVENUE, "Revenue grew by 20% from 2019 to 2020.", "20%"),
    (REVENUE, "Revenue fell by 20%.", "20%"),
    (REVENUE, "Revenue rose by $12 million.", "$12 million"),
    (TABLE, "Sales total 410 across all regions.", "410"),
    (TABLE, "North and East together sold 300.", "300"),
    (TABLE, "North accounts for 45% of all sales.", "45%"),
    (OFFER, "There are 4 plans.", "4"),
    (STEPS, "The lamp is reset in 6 steps.", "6"),
    (LIFE, "She died at the age of 76.", "76"),
    (LIFE, "Marie Holt lived for 70 years.", "70 years"),
    (FIRM, "The firm was sold 49 years after it was founded.", "49 years"),
    (FIRM, "The founder was born in 1932.", "1932"),
    (TRIAL, "The trial ends on 31 March 2024.", "31 March 2024"),
    (HOURS, "The shop is open for 9 hours a day.", "9 hours a day"),
    (CLUB, "The club is there from 12 to 19.", "12 to 19"),
    (CLUB, "The club is there from 13 to 18.", "13 to 18"),
    (CLUB, "The club is there from 12.5 to 18.", "12.5 to 18"),
    (HOURS, "A delivery from noon arrives at 2:30 pm.", "2:30 pm"),
    (SALE, "Members pay $65 for the jacket.", "$65"),
    (VOTE, "The remaining 48% did not vote yes.", "48%"),
    (WAGE, "That is $47,440 a year for full-time work.", "$47,440 a year"),
    (TICKETS, "A family of 4 pays $52.", "$52"),
    (LENGTHS, "On average the wells are 140 meters deep.", "140 meters"),
    (CROWD, "The hall seats over 2,300 people.", "2,300"),
    (CROWD, "The hall seats nearly 2,600 people.", "2,600"),
    (NOTICE, "Notice must be given 60 days in advance.", "60 days"),
    (STORAGE, "Pro has 40 GB of storage.", "40 GB"),
    (HONEY, "Honey costs about $8 per lb.", "$8 per lb"),
    (BOXES, "In total 186 jars were sent.", "186"),
    (WAR, "The war went on for 40 years.", "40 years"),
    (ROSE, "The share rose by 6 percentage points.", "6 percentage points"),
    (ROSE, "The price rose by 20%.", "20%"),
    (SEATS, "The hall seats 318 people.", "318"),
    (ROOM, "The room has an area of 25 square meters.", "25 square meters"),
    (TRAIN, "The trip is 200 km long.", "200 km"),
    (COLD, "Oslo was 9 °C warmer than Bergen.", "9 °C"),
    (PAIR, "Anna is 14 years older than Ben.", "14 years"),
    (PONDS, "The lake has five times as many fish as the pond.", "five"),
    (CLOSED, "The bridge was closed for 18 months.", "18 months"),
    (FAIR, "There are 5 days between start and end of the fair.", "5 days"),
    (RANGE, "A seat costs $120-$200 per year.", "$120-$200 per year"),
    (TAXED, "With tax a night costs $215.", "$215"),
    (TAXED, "No night of $200 comes to $0.", "$0"),
    (GOODS, "There are 6 kinds on sale.", "6"),
    (BABY, "Eva Lind was born in 1975.", "1975"),
    (TRAIL, "The trail is about 5 miles long.", "5 miles"),
    (RENT, "The speed limit is 300 km/h.", "300 km/h"),
    (
        "It opened on 31 January 2023 and lasts 900000000 days.",
        "It ends on 3 May 2025.",
        "3 May 2025",
    ),
    (
        "It opened on 30 February 2023 and lasts 9 days.",
        "It ends on 11 March 2023.",
        "11 March 2023",
    ),
    ("It opened in spring 2023 and lasts 9 days.", "It ends on 11 March 2024.", "11 March 2024"),
    ("It opened in 2023 and lasts 9 months.", "It ends in March 2024.", "March 2024"),
    ("It opened on 3 May and 4 June 2020.", "It was open for 32 days.", "32 days"),
    ("It opened in Q3 2023 and lasts 9 days.", "It ends on 11 March 2024.", "11 March 2024"),
    (FAIR, "The fair went on for 3 years.", "3 years"),
    (CLOSED, "The bridge was closed for 500 days.", "500 days"),
    ("It opens at noon and lasts 2 months.", "It closes at 4 pm.", "4 pm"),
    ("Eva Lind, 40 years old, retired on 3 May.", "Eva Lind was born in 1970.", "1970"),
    (OFFER, "There are 4.", "4"),
    (CROWD, "Of all the people 20-30% were seated.", "20-30%"),
    (FAIR, "The fair lasts 6-7 days.", "6-7 days"),
    (OFFER, "You get 4 plans, a room and a hut.", "4"),
    (ROADS, "There are 5 ponds: one for ducks, for geese and swans.", "5"),
    (PLANS, "For six months Pro costs $600 per year.", "$600 per year"),
    (TICKETS, "For 2.5 people you pay $31.", "$31"),
    (TICKETS, "For 20% of a person you pay $31.", "$31"),
    ("Prices: 20, 30 and 40 °C.", "The average is 31 °C.", "31 °C"),
]
