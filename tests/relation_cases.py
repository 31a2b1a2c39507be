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
