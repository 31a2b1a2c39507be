import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from streamguard import __version__
from streamguard.cli import COMMANDS, main
from streamguard.commands.inputs import parse_chunks
from streamguard.core.context import Context
from streamguard.core.model.policy import Policy
from streamguard.core.model.types import RetrievedChunk
from streamguard.core.validate import check_text
from streamguard.errors import DecodeError
from tests.kit.commands import _here, run  # noqa: F401 -- a fixture of every test

PASSAGES = "[C1] A day pass costs $12.\n[C2] A monthly pass costs $39 per month.\n"
SUPPORTED = "A monthly pass costs $39 per month."
WRONG_PRICE = "A monthly pass costs $49 per month."
MADE_UP = "Dragons guard the northern treasure chamber."


@pytest.fixture
def files(tmp_path):
    """Write files by name."""

    def write(**contents):
        for name, content in contents.items():
            path = tmp_path / name.replace("_", ".")
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    return write


# --- check


def test_the_exit_status_tells_the_verdict(files, capsys):
    mixed = SUPPORTED + " " + WRONG_PRICE
    supportive = ("--set", "warn_similarity=0.9", "--set", "max_uncovered_claims=0")
    for answer, flags, status, word in (
        (SUPPORTED, (), 0, "PASS"),
        (WRONG_PRICE, (), 20, "REFUSE"),
        (mixed, (), 10, "WARN"),
        (MADE_UP, (), 20, "REFUSE"),
        (mixed, ("--fail-on", "refuse"), 0, "WARN"),
        (MADE_UP, ("--fail-on", "refuse"), 20, "REFUSE"),
        (MADE_UP, ("--fail-on", "never"), 0, "REFUSE"),
        (mixed, ("--fail-on", "warn"), 10, "WARN"),
        (SUPPORTED, ("--policy", "strict", "--citations-requested"), 20, "REFUSE"),
        (SUPPORTED, ("--policy", "strict"), 0, "PASS"),
        (SUPPORTED, ("--citations-requested",), 0, "PASS"),
        (SUPPORTED, ("--citations", "C2"), 0, "PASS"),
        (SUPPORTED, ("--citations", ""), 0, "PASS"),
        (SUPPORTED, supportive, 0, "PASS"),
        (SUPPORTED + MADE_UP, ("--policy=literal", "--set=max_uncovered_claims=0"), 20, "REFUSE"),
    ):
        files(answer_txt=answer, chunks_txt=PASSAGES)
        got, out, err = run(capsys, *CHECK, *flags)
        assert (got, err) == (status, ""), flags
        assert out.startswith(word)


CHECK = ("check", "answer.txt", "--chunks", "chunks.txt")


def test_no_chunks_are_not_judged_and_an_empty_file_says_that_nothing_was_retrieved(files, capsys):
    files(answer_txt=SUPPORTED, none_json="[]", empty_txt="")
    status, out, _ = run(capsys, "check", "answer.txt")
    assert (status, out.startswith("not evaluated")) == (0, True)
    assert out.endswith("give the passages: --chunks FILE or --docs FOLDER\n")
    for name in ("none.json", "empty.txt"):
        status, out, _ = run(capsys, "check", "answer.txt", "--chunks", name)
        assert status == 20
        assert "no_context_warning" in out


def test_json_holds_the_whole_result_and_says_what_was_skipped(files, capsys, monkeypatch):
    files(answer_txt=WRONG_PRICE, chunks_txt=PASSAGES)
    status, out, _ = run(capsys, *CHECK, "--json")
    result = json.loads(out)
    assert (status, result["status"]) == (20, "REFUSE")
    expected = check_text(WRONG_PRICE, context=Context(chunks=parse_chunks(PASSAGES, "f")))
    assert result == json.loads(expected.model_dump_json())
    assert out.isascii()
    monkeypatch.setenv("RAG_VALIDATION_ENABLED", "False")
    assert run(capsys, *CHECK) == (0, "not evaluated: validation_enabled is false\n", "")
    assert run(capsys, *CHECK, "--json") == (0, '{"status": null, "state": "skipped"}\n', "")


def test_answer_and_documents_are_given_as_to_explain(files, capsys):
    files(plans_md="# Plans\n\nA monthly pass costs $39 per month.")
    status, out, _ = run(capsys, "check", WRONG_PRICE, "--docs", "plans.md")
    assert (status, "the passage says “$39 per month” (plans.md" in out) == (20, True)


def test_the_report_shows_reason_banner_sentence_and_nearest_evidence(files, capsys):
    files(answer_txt=f"{SUPPORTED} {WRONG_PRICE} I cannot say more.", chunks_txt=PASSAGES)
    _, out, _ = run(capsys, *CHECK, "--query", "Monthly pass price?")
    assert "  1 of 2 claims: “$49 per month”; the passage says “$39 per month” (C2).\n" in out
    assert "claims: 1 of 2 supported\n" in out
    assert "claims: none\n" in run(capsys, "check", "I cannot say more.", *CHECK[2:])[1]
    assert "could not be verified against our documentation" in out
    assert "flags: refusal_detected, potential_hallucination" in out
    assert "refusal: partial" in out
    assert not re.search(r"\brule\b|scores|hallucination \d|citations each", out)
    assert f"  1  36-71  {WRONG_PRICE}" in out
    assert "nearest evidence: C2: “A monthly pass costs $39 per month.”" in out


def test_what_an_answer_holds_does_nothing_to_a_terminal(files, capsys):
    odd = "\x1b[2J\x1b]0;x\x07\x9b1A\u202e"
    answer, chunks = f"Basic{odd} costs $99 per{odd} month.", f"[C1] The Basic{odd} plan costs $10."
    files(answer_txt=answer, chunks_txt=chunks)
    _, out, _ = run(capsys, *CHECK)
    assert r"\x1b[2J\x1b]0;x\x07\x9b1A\u202e" in out
    assert not [each for each in out if each != "\n" and not each.isprintable()]


@pytest.mark.parametrize(("argv", "status", "message"), [
    (("check", "gone.txt"), 2, "ANSWER 'gone.txt' is no file, expected a file, - or an answer of"),
    (("check", "answer.txt", "--docs", "gone"), 2, "folder gone is not there, or is no folder"),
    (("check", "answer.txt", "--chunks", "gone.json"), 1, "gone.json: No such file"),
    (("check", "latin.txt"), 1, "latin.txt is not UTF-8: byte 1 is 0xe9"),
    (("check", "answer.txt", "--chunks", "bad.json"), 1, "bad.json, item 2 is 3, expected a"),
    (("check", "answer.txt", "--policy", "severe"), 2, "policy is 'severe', expected one of"),
    (("check", "answer.txt", "--set", "colour=red"), 2, "--set: colour is not a setting"),
    (("policy", "--set", f"min_documents={'9' * 5_000}"), 2, "--set: min_documents is '999"),
    (("check", "-", "--chunks", "-"), 2, "ANSWER and --chunks are both -, expected standard"),
    (("replay", "gone.jsonl"), 1, "gone.jsonl: No such file"),
    (("demo", "--data", "bad.json"), 2, "bad.json"),
])  # fmt: skip
def test_an_error_is_one_line_that_names_what_is_wrong(files, capsys, argv, status, message):
    files(answer_txt=SUPPORTED, latin_txt=b"d\xe9j\xe0", bad_json='["a", 3]')
    got, out, err = run(capsys, *argv)
    assert (got, out) == (status, "")
    assert err.startswith("streamguard: ")
    assert message in err
    assert err.count("\n") == 1


# --- chunks


@pytest.mark.parametrize(
    ("text", "chunks"),
    [
        ("", ()),
        ('["one", "two"]', (RetrievedChunk("one"), RetrievedChunk("two"))),
        ('[{"id": "a", "text": "one", "source": "s"}]',
         (RetrievedChunk("one", id="a", source="s"),)),
        ('{"text": "one"}\n\n{"text": "two", "distance": 0.25}\n',
         (RetrievedChunk("one"), RetrievedChunk("two", distance=0.25))),
        ('{"text": "one"}', (RetrievedChunk("one"),)),
        ('[{"text": "one", "page": 3, "metadata": {"lang": "en"}}]',
         (RetrievedChunk("one", metadata={"lang": "en", "page": 3}),)),
        ("[C1] one\n[C3] two\nlines\n",
         (RetrievedChunk("one", id="C1"), RetrievedChunk("two\nlines", id="C3"))),
        ("Found:\n[C1] one\n", (RetrievedChunk("one", id="C1"),)),
        ('"one \\u20ac"\n\n"two"\n', (RetrievedChunk("one €"), RetrievedChunk("two"))),
        *((f'"one{end}more"\n"two"', (RetrievedChunk(f"one{end}more"), RetrievedChunk("two")))
          for end in "\u2028\u2029\x85"),
        ('"One" is what he said.\n"Two".', (RetrievedChunk('"One" is what he said.\n"Two".'),)),
    ],
)  # fmt: skip
def test_chunks_come_as_json_list_json_lines_or_marked_text(text, chunks):
    assert parse_chunks(text, "f") == chunks


@pytest.mark.parametrize(("text", "message"), [
    ('["one"', "f is neither a JSON list nor [Cn] passages: "),
    ('{"text": "one"}\n{"text": ', "f, line 2 is not JSON: "),
    ("[" * 100_000, "f is JSON that is nested too deeply"),
    ("[1]", "f, item 1 is 1, expected a string or an object with a text"),
    ('{"text": "one"}\n{"id": "a"}', "f, line 2 is an object without one, expected a string"),
    ('[{"text": "one", "id": 3}]', "f, item 1: id is 3, expected a string"),
    ('[{"text": "one", "distance": "near"}]', "f, item 1: distance is 'near', expected a"),
])  # fmt: skip
def test_wrong_chunks_are_refused_with_their_place(text, message):
    with pytest.raises(DecodeError) as refused:
        parse_chunks(text, "f")
    assert str(refused.value).startswith(message)


# --- policy


def test_policy_shows_every_setting_with_value_and_origin_also_as_json(capsys, monkeypatch):
    monkeypatch.setenv("RAG_MIN_DOCUMENTS", "3")
    status, out, _ = run(capsys, "policy", "--policy", "strict", "--set", "warn_similarity=0.5")
    table = out.partition("\n\n")[0].splitlines()
    rows = {line.split()[0]: line for line in table if line[0] != " "}
    assert status == 0
    assert set(rows) == {"setting", *Policy.model_fields}
    assert rows["max_uncovered_claims"].split()[1:4] == ["1", "preset", "strict"]
    assert rows["min_documents"].split()[1:3] == ["3", "RAG_MIN_DOCUMENTS"]
    assert rows["warn_similarity"].split()[1:3] == ["0.5", "--set"]
    assert rows["drift_penalty"].split()[1:3] == ["0.2", "default"]
    assert all(phrase in out for phrase in Policy().refusal_phrases)
    _, out, _ = run(capsys, "policy", "--policy", "calibrated", "--json")
    rows = json.loads(out)
    policy = Policy.load({name: row["value"] for name, row in rows.items()})
    assert policy == Policy.preset("calibrated", min_documents=3)
    assert rows["min_relevance"]["origin"] == "preset calibrated"


# --- the whole program


def test_every_command_has_a_help_with_an_example_or_more(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"streamguard {__version__}\n"
    for name in COMMANDS:
        with pytest.raises(SystemExit) as left:
            main([name, "--help"])
        assert left.value.code == 0
        shown = capsys.readouterr().out
        assert len(shown) > 400
        assert ("(default: recordings)" in " ".join(shown.split())) is (name == "record")


def ran(command, **options):
    done = subprocess.run(command, stderr=subprocess.PIPE, check=False, **options)
    return done.returncode, done.stderr


@pytest.mark.slow
def test_streams_that_are_closed_or_know_no_unicode_are_no_error_worth_words(files):
    program = [sys.executable, "-m", "streamguard"]
    reader, writer = os.pipe()
    os.close(reader)  # who leaves early
    with os.fdopen(writer, "wb") as closed:
        assert ran([*program, "policy"], stdout=closed) == (1, b"")
    for closed in (">&-", "2>&-", ">&- 2>&-"):
        assert ran(
            ["sh", "-c", f"{shlex.join(program)} policy {closed}"], stdout=subprocess.PIPE
        ) == (0, b"")
    files(answer_txt=WRONG_PRICE, chunks_txt=PASSAGES)
    environ = {**os.environ, "PYTHONIOENCODING": "ascii"}
    with Path("shown").open("wb") as shown:
        assert ran([*program, *CHECK], stdout=shown, env=environ) == (20, b"")
    assert "$49 per month" in Path("shown").read_text(encoding="ascii")


def test_a_standard_input_that_is_closed_is_named(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    said = "streamguard: standard input is closed, expected a text there for -\n"
    assert run(capsys, "check", "-") == (2, "", said)


# --- what is misspelt


@pytest.mark.parametrize(("argv", "program", "words"), [
    (("prox",), "streamguard", "streamguard: prox is not known here; did you mean proxy? See"),
    (("chat", "--port", "80"), "streamguard chat", "--port 80 is not known here; did you mean --l"),
    (("proxy", "--base-url=http://x"), "streamguard proxy", "did you mean --upstream?"),
    (("check", "a.txt", "--polcy", "strict"), "streamguard check", "did you mean --policy?"),
    (("check", "a.txt", "--cit=C1"), "streamguard check", "did you mean --citations?"),
    (("check", "a.txt", "b.txt"), "streamguard check", "b.txt is not known here;"),
    (("check", "a.txt", "--fail-on", "wran"), "streamguard check", "did you mean warn?"),
    (("proxy", "--upstrem", "http://x"), "streamguard proxy", "did you mean --upstream?"),
    (("policy", "strict"), "streamguard policy", "did you mean --policy strict?"),
    (("check",), "streamguard check", "the following arguments are required: ANSWER"),
    (("--json", "check", "a.txt"), "streamguard", "--json"),
    ((), "streamguard", ""),
    (("demo", "--count", "0"), "streamguard demo", "--count"),
])  # fmt: skip
def test_a_misspelt_word_gets_one_line_and_what_may_be_meant(capsys, argv, program, words):
    with pytest.raises(SystemExit) as exited:
        main(argv)
    err = capsys.readouterr().err
    assert exited.value.code == 2
    assert err.startswith(f"{program}: ")
    assert err.endswith((f"; see {program} --help\n", f"? See {program} --help\n"))
    assert err.count("\n") == 1
    assert words in err


def test_every_command_answers_a_wrong_flag_in_one_line(capsys):
    for name in COMMANDS:
        with pytest.raises(SystemExit):
            main([name, "--nope"])
        err = capsys.readouterr().err
        assert (
            err == f"streamguard {name}: --nope is not known here; see streamguard {name} --help\n"
        )
