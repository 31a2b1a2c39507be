"""Audits of logged answers: what is written, resumed, compared and refused."""

import gzip
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from streamguard.audit import log_files, part_check
from streamguard.audit.context_cache import Contexts
from streamguard.audit.manifest import MANIFEST
from streamguard.audit.part_check import Job, check_part
from streamguard.audit.run import Plan, audit
from streamguard.core.context import Context
from streamguard.core.model.policy import Policy
from streamguard.core.model.types import RetrievedChunk
from streamguard.core.validate import check_text
from streamguard.errors import ConfigError, DecodeError
from tests.kit.commands import _here, run  # noqa: F401 -- a fixture of every test

QUESTION = "What does Basic cost?"
CHUNKS = ["Basic costs $49 per month.", "Refunds take 14 days."]
CLEAN = "Basic costs $49 per month. Refunds take 14 days."
WRONG = "Basic costs $59 per month. Refunds take 14 days."
JOB = Job("out", Policy())


def row(answer=CLEAN, **more):
    return {"question": QUESTION, "chunks": CHUNKS, "answer": answer, **more}


def write(*rows, name="log.jsonl"):
    text = "".join(each if isinstance(each, str) else json.dumps(each) + "\n" for each in rows)
    data = text.encode("utf-8", "surrogateescape")
    Path(name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return name


def audited(capsys, *flags, out="out"):
    """Audit log.jsonl in this process; return the status and what was said on both streams."""
    return run(capsys, "audit", "log.jsonl", "--out", out, "--workers", 1, *flags)


def lines(*path):
    return [json.loads(line) for file in sorted(Path(*path).glob("*.jsonl"))
            for line in file.read_text().splitlines()]  # fmt: skip


def plan(*names, rows=2, **job):
    return Plan(names, replace(JOB, **job), workers=1, part_rows=rows)


# What is written.


def test_each_answer_gets_the_verdict_of_a_check(capsys):
    write(row(id="a", model="m"), row(WRONG), row("I cannot say.", chunks=None))
    status, out, err = audited(capsys)
    assert status == 0
    found = lines("out/verdicts")
    assert [each["status"] for each in found] == ["PASS", "WARN", None]
    assert [each["line"] for each in found] == [1, 2, 3]
    first, second, _ = found
    assert (first["file"], first["id"], first["model"]) == ("log.jsonl", "a", "m")
    result = check_text(WRONG, context=Context(QUESTION, CHUNKS))
    assert second["verdict"] == result.scores.verdict
    assert second["groundedness"] == result.scores.groundedness
    assert [(f["check"], f["start"], f["end"]) for f in second["findings"]] == [
        (f.check, f.start, f.end) for f in result.findings
    ]
    assert out.startswith("3 answers in 3 rows, files: 1; policy moderate")
    assert "not evaluated" in out
    counts = json.loads(Path("out/summary.json").read_text())["counts"]
    assert counts["checks"] == {"unsupported_price": 1, "refusal": 1}
    assert "compared" not in out
    assert "auditing: 100 of 100, 3 answers" in err


def test_the_verdicts_hold_no_text_unless_it_is_asked_for(capsys):
    write(row(WRONG))
    audited(capsys, out="bare")
    audited(capsys, "--with-results", out="whole")
    assert "59" not in Path("bare/verdicts/part-00000-0000000.jsonl").read_text()
    (found,) = lines("whole/verdicts")
    result = check_text(WRONG, context=Context(QUESTION, CHUNKS))
    assert found["result"] == json.loads(result.model_dump_json())


def test_packed_files_folders_blank_lines_and_marks_of_byte_order(capsys):
    Path("logs/b").mkdir(parents=True)
    write("\ufeff", row(), "\n", row(WRONG), name="logs/a.jsonl")
    write(row(), name="logs/b/c.jsonl.gz")
    write("no log", name="logs/readme.txt")
    status, out, _ = run(capsys, "audit", "logs", "--out", "out", "--workers", 1)
    assert status == 0
    assert [(Path(v["file"]).name, v["line"]) for v in lines("out/verdicts")] == [
        ("a.jsonl", 1), ("a.jsonl", 3), ("c.jsonl.gz", 1),
    ]  # fmt: skip
    assert out.startswith("3 answers in 3 rows, files: 2")


# Rows that cannot be read.


BAD = [
    ("{", "the row is not JSON"),
    ('{"answer": 3}', "answer is 3, expected a string"),
    ('"\udcff"', "the row is not UTF-8: byte 1"),
    ("[" * 100_000, "the row is not JSON"),
    ('{"messages": []}', "the last of its messages is no assistant's"),
    ('{"answer": "a", "citations_requested": true, "citations": 5}', "citations is 5, expected"),
    ('{"answer": "a", "ended": "early"}', 'ended "early", expected'),
    ('{"answer": "a", "choice": -1}', "choice is -1"),
]


def test_rows_that_cannot_be_read_are_kept_and_told_by_file_and_line(capsys):
    other = {"type": "SPAN", "input": 1, "output": 2}  # of a trace: counted, and no error
    write(row(), *(bad + "\n" for bad, _ in BAD), row(), other)
    status, out, _ = audited(capsys)
    assert status == 3
    errors = lines("out/errors")
    assert [each["line"] for each in errors] == list(range(2, 2 + len(BAD)))
    for error, (bad, said) in zip(errors, BAD, strict=True):
        assert error["file"] == "log.jsonl"
        assert said in error["error"]
        assert error["row"].startswith(bad[:10].replace("\udcff", "\\xff"))
    assert len(lines("out/verdicts")) == 2
    assert f"{len(BAD)} rows could not be read: see out/errors" in out
    assert "1 row without an answer: SPAN" in out


def test_a_row_too_long_is_told_and_not_held(monkeypatch, capsys):
    for room in (log_files, part_check):
        monkeypatch.setattr(room, "MAX_ROW_BYTES", 300)
    write(row(), row("x" * 2_000), row(), "y" * 3_000)
    assert audited(capsys)[0] == 3
    assert [each["line"] for each in lines("out/verdicts")] == [1, 3]
    told = [each["error"] for each in lines("out/errors")]
    assert told == ["the row is longer than 300 bytes"] * 2
    assert all(len(each["row"]) <= 301 for each in lines("out/errors"))


def test_a_packed_file_that_is_cut_off_is_an_error_behind_its_last_row(capsys):
    write(*[row(str(at) * 9) for at in range(50)], name="log.jsonl.gz")
    data = Path("log.jsonl.gz").read_bytes()
    Path("log.jsonl.gz").write_bytes(data[:-20])
    status, _, _ = run(capsys, "audit", "log.jsonl.gz", "--out", "out", "--workers", 1)
    assert status == 3
    (error,) = lines("out/errors")
    assert error["line"] == len(lines("out/verdicts")) + 1
    assert "the file is no whole gzip file" in error["error"]
    write("no gzip", name="log.jsonl")
    Path("log.jsonl").rename("log.jsonl.gz")
    assert run(capsys, "audit", "log.jsonl.gz", "--out", "other", "--workers", 1)[0] == 3


# Parts, and an audit that goes on.


def test_an_interrupted_audit_goes_on_and_ends_as_one_in_one_go(monkeypatch):
    write(*[row(WRONG if at % 3 else CLEAN, id=at) for at in range(9)], "{\n")
    whole = audit(plan("log.jsonl", out="whole"))
    done = []

    def failing(job, part):
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(part.number)
        return check_part(job, part)

    with monkeypatch.context() as patched:
        patched.setattr("streamguard.audit.run.check_part", failing)
        with pytest.raises(KeyboardInterrupt):
            audit(plan("log.jsonl"))
    # What a process leaves that ends while it writes: half a line, a file that is not renamed.
    with Path("out", MANIFEST).open("a") as out:
        out.write('{"source": 0, "pa')
    Path("out/verdicts/.part-00000-0000002.jsonl.9").write_text("{")
    checked = []
    monkeypatch.setattr(
        "streamguard.audit.run.check_part",
        lambda job, part: checked.append(part.number) or check_part(job, part),
    )
    again = audit(plan("log.jsonl"))
    assert checked == [2, 3, 4]
    for summary in (whole, again):
        del summary["errors_in"], summary["counts"]["cpu_s"]
    assert again == whole
    assert lines("out/verdicts") == lines("whole/verdicts")
    assert lines("out/errors") == lines("whole/errors")
    assert audit(plan("log.jsonl"))["counts"]["answers"] == 9
    assert checked == [2, 3, 4]


def test_a_file_that_was_changed_is_told_by_its_lines_and_another_policy_is_another_audit():
    write(row(), row(), row(id="a"))
    audit(plan("log.jsonl"))
    write(row(), row(), row(id="b"))
    with pytest.raises(ConfigError, match=r"log.jsonl was changed .*: lines 3 to 3 are others"):
        audit(plan("log.jsonl"))
    write(row(), row(), row(id="a"), row())
    with pytest.raises(ConfigError, match="out holds an audit with sources"):
        audit(plan("log.jsonl"))
    write(row(), row(), row(id="a"))
    with pytest.raises(ConfigError, match='with policy "moderate", asked for is "strict"'):
        audit(plan("log.jsonl", policy=Policy.preset("strict")))


def test_a_folder_that_holds_something_else_is_left_alone(capsys):
    write(row())
    write("precious", name="note.txt")
    with pytest.raises(ConfigError, match="is not empty and holds no audit"):
        audit(plan("log.jsonl", out="."))
    with pytest.raises(ConfigError, match=r"--out is 'note\.txt', a file: expected a folder"):
        audit(plan("log.jsonl", out="note.txt"))
    Path("out").mkdir()
    for text, said in (("", "is empty, expected the manifest"), ("{\n", "line 1 is not JSON")):
        Path("out", MANIFEST).write_text(text)
        with pytest.raises(DecodeError, match=said):
            audit(plan("log.jsonl"))
    # One that ended while it began is begun again.
    Path("out", MANIFEST).rename("out/.manifest.jsonl.4711")
    assert audited(capsys)[0] == 0


# Processes.


# Two policies, two versions.


def test_a_comparison_says_which_verdicts_flip_and_why(capsys):
    hedged = "Basic costs $49 per month. It was founded by a retired physicist in Lisbon in 1987."
    write(row(), row(WRONG), row(hedged))
    flags = "--policy literal --compare moderate --part-rows 2".split()
    status, out, _ = audited(capsys, *flags)
    assert status == 0
    found = lines("out/verdicts")
    for each, answer in zip(found, (CLEAN, WRONG, hedged), strict=True):
        before = check_text(answer, context=Context(QUESTION, CHUNKS))
        after = check_text(answer, context=Context(QUESTION, CHUNKS), policy="literal")
        if each["changed"] is None:
            assert before.status == after.status
            continue
        assert each["changed"]["status"] == [before.status, after.status]
        codes = {r.code for r in before.reasons}, {r.code for r in after.reasons}
        assert each["changed"]["reasons_appeared"] == sorted(codes[1] - codes[0])
        assert each["changed"]["reasons_disappeared"] == sorted(codes[0] - codes[1])
        checks = {f.check for f in before.findings}, {f.check for f in after.findings}
        assert {f["check"] for f in each["changed"]["appeared"]} >= checks[1] - checks[0]
        assert {f["check"] for f in each["changed"]["disappeared"]} >= checks[0] - checks[1]
    counts = json.loads(Path("out/summary.json").read_text())["counts"]
    assert counts["compared"] == 3
    flips = {label: flip["answers"] for label, flip in counts["flips"].items()}
    assert sum(flips.values()) == sum(each["changed"] is not None for each in found)
    assert "compared with moderate: the status of" in out
    assert "as in log.jsonl:" in out


def test_the_results_of_an_earlier_audit_are_what_one_compares_with(capsys):
    write(row(), row(WRONG), "{\n", row(WRONG))
    for name, policy in (("old", "lenient"), ("direct", "strict"), ("new", "strict")):
        compared = {"old": (), "direct": ("--compare", "lenient"), "new": ("--compare", "old")}
        assert audited(capsys, "--policy", policy, *compared[name], out=name)[0] == 3
    assert lines("new/verdicts") == lines("direct/verdicts")
    # Two finished audits need no answer any more.
    audited(capsys, "--policy", "strict", out="alone")
    status, out, _ = run(capsys, "audit", "alone", "--compare", "old", "--json")
    assert status == 3
    expected = json.loads(Path("new/summary.json").read_text())["counts"]
    counts = json.loads(out)["counts"]
    assert counts.pop("cpu_s") > 0
    del expected["cpu_s"]
    assert counts == expected
    assert "compared with old" in run(capsys, "audit", "new", "--compare", "old")[1]
    for flags in (["--out", "x"], ["--policy", "strict"], ["--set", "name=a"], ["--with-results"]):
        status, _, err = run(capsys, "audit", "new", "--compare", "old", *flags)
        assert status == 2
        assert f"{flags[0]} is given, but new is an audit" in err


def test_audits_of_other_rows_are_not_compared(capsys):
    def refused(said, one, other, *more):
        status, _, err = run(capsys, "audit", one, "--compare", other, *more)
        assert (status, said in err) == (2, True), err

    write(row(), row())
    audited(capsys, out="old")
    audited(capsys, "--part-rows", 1, out="cut")
    refused("holds an audit of files of", "old", "cut")
    write(row(), row(CLEAN.swapcase()))
    audited(capsys, out="new")
    others = "part 1 of file 1 holds other rows there"
    refused(others, "new", "old")
    # As long, and other words: told before anything is compared.
    refused(others, "log.jsonl", "old", "--out", "now", "--workers", 1)
    refused("the audit in now is not finished: 0 parts are done", "now", "old")
    Path("old/summary.json").unlink()
    refused("the audit in old is not finished: 1 parts are done", "new", "old")
    refused("new is an audit: expected --compare with another one", "new", "strict")


# The command.


def test_a_wrong_flag_or_file_is_told(capsys):
    write(row())
    os.mkfifo("pipe")
    Path("empty").mkdir()
    for argv, status, seen in (
        ("log.jsonl", 2, "--out is missing, expected the folder of the audit"),
        ("log.jsonl --out out --workers 0", 2, "--workers is 0, expected a whole"),
        ("log.jsonl --out out --part-rows 0", 2, "--part-rows is 0, expected a whole"),
        ("log.jsonl --out out --map a=b", 2, "--map has 'a=b'"),
        ("log.jsonl --out out --set validation_enabled=false", 2, "of moderate"),
        ("log.jsonl --out out --compare nothing", 2, "policy is 'nothing'"),
        ("pipe --out out", 2, "pipe is a pipe or a device, expected a file"),
        ("empty --out out", 2, "a folder without files that end in one of .jsonl"),
        ("nothing.jsonl --out out", 1, "nothing.jsonl"),
    ):
        got, _, err = run(capsys, "audit", *argv.split())
        assert (got, seen in err) == (status, True), err


def test_what_is_missing_is_named(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    write(row())
    write(row(), name="log.parquet")
    for argv, extra in (
        (["log.jsonl", "--engine", "ray"], "[ray]"),
        (["log.jsonl", "--write", "parquet"], "[parquet]"),
        (["log.parquet"], "[parquet]"),
    ):
        status, _, err = run(capsys, "audit", *argv, "--out", extra + argv[0], "--workers", 1)
        assert (status, extra in err) == (2, True)


# --- contexts: held as long as there is room, and never mistaken for each other


EACH_CHARS = 10 + len("What of a?") + 100


def of(name, chars=10, **more):
    return Context(f"What of {name}?", [RetrievedChunk(name * chars, **more)])


def test_those_that_were_not_asked_for_the_longest_go_first():
    contexts = Contexts(max_chars=2 * EACH_CHARS + 5)
    a, b, c = (of(name) for name in "abc")
    for each in (a, b, of("a"), c):
        contexts.known(each)
    assert contexts.known(of("a")) is a
    assert contexts.known(other := of("b")) is other
    long = of("d", 1_000)
    assert contexts.known(long) is long
    assert contexts.known(of("d", 1_000)) is long
    assert contexts.known(other := of("a")) is other
