"""Self-written conflicts and their twins: answer, chunks and what should be seen."""

PLANS = (
    "We sell two plans. Basic costs $49 a month and Pro costs $99 a month. Both can be cancelled.",
)
TABLE = ("| Plan | Price |\n| --- | --- |\n| Basic | $49 |\n| Pro | $99 |\n",)
LIST = ("Prices:\n- Basic: $49\n- Pro: $99\n",)
TOWNS = ("At the last census Alder had 18,900 inhabitants. Borne, on the other bank, had 65,300.",)
AGES = ("Ann Reed, 27, keeps the garden. Tom Vale, 41, keeps the accounts.",)
BREAD = (
    "Leave the walnut bread for 3 hours in a covered pot. Bake it at 220 degrees Celsius.",
    "The plum cake is baked for 50 minutes and cools on a rack.",
)
THEATRE = ("The theatre of Kesmark opened on 7 March 1944. Rehearsals are on Thursday evening.",)

WOOD = ("Some 18% of the houses in Alder are heated with wood.",)
HOURS = ("The shop of Alder closes at 6 pm in winter.",)
TICKETS = ("Tickets for the museum go on sale in April every year.",)
MAIL = ("Basic is $15 per month. It comes with mail. Pro is $49 per month.",)
FEES = ("The deposit is $200 and the fee for late payment is $35.",)

HALL = (
    "Tickets for the old hall cost $12 at the door, and for $30 you visit all of the old hall.",
)

WATER = ("Water the lemon tree every day in the early morning.",)

# check, chunks, answer, value seen, nearest evidence
VALUES = [
    ("other_value", WATER, "Water the lemon tree every week.", "week", "day"),
    (
        "other_value",
        BREAD,
        "Leave the walnut bread for 5 hours in a covered pot.",
        "5 hours",
        "3 hours",
    ),
    ("other_value", BREAD, "The plum cake is baked for 35 minutes.", "35 minutes", "50 minutes"),
    (
        "other_value",
        BREAD,
        "Bake the walnut bread at 180 degrees Celsius.",
        "180 degrees Celsius",
        "220 degrees Celsius",
    ),
    ("other_value", PLANS, "Basic costs $59 a month.", "$59 a month", "$49 a month"),
    ("other_value", PLANS, "You pay $59 for Basic.", "$59", "$49 a month"),
    ("other_value", TOWNS, "Alder has 17,000 inhabitants.", "17,000", "18,900"),
    ("other_value", TOWNS, "About 30,000 people live in Alder.", "30,000", "18,900"),
    ("other_value", THEATRE, "The theatre of Kesmark opened in 1951.", "1951", "7 March 1944"),
    (
        "other_value",
        THEATRE,
        "The theatre of Kesmark opened in May 1944.",
        "May 1944",
        "7 March 1944",
    ),
    (
        "other_value",
        THEATRE,
        "The theatre of Kesmark opened on 9 March 1944.",
        "9 March 1944",
        "7 March 1944",
    ),
    ("other_value", THEATRE, "Rehearsals are on Tuesday evening.", "Tuesday", "Thursday"),
    ("other_value", THEATRE, "Rehearsals are on Tuesdays in the evening.", "Tuesdays", "Thursday"),
    ("other_value", WOOD, "In Alder 22% of the houses are heated with wood.", "22%", "18%"),
    ("other_value", HOURS, "The shop of Alder closes at 8 pm in winter.", "8 pm", "6 pm"),
    ("other_value", TICKETS, "Tickets for the museum go on sale in June.", "June", "April"),
    ("other_owner", PLANS, "Pro costs $49 a month.", "$49 a month", "$99 a month"),
    ("other_owner", PLANS, "The price of Basic is $99 a month.", "$99 a month", "$49 a month"),
    ("other_owner", PLANS, "For $49 a month you get Pro.", "$49 a month", "$99 a month"),
    ("other_owner", TABLE, "Pro costs $49.", "$49", "$99"),
    ("other_owner", LIST, "The price of Pro is $49.", "$49", "$99"),
    ("other_owner", TOWNS, "Borne has 18,900 inhabitants.", "18,900", "65,300"),
    ("other_owner", TOWNS, "About 65,300 people live in Alder.", "65,300", "18,900"),
    ("other_owner", AGES, "Tom Vale is 27 years old.", "27 years", "41"),
    ("other_owner", MAIL, "You pay $15 per month for Pro.", "$15 per month", "$49 per month"),
    ("other_owner", FEES, "The fee for late payment is $200.", "$200", "$35"),
]

VALUE_TWINS = [
    (BREAD, "Leave the walnut bread for 3 hours in a covered pot."),
    (BREAD, "The walnut bread needs 180 minutes."),
    (BREAD, "The plum cake is baked for almost an hour."),
    (BREAD, "The plum cake is baked for 50 minutes."),
    (PLANS, "Basic costs $49 a month and Pro $99."),
    (PLANS, "Pro costs $99 a month."),
    (PLANS, "Together Basic and Pro cost $148 a month."),
    (PLANS, "Basic costs $588 a year."),
    (HALL, "Tickets for the old hall are $12."),
    (TABLE, "Basic costs $49."),
    (LIST, "The price of Pro is $99."),
    (TOWNS, "Borne has 65,300 inhabitants, Alder 18,900."),
    (TOWNS, "Carrow has 12,000 inhabitants."),
    (AGES, "Ann Reed is 27 years old."),
    (THEATRE, "The theatre of Kesmark opened in March 1944."),
    (THEATRE, "In 1944 the theatre of Kesmark opened."),
    (THEATRE, "Rehearsals are on Thursdays."),
    (THEATRE, "The theatre may be visited at any time."),
    (PLANS, "Two plans are sold: Basic and Pro."),
    (PLANS, "Penguins weigh 30 kg."),
    (PLANS, "1. Basic costs $49 a month.\n2. Pro costs $99 a month.\n"),
]

SHOP = (
    (
        "Refunds are possible for rugs within a month. The Plus plan includes support by telephone."
        " Orders can be changed until they ship. Some rooms are closed in winter."
    ),
    (
        "Dogs are not allowed in the park of Alder. There is no entrance fee. The bridge was never"
        " repaired. Photography is allowed inside the old tower."
    ),
    (
        "Drink the tea before meals. It increases the appetite and most adults tolerate it."
        " It costs less than tablets. Keep the jar inside the fridge."
    ),
)

OPPOSITES = [
    "It is impossible to get a refund for rugs.",
    "Refunds are not possible for rugs.",
    "Refunds for rugs are impossible.",
    "The Plus plan does not include support by telephone.",
    "The Plus plan excludes support by telephone.",
    "The Plus plan comes without support by telephone.",
    "Orders cannot be changed until they ship.",
    "Orders can never be changed until they ship.",
    "Dogs are allowed in the park of Alder.",
    "There is an entrance fee.",
    "The bridge was repaired.",
    "Photography is forbidden inside the old tower.",
    "Photography is not allowed inside the old tower.",
    "Drink the tea after meals.",
    "The tea decreases the appetite.",
    "Few adults tolerate the tea.",
    "The tea costs more than tablets.",
    "Keep the jar outside the fridge.",
    "All rooms are closed in winter.",
    "Some rooms are open in winter.",
]

OPPOSITE_TWINS = [
    "Refunds are possible for rugs.",
    "Rugs can be refunded within a month.",
    "The Plus plan includes support by telephone.",
    "The Plus plan does not exclude support by telephone.",
    "Orders can be changed until they ship.",
    "If orders cannot be changed, they have shipped.",
    "Dogs are not allowed in the park of Alder.",
    "Dogs are forbidden in the park of Alder.",
    "No dogs are allowed in the park.",
    "There is no entrance fee.",
    "The bridge has never been repaired.",
    "Photography is allowed inside the old tower.",
    "Photography is not forbidden inside the old tower.",
    "Drink the tea before meals.",
    "Drink it before meals, not after them.",
    "The tea increases the appetite.",
    "Most adults tolerate the tea, few do not.",
    "The tea costs less than tablets.",
    "Keep the jar inside the fridge, never outside.",
    "Some rooms are closed in winter, not all of them.",
    "Avoid the park with dogs.",
    "Penguins do not fly.",
]

NAMES = (
    (
        "The old bridge of Alder was designed by Ann Reed in 1902. Tom Vale paid for it, and"
        " the stone came from Borne."
    ),
    (
        "In 1971 Orrin Software acquired Halden Motors. As a young woman Ines Okafor taught"
        " Maya Lind to paint. Ruth Castle is older than Paul Renner."
        " Ute Lang interrupted Nora Pell. Ute Lang married Sam Hood."
    ),
)

ROLES = [
    "Nora Pell interrupted Ute Lang.",
    "Halden Motors acquired Orrin Software.",
    "Orrin Software was acquired by Halden Motors.",
    "Halden Motors bought Orrin Software in 1971.",
    "Orrin Software was taken over by Halden Motors.",
    "Orrin Software became part of Halden Motors.",
    "Maya Lind taught Ines Okafor.",
    "Ines Okafor was taught by Maya Lind.",
    "Ines Okafor learned to paint from Maya Lind.",
    "Maya Lind was the teacher of Ines Okafor.",
    "Paul Renner is older than Ruth Castle.",
    "Ruth Castle is younger than Paul Renner.",
]

ROLE_TWINS = [
    "Sam Hood married Ute Lang.",
    "Orrin Software, which is a firm of many years in the town, acquired Halden Motors.",
    "Paul Renner is taller than Ruth Castle.",
    "Dogs acquired cats.",
    "Orrin Software acquired Halden Motors.",
    "Halden Motors was acquired by Orrin Software.",
    "Orrin Software bought Halden Motors in 1971.",
    "Halden Motors was taken over by Orrin Software.",
    "Halden Motors became part of Orrin Software.",
    "Ines Okafor taught Maya Lind.",
    "Maya Lind was taught by Ines Okafor.",
    "Maya Lind learned to paint from Ines Okafor.",
    "Ruth Castle is older than Paul Renner.",
    "Paul Renner is younger than Ruth Castle.",
    "Orrin Software and Halden Motors are firms.",
    "Ann Reed knew Tom Vale.",
    "Orrin Software acquired Veldt Airlines.",
]

SWAPPED_NAMES = [
    ("The old bridge of Alder was designed by Tom Vale.", "Tom Vale", "Ann Reed"),
    ("Tom Vale designed the old bridge of Alder.", "Tom Vale", "Ann Reed"),
    ("The bridge of Alder was designed by Tom Vale in 1902.", "Tom Vale", "Ann Reed"),
    ("The stone for it came from Alder.", "Alder", "Borne"),
]

NAME_TWINS = [
    "The bridge of stone was designed by USA in 1902.",
    "Old Bridge was designed by Ann Reed in 1902.",
    "The old bridge of Alder was designed by Ann Reed.",
    "Tom Vale paid for the old bridge.",
    "The stone came from Borne.",
    "The old bridge was designed by Zoe Quill.",
    "Click Ann Reed and open the bridge tab.",
    "The old bridge is of stone.",
]

# Chunks and answers in which a denial or an opposite is no contradiction, or is not certain to be.
UNCLEAR = [
    # both words turned: the same said again
    (
        ("A cold front moves under warm air in winter and lifts it.",),
        "A warm front moves under cold air in winter and lifts it.",
    ),
    (
        ("Use the big lid of the pot before a meal at noon.",),
        "Use the small lid of the pot after a meal at noon.",
    ),
    # of something else
    (
        ("Red vans shine. Expensive lamps burn out.",),
        "Red vans shine with cheap lamps.",
    ),
    # compared the other way round
    (("Horns are louder than drums in this hall.",), "Drums are quieter than horns in this hall."),
    (("Horns are louder in this hall.",), "Drums are quieter than horns in this hall."),
    # of another thing that follows, or among other words
    (("Take the tea to the hall after meals.",), "Take the tea to the hall before lunch."),
    (
        ("Cold grey rainy days bring soup and bread to the table.",),
        "Hot white sunny days bring soup and bread to the table.",
    ),
    # a warning against it is no statement of it
    (("Be careful not to open the lid of the pot.",), "Open the lid of the pot."),
    (("Avoid the red lid of the pot.",), "The red lid of the pot is not bad."),
    # under a condition
    (("If the lamp does not glow, press the switch.",), "The lamp does glow at night."),
    (("If the lamp does glow, press the switch.",), "The lamp does not glow."),
    # denied only above or before something
    (
        ("You cannot pay in fees above the limit of the plan.",),
        "You can pay in fees of the plan.",
    ),
    (("You did not have a gross income of more than $90.",), "You had a gross income of less."),
    # said and denied in one answer
    (
        ("Forward contracts are traded on an exchange.",),
        "Forward contracts are traded, future contracts are not traded on an exchange.",
    ),
    # of another clause
    (
        ("Do not cover the roast or add any water to the pan.",),
        "Add water to the pan of the roast.",
    ),
    # two denials against none
    (
        ("Adults and teeth are part of the plan in June.",),
        "The plan does not reach adults and does not reach teeth in June.",
    ),
    # set against each other
    (
        ("Red vans have a cargo box and seat belts.",),
        "Red vans have a cargo box and seat belts, while blue cars do not.",
    ),
    # denied of what the answer does not speak of
    (
        ("The lake is deep, cold and clear and has no sharks at all.",),
        "The lake is deep, cold and clear.",
    ),
    # the denied word meets its opposite
    (
        ("Orrin closes the shop on Main Street in May.",),
        "Orrin does not open the shop on Main Street in May.",
    ),
    (
        ("Orrin does not open the shop on Main Street in May.",),
        "Orrin closes the shop on Main Street in May.",
    ),
    # a sentence that agrees stands beside the one that does not
    (
        ("The plan does not include mail. Since June the plan does include mail.",),
        "The plan includes mail.",
    ),
    (
        ("Refunds for rugs are part of the plan. Refunds for rugs are not part of the plan.",),
        "Refunds for rugs are not part of the plan.",
    ),
    # too little is shared
    (("The lake is deep.",), "The lake is not blue."),
]

WHOLE = [
    (
        ("Telephone support is part of the Studio plan. The Studio plan has telephone lines.",),
        "The Studio plan does not include telephone support.",
    ),
    (
        ("Telephone support is part of the Studio plan.",),
        "The Studio plan does not include telephone support.",
    ),
]
