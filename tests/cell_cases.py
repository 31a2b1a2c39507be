"""Self-written claims beside the cells of tables: table, answer, words seen, nearest cell."""

TOWNS = (
    "| Town | Inhabitants | Mayor | River |\n"
    "|---|---|---|---|\n"
    "| Elsund | 12,300 | Ida Holm | Vesla |\n"
    "| North Brook | 4,200 | Omar Said | Dunn |\n"
    "| Kerry Hill | 900 | Lea Moran | none |\n"
)
PLANS = (
    "| Feature | Basic | Plus | Pro |\n"
    "|---|---|---|---|\n"
    "| Daily backups | no | yes | yes |\n"
    "| Phone support | ✗ | ✗ | ✓ |\n"
    "| Custom domain | - | included | included |\n"
    "| Storage | 5 GB | 20 GB | 50 GB |\n"
    "| Region | Dublin | Dublin | Oslo |\n"
)
TRIPS = (
    "**Trips**\n"
    "\n"
    "| Trip | Guide | Lunch | Helmet |\n"
    "|---|---|---|---|\n"
    "| Canyon | Rosa Blum | yes | yes |\n"
    "| Cave | Tim Falk | no | yes |\n"
    "| Lake | Nora Quist | yes | no |\n"
)
ACCOUNTS = (
    "| Service | Basic Account | Premium Account |\n"
    "|---|---|---|\n"
    "| Travel insurance | no | yes |\n"
    "| Debit card | yes | yes |\n"
    "| Credit card | not included | included |\n"
)
FRAMES = (
    "Frame | Material | Made in\n"
    "--- | --- | ---\n"
    "Trail | aluminium | Porto\n"
    "Road | carbon fibre | Ghent\n"
    "City | steel | Porto\n"
)

# table, answer, words seen, nearest cell
OTHERWISE = [
    (TOWNS, "The mayor of North Brook is Ida Holm.", "Ida Holm", "Omar Said"),
    (TOWNS, "Ida Holm is the mayor of North Brook.", "Ida Holm", "Omar Said"),
    (TOWNS, "North Brook's mayor is Lea Moran.", "Lea Moran", "Omar Said"),
    (TOWNS, "Mayor of Elsund: Omar Said.", "Omar Said", "Ida Holm"),
    (TOWNS, "North Brook lies on the river Vesla.", "Vesla", "Dunn"),
    (
        TOWNS,
        "The mayor of Elsund is Omar Said and the mayor of North Brook is Ida Holm.",
        "Omar Said",
        "Ida Holm",
    ),
    (TOWNS, "Elsund has 12,300 inhabitants and its mayor is Lea Moran.", "Lea Moran", "Ida Holm"),
    (PLANS, "Basic includes daily backups.", "daily backups", "no"),
    (PLANS, "The Basic plan comes with phone support.", "phone support", "✗"),
    (PLANS, "All plans include daily backups.", "daily backups", "no"),
    (PLANS, "Every plan has phone support.", "phone support", "✗"),
    (PLANS, "Plus offers phone support.", "phone support", "✗"),
    (PLANS, "Pro does not include phone support.", "phone support", "✓"),
    (PLANS, "Basic includes a custom domain.", "custom domain", "-"),
    (PLANS, "Daily backups are included in Basic.", "Basic", "no"),
    (PLANS, "Plus has no daily backups.", "daily backups", "yes"),
    (PLANS, "None of the plans include daily backups.", "daily backups", "yes"),
    (PLANS, "Pro lacks daily backups.", "daily backups", "yes"),
    (PLANS, "The region of Pro is Dublin.", "Dublin", "Oslo"),
    (PLANS, "The region of Basic is Oslo.", "Oslo", "Dublin"),
    (TRIPS, "All trips include lunch.", "lunch", "no"),
    (TRIPS, "The cave trip includes lunch.", "lunch", "no"),
    (TRIPS, "The lake trip includes a helmet.", "helmet", "no"),
    (TRIPS, "The guide of the cave trip is Nora Quist.", "Nora Quist", "Tim Falk"),
    (TRIPS, "Tim Falk is the guide on the lake trip.", "Tim Falk", "Nora Quist"),
    (TRIPS, "A helmet is included on every trip.", "helmet", "no"),
    (TRIPS, "The canyon trip comes without lunch.", "lunch", "yes"),
    (ACCOUNTS, "Both accounts come with travel insurance.", "travel insurance", "no"),
    (ACCOUNTS, "The Basic Account has travel insurance.", "travel insurance", "no"),
    (ACCOUNTS, "Neither account includes travel insurance.", "travel insurance", "yes"),
    (
        ACCOUNTS,
        "Travel insurance is not included in the Premium Account.",
        "Premium Account",
        "yes",
    ),
    (ACCOUNTS, "Both accounts include a credit card.", "credit card", "not included"),
    (ACCOUNTS, "The basic account includes a credit card.", "credit card", "not included"),
    (FRAMES, "The material of the Road frame is steel.", "steel", "carbon fibre"),
    (FRAMES, "The City frame is made in Ghent.", "Ghent", "Porto"),
    (FRAMES, "The material of Trail is carbon fibre.", "carbon fibre", "aluminium"),
]
JUST_SO = [
    (PLANS, "All of our users like it, and Basic has no phone support."),
    (PLANS, "Both offer phone support."),
    (PLANS, "Every user of it has phone support."),
    (PLANS, "No, phone support has a price."),
    (TOWNS, "The mayor of North Brook is Ida, who was in it with all of them and by the Holm."),
    (TOWNS, "Ida Holm of North Brook and Omar Said of Elsund met."),
    (TOWNS, "The mayor of North Brook is Omar Said."),
    (TOWNS, "Ida Holm is the mayor of Elsund."),
    (TOWNS, "Kerry Hill's mayor is Lea Moran."),
    (TOWNS, "The mayor of Elsund is Ida Holm and the mayor of North Brook is Omar Said."),
    (TOWNS, "Ida Holm governs Elsund, Omar Said North Brook."),
    (TOWNS, "The mayor of North Brook met Ida Holm."),
    (TOWNS, "The mayor of North Brook is not Ida Holm."),
    (TOWNS, "North Brook is smaller than Elsund, whose mayor is Ida Holm."),
    (TOWNS, "Elsund lies on the river Vesla."),
    (TOWNS, "Ida Holm is mayor of Elsund, Omar Said of North Brook."),
    (
        TOWNS,
        "The towns are Elsund, North Brook and Kerry Hill; Ida Holm, Omar Said, Lea Moran govern.",
    ),
    (PLANS, "Plus and Pro include daily backups."),
    (PLANS, "Basic does not include daily backups."),
    (PLANS, "Only Pro includes phone support."),
    (PLANS, "Pro includes phone support and daily backups."),
    (PLANS, "All plans except Basic include daily backups."),
    (PLANS, "Basic has no daily backups."),
    (PLANS, "Not all plans include phone support."),
    (PLANS, "Daily backups are included in Plus and Pro but not in Basic."),
    (PLANS, "Basic lacks a custom domain."),
    (PLANS, "The region of Basic and Plus is Dublin."),
    (PLANS, "The region of Pro is Oslo."),
    (PLANS, "Plus includes daily backups but no phone support."),
    (PLANS, "If you need phone support, Basic is not for you."),
    (PLANS, "Phone support is available with Pro."),
    (PLANS, "All plans include storage."),
    (PLANS, "Basic comes without phone support."),
    (PLANS, "No, Basic does not include backups."),
    (TRIPS, "The canyon and lake trips include lunch."),
    (TRIPS, "The cave trip does not include lunch."),
    (TRIPS, "Lunch is included on two trips."),
    (TRIPS, "The guide of the cave trip is Tim Falk."),
    (TRIPS, "Not every trip includes lunch."),
    (TRIPS, "All trips have a guide."),
    (ACCOUNTS, "Both accounts include a debit card."),
    (ACCOUNTS, "Only the Premium Account includes travel insurance."),
    (ACCOUNTS, "The Premium Account has travel insurance."),
    (ACCOUNTS, "The Basic Account doesn't include travel insurance."),
    (ACCOUNTS, "The Premium Account includes a credit card and travel insurance."),
    (ACCOUNTS, "Travel insurance is only included in the Premium Account."),
    (
        ACCOUNTS,
        "Yes, with the Premium Account you get travel insurance; the Basic Account has none.",
    ),
    (FRAMES, "The Road frame is made of carbon fibre."),
    (FRAMES, "Trail and City frames are made in Porto."),
    (FRAMES, "The City frame is made of steel in Porto."),
]
