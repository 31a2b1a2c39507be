"""The chat's default content: sample questions and faulty answers.

The documents are in `documents/`: a fictional bank, an API and a handbook, written for this
purpose. Two of them contradict each other.
"""

from __future__ import annotations

from pathlib import Path

DOCUMENTS = Path(__file__).parent / "documents"

QUESTIONS = (
    "Hello",
    "What documents do you have?",
    "What are the vacation days?",
    "How do I configure the API?",
    "How many days a week may I work from home?",  # two documents contradict each other
    # The documents speak of Gold cards, not of students: refused under moderate, let through under
    # lenient.
    "What does a Gold card cost for students in Norway?",
    "What is the capital of France?",
)

# One for each display of the page: (question, faulty answer).
FAULTY = {
    # orange banner: the passage says $4
    "What does the Basic account cost per month?": (
        "The Basic account costs $7 per month [C1]. Accounts of customers under 26 are free of"
        " charge [C1]."
    ),
    # yellow banner, REFUSE: nothing was retrieved
    "How tall is the Eiffel Tower?": (
        "The Eiffel Tower is 330 metres tall. It was finished in 1889."
    ),
    # REFUSE: most of it is in no passage
    "How do I request vacation?": (
        "Send a fax to the personnel office before noon [C1]. Enclose two signed photographs of"
        " your suitcase [C1]. The mayor stamps the form every second Friday [C2]. After that a"
        " courier brings you the permit [C2]."
    ),
    # amber bubble although the passages hold the answer
    "How many requests may a key send per minute?": (
        "I cannot answer this based on the provided documents."
    ),
    # a citation of a passage that is not there
    "How long is a key valid?": "A key is valid for 90 days [C9].",
}
