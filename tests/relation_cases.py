"""Self-written passages and answers about who did what, what is unique and what comes first."""

# Chunks and answers that turn a relation round.
TURNED = [
    (("Google acquired Fitbit in 2021.",), "Fitbit acquired Google in 2021."),
    (("Google acquired Fitbit in 2021.",), "Google was acquired by Fitbit in 2021."),
    (("Google acquired Fitbit in 2021.",), "Fitbit bought Google."),
    (("Fitbit was acquired by Google.",), "Fitbit acquired Google."),
    (("The maps of Orbis were fine. Orbis bought Kvikk.",), "Kvikk bought Orbis."),
    (("Ruth is the mother of Otto.",), "Otto is the mother of Ruth."),
    (("Ruth's father was Otto.",), "Otto's father was Ruth."),
    (("Ruth has a daughter, Ines.",), "Ruth is the daughter of Ines."),
    (("Alderia beat Bornia in the final.",), "Bornia beat Alderia in the final."),
    (("Alderia beat Bornia in the final.",), "Alderia lost to Bornia in the final."),
    (("Alderia beat Bornia in the final.",), "Alderia was beaten by Bornia."),
    (("IBM acquired Lotus.",), "Lotus acquired IBM."),
    (("Orbis's purchase of Kvikk was announced in May.",), "Kvikk's purchase of Orbis is known."),
]

NOT_TURNED = [
    (("Google acquired Fitbit in 2021.",), "Fitbit was acquired by Google in 2021."),
    (("Google acquired Fitbit in 2021.",), "Google bought Fitbit."),
    (("Google acquired Fitbit in 2021.",), "Fitbit was bought in 2021 when Google was growing."),
    (("Google acquired Fitbit in 2021.",), "Fitbit did not acquire Google."),
    (("Google acquired Fitbit in 2021.",), "Fitbit, which makes watches, is part of Google."),
    (("Ruth is the mother of Otto.",), "Otto's mother is Ruth."),
    (("Ruth is the mother of Otto.",), "Otto is the son of Ruth."),
    (("Ruth is the mother of Otto.",), "Ruth has a son, Otto."),
    (("Ruth's father was Otto.",), "Otto was the father of Ruth."),
    (("Alderia beat Bornia in the final.",), "Bornia lost to Alderia in the final."),
    (("Alderia beat Bornia in the final.",), "Bornia was beaten by Alderia."),
    (("Alderia won in 2002, and Bornia in 2014.",), "Bornia won in 2014, and Alderia in 2002."),
    (("Alderia won in Bornia.",), "Bornia won in Alderia."),
    (("Dogs chase Rex.", "We like dogs."), "Dogs are chased by Rex."),
    (("It acquired Lotus.",), "It was acquired by Lotus."),
    (("Orbis's purchase of Kvikk was announced in May.",), "Kvikk was purchased by Orbis."),
]

# Chunks, answers that name another agent or holder, and what is seen.
ACME = ("Maria Lopez founded Acme in 1999. John Reed became CEO in 2010.",)
CAPITAL = ("Canberra is the capital of Australia.",)
OTHERS = [
    (ACME, "John Reed founded Acme in 1999.", "John Reed"),
    (ACME, "Acme was founded by John Reed.", "John Reed"),
    (ACME, "Acme was founded in 1999 by the engineer John Reed.", "John Reed"),
    (ACME, "The founder of Acme is John Reed.", "John Reed"),
    (ACME, "The founder of Acme, John Reed, was young.", "John Reed"),
    (ACME, "John Reed is the founder of Acme.", "John Reed"),
    (ACME, "John Reed, the founder of Acme, was young.", "John Reed"),
    (ACME, "Acme's founder is John Reed.", "John Reed"),
    (ACME, "Acme's founder John Reed was young.", "John Reed"),
    (ACME, "John Reed, who founded Acme, was young.", "John Reed"),
    (ACME, "Acme, founded in 1999 by Tove Dahl, makes bells.", "Tove Dahl"),
    (
        ("The telephone was invented by Ida Bell.",),
        "Tove Dahl invented the telephone.",
        "Tove Dahl",
    ),
    (
        ("Ida Bell wrote Northern Lights.",),
        "The author of Northern Lights is Tove Dahl.",
        "Tove Dahl",
    ),
    (("Rex Holm discovered penicillin.",), "Penicillin was discovered by Nils Orr.", "Nils Orr"),
    (("Orbis bought Kvikk.",), "Nordal acquired Kvikk.", "Nordal"),
    (CAPITAL, "Sydney is the capital of Australia.", "Sydney"),
    (CAPITAL, "The capital of Australia is Sydney.", "Sydney"),
    (CAPITAL, "Australia's capital is Sydney.", "Sydney"),
    (CAPITAL, "Sydney is Australia's capital.", "Sydney"),
    (CAPITAL, "The capital city of Australia is Sydney.", "Sydney"),
    (
        ("The largest city of Alderia is Kesmark.",),
        "Borne is the largest city of Alderia.",
        "Borne",
    ),
    (
        ("The Olm is the longest river in Alderia.",),
        "The longest river in Alderia is the Visla.",
        "Visla",
    ),
    (("The chemical symbol for gold is Au.",), "The chemical symbol for gold is Ag.", "Ag"),
    (
        ("Kesmark is the capital of Alderia; Borne is its port.",),
        "Borne is the capital of Alderia.",
        "Borne",
    ),
    (("The largest city of Alderia is Kesmark.",), "Alderia's largest city is Borne.", "Borne"),
    (("Maria Lopez founded Orbis Foods.",), "Orbis Foods's founder is John Reed.", "John Reed"),
]

COIN = ("The currency of Alderia is the florin.",)
ORGAN = ("The heaviest organ of the whale is the liver. The heart of the whale beats slowly.",)
# Holders in small letters: chunks, answers and what is seen.
PLAIN_OTHERS = [
    (COIN, "The currency of Alderia is the crown.", "crown"),
    (COIN, "Alderia's currency is the crown.", "crown"),
    (COIN, "The crown is the currency of Alderia.", "crown"),
    (COIN, "The crown is Alderia's currency.", "crown"),
    (("The florin is the currency of Alderia.",), "The currency of Alderia is the crown.", "crown"),
    (("Alderia's currency is the florin.",), "The crown is the currency of Alderia.", "crown"),
    (COIN, "The currency of Alderia is the Bornian crown.", "Bornian crown"),
    (
        ("The currency of Alderia is the Alderian florin.",),
        "The currency of Alderia is the Bornian crown.",
        "Bornian crown",
    ),
    (ORGAN, "The heaviest organ of the whale is the heart.", "heart"),
    (ORGAN, "The heart is the heaviest organ of the whale.", "heart"),
    (
        ("The national bird of Alderia is the grey heron.",),
        "The national bird of Alderia is the barn owl.",
        "barn owl",
    ),
    (
        ("The national bird of Alderia is the grey heron.",),
        "The barn owl is the national bird of Alderia.",
        "barn owl",
    ),
    (
        ("The symbol of Orrin is a rose.",),
        "The symbol of Orrin is an anchor.",
        "anchor",
    ),
    (
        ("The largest room of Castle Borne is the library.",),
        "The largest room of Castle Borne is the kitchen, which is old.",
        "kitchen",
    ),
]
PLAIN_SAME = [
    (COIN, "The currency of Alderia is the florin."),
    (COIN, "Alderia's currency is the florin."),
    (COIN, "The florin is the currency of Alderia."),
    (COIN, "The currency of Alderia is the Alderian florin."),
    (("The currency of Alderia is the Alderian florin.",), "The florin is Alderia's currency."),
    (COIN, "The currency of Alderia is strong."),
    (COIN, "The currency of Alderia is the pride of the country."),
    (COIN, "The currency of Alderia is a matter of debate."),
    (COIN, "The currency of Alderia is ALF."),
    (COIN, "The currency of Bornia is the crown."),
    (COIN, "The former currency of Alderia is the crown."),
    (COIN, "The currency of Alderia is not the crown."),
    (COIN, "The currency of Alderia is the florin and the crown."),
    (COIN, "The currency of Alderia was the crown until 1990."),
    (COIN, "The crown and the florin are the currency of Alderia."),
    (
        ("The currency of Alderia is the florin. Before 1990 the currency was the crown.",),
        "In 1980 the currency of Alderia was the crown.",
    ),
    (ORGAN, "The heaviest organ of the whale is the liver."),
    (ORGAN, "The oldest organ of the whale is the heart."),
    (("The symbol of Orrin is a rose.",), "A rose is the symbol of the Orrin party."),
    (("The symbol of Orrin is a rose.",), "The symbol of the Orrin party is a red rose."),
    (("The symbol of Orrin is a rose.",), "The symbol of Orrin is simple."),
]

SAME_ONES = [
    (ACME, "Maria Lopez founded Acme in 1999."),
    (ACME, "Lopez founded Acme."),
    (ACME, "Acme was founded by Maria."),
    (ACME, "She founded Acme."),
    (("Orbis was founded by Jan van der Berg.",), "Berg founded Orbis."),
    (("Leonor painted the Blue Tower.",), "Leonor da Corva painted the Blue Tower."),
    (("The Blue Tower was painted by Leonor da Corva.",), "Corva painted the Blue Tower."),
    (("The Blue Tower was painted by Leonor da.",), "Leonor painted the Blue Tower."),
    (ACME, "The company founded Acme."),
    (ACME, "Engineers founded Acme."),
    (ACME, "John Reed later founded Acme again."),
    (ACME, "John Reed did not found Acme."),
    (ACME, "John Reed founded Acme Norway."),
    (ACME, "John Reed founded a firm."),
    (ACME, "John Reed founded the company."),
    (ACME, "Maria Lopez and John Reed founded Acme."),
    (ACME, "Acme was founded by John Reed and Maria Lopez."),
    (ACME, "The son of John Reed founded Acme."),
    (ACME, "John Reed's mother founded Acme."),
    (ACME, "Acme was founded in a barn."),
    (ACME, "It's founder John Reed who came."),
    (ACME, "John Reed founded Acme headquarters."),
    (ACME, "Acme's former founder is John Reed."),
    (ACME, "Acme's plan, the founder said, is John Reed."),
    (ACME, "Acme's founder is young."),
    (ACME, "Founded by John Reed, the firm grew."),
    (ACME, "Who founded Acme in 1999 was John Reed."),
    (ACME, "A barn in Norway near Acme was founded by John Reed."),
    (
        ("Maria Lopez founded Acme. John Reed helped Lopez at Acme when it was founded.",),
        "John Reed founded Acme.",
    ),
    (("Maria Lopez founded Acme.", "Tove Dahl founded Acme."), "John Reed founded Acme."),
    (
        ("Maria Lopez, known as Mia Sand, is rich. Maria Lopez founded Acme.",),
        "Mia Sand founded Acme.",
    ),
    (("Maria Lopez founded Acme in 1999.",), "John Reed founded Acme in 2010."),
    (("International Bell Makers bought Kvikk.",), "IBM bought Kvikk."),
    (("Ida Bell wrote the book.",), "Tove Dahl wrote the book."),
    (CAPITAL, "Canberra is the capital of Australia."),
    (CAPITAL, "Sydney is the largest city of Australia."),
    (CAPITAL, "Sydney is the former capital of Australia."),
    (CAPITAL, "Sydney is the financial capital of Australia."),
    (CAPITAL, "Sydney was the capital of Australia until 1927."),
    (CAPITAL, "Sydney is not the capital of Australia."),
    (CAPITAL, "Wellington is the capital of Zealand."),
    (CAPITAL, "The mayor of Sydney likes the capital of Australia."),
    (CAPITAL, "The capital of Australia is small."),
    (CAPITAL, "It is the capital of Australia."),
    (
        ("Kesmark is the capital of Alderia. Before, Borne was the capital of Alderia.",),
        "Borne is the capital of Alderia.",
    ),
    (("Kesmark is the largest city in Alderia by area.",), "Borne is the largest city in Alderia."),
    (("Müllheim is the capital of Alderia.",), "Mullheim is the capital of Alderia."),
]

# Chunks and answers that do steps in another order.
BATTERY = ("First remove the battery, then open the case.",)
NUMBERED = ("1. Remove the battery.\n2. Open the case.\n3. Clean the contacts with a cloth.\n",)
REORDERED = [
    (BATTERY, "First open the case, then remove the battery."),
    (BATTERY, "Open the case and then remove the battery."),
    (BATTERY, "Open the case before removing the battery."),
    (BATTERY, "Before removing the battery, open the case."),
    (BATTERY, "After opening the case, remove the battery."),
    (BATTERY, "Remove the battery after opening the case."),
    (BATTERY, "Once the case is open, remove the battery."),
    (BATTERY, "Open the case before you remove the battery."),
    (("Before opening the case, remove the battery.",), "Open the case, then remove the battery."),
    (("Remove the battery before you open the case.",), "Open the case, then remove the battery."),
    (("After removing the battery, open the case.",), "Open the case, then remove the battery."),
    (("Once you remove the battery, open the case.",), "Open the case, then remove the battery."),
    (NUMBERED, "Open the case, then remove the battery."),
    (NUMBERED, "Clean the contacts, then open the case."),
]

IN_ORDER = [
    (BATTERY, "First remove the battery, then open the case."),
    (BATTERY, "Remove the battery first and then open the case."),
    (BATTERY, "Before opening the case, remove the battery."),
    (BATTERY, "After removing the battery, open the case."),
    (BATTERY, "Open the case after removing the battery."),
    (BATTERY, "Once the battery is removed, open the case."),
    (BATTERY, "Never open the case before removing the battery."),
    (BATTERY, "If you open the case, then remove the battery."),
    (BATTERY, "Open the window, then remove the battery."),
    (BATTERY, "Open the case, since then it is safe, and remove the battery."),
    (BATTERY, "Open the case, then remove the battery before opening the lid."),
    (BATTERY, "Open the case, then go."),
    (BATTERY, "Open the case; once that's done remove the battery case."),
    (BATTERY, "Open the case before removing the battery, or not at all."),
    (BATTERY, "Open it before it rains."),
    (
        ("First remove the old battery, then insert the new battery.",),
        "Insert the old battery, then remove the new battery.",
    ),
    (
        ("Open the case, then remove the battery.", *BATTERY),
        "Open the case, then remove the battery.",
    ),
    (NUMBERED, "Remove the battery, then open the case."),
    (NUMBERED, "Remove the battery, then clean the contacts with a cloth."),
    (
        (*NUMBERED, "1. Open the case.\n2. Remove the battery.\n"),
        "Open the case, then remove the battery.",
    ),
    (("2. Open the case.\n1. Remove the battery.\n",), "Remove the battery, then open the case."),
    (
        ("1. Remove the battery.\n", "2. Open the case.\n"),
        "Open the case, then remove the battery.",
    ),
]

RIVALS = (
    ("Nordsund Shipping was founded in 1931. In 1968 it acquired its rival Belkor for 9 million."),
)
HEADS = (
    (
        "In 2001 Ines Varga became head of the school; "
        "she retired in 2015 and was succeeded by Otto Reim."
    ),
)
LAB = (("Ruth Amsel joined the lab early. She taught Ben Okoro and hired Lin Yao."),)
FINAL = (("Tessel beat Marwick in the final. It then lost to Orlan."),)

# A pronoun is the subject: chunks and answers that turn the relation round, or do not.
BY_PRONOUN = [
    (RIVALS, "In 1968 Belkor acquired Nordsund Shipping."),
    (RIVALS, "Nordsund Shipping was acquired by Belkor."),
    (HEADS, "Otto Reim was succeeded by Ines Varga in 2015."),
    (HEADS, "Ines Varga succeeded Otto Reim."),
    (LAB, "Ben Okoro taught Ruth Amsel."),
    (RIVALS, "Belkor was a rival. In 1968 it acquired Nordsund Shipping."),
]
NOT_BY_PRONOUN = [
    (RIVALS, "In 1968 Nordsund Shipping acquired Belkor."),
    (RIVALS, "Belkor was acquired by Nordsund Shipping in 1968."),
    (RIVALS, "Nordsund Shipping is old. It acquired Belkor."),
    (HEADS, "Otto Reim succeeded Ines Varga."),
    (HEADS, "Ines Varga was succeeded by Otto Reim in 2015."),
    (LAB, "Ruth Amsel taught Ben Okoro."),
    (LAB, "Ruth Amsel joined the lab early, and she hired Lin Yao."),
    (FINAL, "Tessel beat Marwick."),
    (FINAL, "Tessel lost to Orlan."),
    (FINAL, "Marwick lost to Tessel."),
    (HEADS, "Ines Varga led the school. She was followed by Otto Reim."),
    (LAB, "Lin Yao was hired by Ruth Amsel, who taught Ben Okoro."),
    (RIVALS, "It acquired Belkor."),
    (RIVALS, "Belkor, it is said, acquired much."),
    (RIVALS, "Since May it has owned Belkor."),
    (HEADS, "Otto Reim says that she taught Ines Varga."),
]
