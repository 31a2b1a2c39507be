"""What people read of each finding: the answer's words, the passage's, and the place."""

import re

from streamguard.core.context import Context
from streamguard.core.model.finding_texts import (
    PassageWords,
    denied,
    least_supported,
    marked,
    miscited,
    place_of,
    quoted,
)
from streamguard.core.model.policy import Policy
from tests.kit.answers import result_of
from tests.kit.tables import differing

HANDBOOK = [
    {"id": "h1", "source": "handbook/leave.md", "text": (
        "# Leave\n\n## Notice\nThe notice period is 45 days. Leave is approved by Dana Reyes.\n\n"
        "## Carry over\nUp to 5 unused days are carried over until 31 March.")},
    {"id": "h2", "source": "handbook/travel.md", "text": (
        "# Travel\nHotels cost up to $120 per night. Visitors may use the small car park.\n"
        "- Train tickets are booked by the front desk.")},
    {"text": "Badges are issued on the first day by the reception."},
]  # fmt: skip
TOLD = PassageWords("Some words", "a.md")
# An answer, and all that is said of it, by check.
SAID = [
    ("The notice period is 45 days.", []),
    ("The notice period is 30 days.",
     [("unsupported_value", "“30 days”; the passage says “45 days” (leave.md, “Notice”).")]),
    ("The notice period is 45 weeks.",
     [("contradicted_value", "“45 weeks”; the passage says “45 days” (leave.md, “Notice”).")]),
    ("Hotels cost up to $150 per night.",
     [("unsupported_price",
       "“$150 per night”; the passage says “$120 per night” (travel.md, “Travel”).")]),
    ("Hotels cost up to $120 per week.",
     [("unsupported_price",
       "“$120 per week”; the passage says “$120 per night” (travel.md, “Travel”).")]),
    ("Leave is approved by Dana Miller.",
     [("unsupported_name",
       "“Dana Miller” is in no passage; “Dana Reyes” is (leave.md, “Notice”).")]),
    ("Leave is approved by Jonas Berg.",
     [("unsupported_name",
       "“Jonas Berg” is in no passage; the nearest one names “Dana Reyes” (leave.md, “Notice”).")]),
    ("Hotels in Oslo cost up to $120 per night.",  # the nearest passage has no name
     [("unsupported_name", "“Oslo” is in no passage.")]),
    ("The notice period is 45 days [C3].",
     [("citation_mismatch",
       "[C3] does not say this; it is in leave.md, “Notice”: “The notice period is 45 days”.")]),
    ("The notice period is 45 days [C9].",
     [("citation_unknown", "[C9] names no retrieved passage; there are 3.")]),
    ("I cannot answer this based on the provided documents.",
     [("refusal", "The answer declines here.")]),
]  # fmt: skip
NO_WORDS_OF = re.compile(r"worth a look|worded like|holds? about|probability|%", re.IGNORECASE)


def test_a_message_names_what_the_answer_says_what_the_passage_says_and_where():
    def read(answer):
        result = result_of(answer, Context(query="What are the rules?", chunks=HANDBOOK))
        return [(one.check, one.message) for one in result.findings]

    assert differing(SAID, read) == []


# An answer, and why its status is what it is.
DECLINED = "I cannot say how long the notice period is."
REASONS = [
    ("The notice period is 30 days.", "REFUSE",
     ["“30 days”; the passage says “45 days” (leave.md, “Notice”)."] * 2),
    ("The notice period is 45 days. Hotels cost up to $150 per night.", "WARN",
     ["1 of 2 claims: “$150 per night”; the passage says “$120 per night” (travel.md, “Travel”)."]),
    ("The notice period is 45 days. Hotels cost $150 per night, and $130 per night by rail.",
     "WARN",
     ["1 of 2 claims: “$150 per night”; the passage says “$120 per night” (travel.md, “Travel”)."]),
    ("Leave is approved by Jonas Berg. Hotels cost up to $120 per night. It takes 46 days' notice.",
     "WARN",
     [("2 of 3 claims, the first: “Jonas Berg” is in no passage; the nearest one names"
      " “Dana Reyes” (leave.md, “Notice”).")]),
    ("Visitors must use the small car park.", "WARN",
     [("The answer says “must”, the passage “may”: “Visitors may use the small car park”"
      " (travel.md, “Travel”).")]),
    (DECLINED, "WARN",
     [("The answer declines, though a passage says “The notice period is 45 days”"
      " (leave.md, “Notice”).")]),
]  # fmt: skip


def test_a_reason_names_what_its_first_finding_names_and_none_of_it_without_text():
    def read(answer):
        result = result_of(answer, Context(query="How long is the notice period?", chunks=HANDBOOK))
        bare = "".join(one.message for one in result.without_text().reasons)
        assert "“" not in bare
        assert bare
        return result.status, [one.message for one in result.reasons]

    rows = [(answer, (status, messages)) for answer, status, messages in REASONS]
    assert differing(rows, read) == []


def test_a_sentence_that_no_passage_shares_a_word_with_is_named_alone():
    assert least_supported("Owls fly.", None) == "Least supported: “Owls fly”."


def test_the_least_supported_sentence_of_a_long_answer_is_named():
    answer = (
        "Teams in every region plan their offsite days together with the office managers. Lunch"
        " is often shared on those days. Visitors may use the small car park. Afterwards everyone"
        " writes a short summary for the wiki. Managers read the summaries when they have time."
        " Whoever wants to travel by train talks to colleagues first. Badges help new people to"
        " remember names. A good summary has a title, a date and a few plain sentences."
    )
    result = result_of(answer, Context(chunks=HANDBOOK))
    (said,) = [one for one in result.reasons if one.code == "low_groundedness"]
    assert said.plain is not None
    assert said.message.startswith(f"{said.plain} Least supported: “")
    least = min(filter(lambda one: one.is_claim, result.sentences), key=lambda one: one.support)
    assert answer[least.start : least.end].removesuffix(".") in said.message


MARKED = [
    (("all", "Most", TOLD), "The answer says “all”, the passage “Most”: “Some words” (a.md)."),
    (("need", None, TOLD), "The answer says “need”; the passage does not: “Some words” (a.md)."),
    ((None, "not", TOLD), "The passage says “not”: “Some words” (a.md)."),
    ((None, None, TOLD), "The answer may differ from the passage: “Some words” (a.md)."),
]


def test_a_mark_is_told_with_the_word_on_either_side_that_has_one():
    assert differing([(*given, said) for given, said in MARKED], marked) == []


def test_every_doubt_is_told_by_words_of_a_passage_and_its_place():
    strict = Policy(doubt_from=0.01, wrong_from=1.0)
    answers = [
        "Visitors must use the small car park.", "Badges are not issued on the first day.",
        "Train tickets are booked by the reception.", "All unused days are carried over.",
        "Badges are issued whenever somebody asks for one nicely.",
    ]  # fmt: skip
    told = [
        one
        for answer in answers
        for one in result_of(answer, Context(chunks=HANDBOOK), policy=strict).findings
        if one.flag == "unsupported_claim"
    ]
    assert {one.check for one in told} >= {"doubtful", "opposite"}
    for one in told:
        assert not NO_WORDS_OF.search(one.message)
        assert re.search(r"passage|reads “", one.message)
        assert re.search(r"\((?:leave\.md|travel\.md|C3)", one.message) or not one.nearest


PLACES = [
    (("leave.md", "# Leave\nfirst\n## Notice\nsecond", 9), "leave.md, “Leave”"),
    (("leave.md", "# Leave\nfirst\n## Notice\nsecond", 24), "leave.md, “Notice”"),
    (("leave.md", "# Leave\nfirst", 2), "leave.md"),  # the heading itself
    (("leave.md", "no heading\n#tag\nwords", 17), "leave.md"),
    (("leave.md", "####### seven\nwords", 15), "leave.md"),
    (("leave.md", "words", 0), "leave.md"),
    ((f"{'x' * 70}.md", "", 0), f"{'x' * 60} …"),
    (("a.md", f"# {'y' * 70}\nwords", 75), f"a.md, “{'y' * 60} …”"),
]


def test_a_place_is_the_passages_name_and_the_heading_above():
    assert differing([(*given, said) for given, said in PLACES], place_of) == []


QUOTED = [
    (("- One  item\nof two.",), "One item of two"), ((None,), ""), (("| a | b |",), "a | b"),
    (("## a",), "a"), (("12. a",), "a"), (("12.5 a",), "12.5 a"), (("#a",), "#a"),
    (("w" * 200,), f"{'w' * 160} …"),
]  # fmt: skip


def test_words_are_quoted_on_one_line_and_cut():
    assert differing([(*given, said) for given, said in QUOTED], quoted) == []


def test_a_citation_beside_the_text_has_no_tag_to_name():
    told = PassageWords("Leave is approved by Dana", "leave.md")
    said = "does not say this; it is in leave.md: “Leave is approved by Dana”."
    assert miscited(None, told) == f"The cited passage {said}"
    assert miscited("[C2]", told) == f"[C2] {said}"


def test_what_verifiers_deny_is_told_in_their_names():
    told = PassageWords("Leave is approved by Dana", "leave.md")
    assert denied("nli, own", told, contradicts=False) == (
        "By nli, own the passages do not support this; the nearest words are “Leave is approved by"
        " Dana” (leave.md)."
    )
    assert denied("nli", None, contradicts=True) == "By nli the passages contradict this."


def test_a_passage_without_a_source_is_called_by_its_id_unless_that_is_a_machines():
    for name, called in (
        ("terms", "terms"),
        ("9f86d081884c7d659a2feaa0c55ad015", "C1"),
        ("0af76519-16cd-43dd-8448-eb211c80319c", "C1"),
    ):
        result = result_of("It costs $59.", Context(chunks=[{"id": name, "text": "It costs $49."}]))
        assert result.findings[0].message == f"“$59”; the passage says “$49” ({called})."
