"""First questions, made from the headings of the documents."""

from streamguard.core.model.policy import Policy
from streamguard.rag.folder import in_memory
from streamguard.rag.gate import assess, policy_for
from streamguard.rag.starting import starting_questions

DOCUMENTS = {
    "holidays.md": ["Time off > Holidays\nEach of us has 27 days of leave."],
    "notes.txt": ["Nobody reads this. It has no heading."],
    "pay.md": ["Pay day\nPay day is the 25th."],
    "sick.md": ["When you are ill\nCall the planner."],
    "travel.md": ["Travel\nTrains are second class."],
}


def asked(documents, count=3):
    store = in_memory(documents)
    names = ["documents"]
    policy = policy_for(Policy(), store.metric(names), store.levels(names))
    found = starting_questions(store, names, policy, count)
    for question in found:
        assert assess(store.query(names, question, 6), policy).is_answerable
    store.close()
    return found


def test_headings_of_different_documents_become_questions_the_gate_answers_once_each():
    assert asked(DOCUMENTS) == [
        "What should I know about “Holidays”?",
        "What should I know about “Pay day”?",
        "What should I know about “When you are ill”?",
    ]
    same = {f"pay-{n}.md": ["Pay day\nPay day is the 25th."] for n in range(4)}
    assert asked(same) == ["What should I know about “Pay day”?"]


def test_a_line_that_labels_a_value_is_no_heading():
    assert asked({"names.txt": ["Manager: Ann Bo\nPhone: 0800 555"]}) == []
