import pytest

from streamguard.core.reading.attribution import without_talk


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("According to passage 2, it rains.", ", it rains."),
        ("Based on the provided passages, it rains.", ", it rains."),
        ("based only on the given context it rains", "it rains"),
        ("It rains (passages 1 and 3).", "It rains ."),
        ("It rains (Passage 2) and snows", "It rains and snows"),
        ("The first passage also mentions that it rains.", "that it rains."),
        ("As described in your documents, it rains.", ", it rains."),
        ("It is important to note that it rains.", "that it rains."),
        ("It's worth mentioning that it rains.", "that it rains."),
        ("Please note that it rains.", "it rains."),
        ("In conclusion, it rains.", ", it rains."),
        ("İstanbul, according to passage 2, is rainy.", "İstanbul, , is rainy."),
        ("Step 3: Open it.", "Open it."),
        ("2. **Step 2 -** Open it.", "Open it."),
        ("12. Open it.", "Open it."),
        ("- Next, open it.", "open it."),
        ("**Note:** open it.", "open it."),
        ("Therefore, the answer to the question is: yes.", "is: yes."),
    ],
)
def test_talk_about_the_sources_is_blanked(text, left):
    blanked = without_talk(text)
    assert len(blanked) == len(text)
    assert blanked.split() == left.split()


@pytest.mark.parametrize(
    "text",
    [
        "It rains in May.",
        "First class costs more.",
        "- Open it.",
        "3.5 hours pass.",
        "The plan includes 3 documents per month.",
        "Open the text editor and note the number.",
        "The information desk closes at noon.",
        "He answers the phone.",
        "Send the source code to the client.",
    ],
)
def test_what_is_said_about_the_world_stays(text):
    assert without_talk(text) == text
