from streamguard.core.reading.talk import without_talk
from tests.kit.tables import differing

LEFT = [
    # a sentence, and what it says of the world
    ("According to passage 2, it rains.", ", it rains."),
    ("based only on the given context it rains", "it rains"),
    ("It rains (passages 1 and 3).", "It rains ."),
    ("The first passage also mentions that it rains.", "that it rains."),
    ("As described in your documents, it rains.", ", it rains."),
    ("It is important to note that it rains.", "that it rains."),
    ("It's worth mentioning that it rains.", "that it rains."),
    ("Please note that it rains.", "it rains."),
    ("İstanbul, according to passage 2, is rainy.", "İstanbul, , is rainy."),
    ("2. **Step 2 -** Open it.", "Open it."),
    ("- Next, open it.", "open it."),
    ("Therefore, the answer to the question is: yes.", "is: yes."),
    *(
        (text, text)
        for text in (
            "First class costs more.",
            "- Open it.",
            "3.5 hours pass.",
            "The plan includes 3 documents per month.",
            "Open the text editor and note the number.",
            "The information desk closes at noon.",
        )
    ),
]


def test_talk_about_the_sources_is_blanked_and_all_else_keeps_its_place():
    assert differing(LEFT, lambda text: " ".join(without_talk(text).split())) == []
    assert all(len(without_talk(text)) == len(text) for text, _ in LEFT)
    assert without_talk("Passage 2: dry.").endswith(" dry.")
