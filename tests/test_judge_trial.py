"""`streamguard judge try`: twelve cases, asked of a server on loopback."""

import json

import pytest

from streamguard.cli import main
from streamguard.verify.judge_trial import CASES, PASSAGES
from tests.integrations.services import service

# What quotes each case: a part of a passage that speaks of it.
QUOTES = {
    "price": "the Week ticket €98", "negation": "customers may not change the battery themselves",
    "condition": "unless it was made with a discount code",
    "role": "Bikes are handed out by the station staff",
    "unit": "A charged battery lasts for about 60 km", "citation": "Trailers carry up to 45 kg",
    "total": "The Day ticket costs €24", "wrong total": "a child seat €5 more per day",
    "paraphrase": "Helmets are free of charge",
    "date": "opened in 2019, the Mill station two years later", "absence": "",
    "other place": "In winter only the Harbour station is open",
}  # fmt: skip


def answering(verdict_of):
    """Return a server's answer, the verdict of each case given by its kind."""
    by_text = {case.sentence: case for case in CASES}

    def answers(sent):
        (one,) = json.loads(sent.json["messages"][1]["content"])["sentences"]
        case = by_text[one["text"]]
        quotes = [quote] if (quote := QUOTES[case.kind]) else []
        entry = {
            "id": "S1", "verdict": verdict_of(case), "confidence": 0.9, "quotes": quotes,
        }  # fmt: skip
        content = json.dumps({"verdicts": [entry]})
        usage = {"prompt_tokens": 500, "completion_tokens": 40}
        return 200, {"choices": [{"message": {"content": content}}], "usage": usage}

    return answers


def right(case):
    return "miscited" if case.kind == "citation" else case.word


def test_the_cases_are_twelve_of_unlike_kinds_and_their_quotations_stand():
    assert len({case.kind for case in CASES}) == len(CASES) == 12
    text = " ".join(" ".join(PASSAGES).split())
    assert all(quote in text for quote in QUOTES.values())


def test_a_judge_that_is_right_will_do(capsys):
    with service(v1__chat__completions=answering(right)) as known:
        assert main(["judge", "try", f"m@{known.base}/v1"]) == 0
    told = capsys.readouterr()
    assert told.err.startswith("passages and answers are sent to http://127.0.0.1:")
    assert "judge m v2" in told.out
    assert "12 of 12 right; a request takes" in told.out
    assert "500 tokens in and 40 out" in told.out
    assert "It will do" in told.out
    assert len(known.sent) == 12


def test_a_judge_that_says_yes_to_all_will_not(capsys):
    with service(v1__chat__completions=answering(lambda case: "supported")) as known:
        assert main(["judge", "try", f"m@{known.base}/v1"]) == 1
    told = capsys.readouterr().out
    assert "3 of 12 right" in told
    assert "WRONG  price        supported 0.90" in told
    assert "expected contradicted; Passage 1 says: “the Week ticket €98”" in told
    assert "The judge quotes nothing." in told
    assert "It will not do" in told


def test_one_that_errs_on_some_is_told_which(capsys):
    wrong = {"negation": "supported", "total": "not_mentioned"}
    answers = answering(lambda case: wrong.get(case.kind, right(case)))
    with service(v1__chat__completions=answers) as known:
        assert main(["judge", "try", f"m@{known.base}/v1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["kind"] for one in told["cases"] if not one["right"]] == ["negation", "total"]
    assert told["cost"]["output_tokens"] == 480
    with service(v1__chat__completions=answers) as known:
        main(["judge", "try", f"m@{known.base}/v1"])
    assert "It misses kinds of errors" in capsys.readouterr().out


@pytest.mark.parametrize("answer", [(401, {}), (200, {"choices": []})])
def test_a_server_that_fails_is_told(answer, capsys):
    with service(v1__chat__completions=answer) as known:
        assert main(["judge", "try", f"m@{known.base}/v1"]) == 1
    told = capsys.readouterr().out
    assert "WRONG" not in told  # nobody answered
    assert told.endswith("No verdict came: the lines above say why.\n")
    assert ("status 401" if answer[0] == 401 else "no Chat Completions response") in told
