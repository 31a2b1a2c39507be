"""`streamguard results`: what it lists, shows and exports."""

import csv
import io
import json
import sqlite3
import tracemalloc
import zlib
from contextlib import closing
from pathlib import Path

import pytest

from streamguard.cli import main
from streamguard.sinks.sql.records import About, Record
from tests.kit.commands import _here  # noqa: F401 -- a fixture of every test
from tests.kit.kept_results import fill
from tests.test_results_database import DAY, PLANS, annotation_of, record_of

EVIL = '=HYPERLINK("http://x")'


@pytest.fixture
def url(tmp_path):
    url = f"sqlite:///{tmp_path}/results.db"
    models = ["plain", EVIL, "a\x1b[2Jb", "+1", "-2", "@x", "\tx"]
    fill(url, [
        record_of(
            n,
            about=About(created_ms=n * DAY, model=model, keywords=("plan",)),
            chunks=None if n == 5 else [PLANS],  # of this one nobody knows the passages
        )
        for n, model in enumerate(models)
    ])  # fmt: skip
    return url


@pytest.fixture
def results(url, capsys):
    def run(*argv):
        assert main(["results", *argv, "--results", url]) == 0
        return capsys.readouterr().out

    return run


def test_the_newest_are_listed_first_a_line_each(results, url, monkeypatch, capsys):
    out = results("list")
    lines = out.splitlines()
    status = annotation_of(1).result.status
    assert len(lines) == 7
    assert lines[-1].startswith(f"1970-01-01 00:00:00  {0:032x}  {status}")
    assert lines[-1].endswith("plan")
    assert lines[1].startswith(f"1970-01-06 00:00:00  {5:032x}  -        ")
    assert "\x1b" not in out  # what a terminal would obey
    assert "a\ufffd[2Jb" in out
    for count, flags in (
        (2, "--limit 2"),
        (2, "--since 1970-01-03 --until 1970-01-05"),
        (1, "--since 1970-01-03T01:00:00+01:00 --until 1970-01-04"),
    ):
        assert len(results("list", *flags.split()).splitlines()) == count
    assert [line[41:44] for line in results("list", "--model", "plain").splitlines()] == ["000"]
    monkeypatch.setenv("STREAMGUARD_RESULTS", url)
    assert main(["results", "list"]) == 0
    assert capsys.readouterr().out.splitlines() == lines


def test_one_is_shown_with_all_that_is_kept_of_it(results, url, capsys):
    kept = json.loads(results("show", f"{1:032x}"))
    assert kept["annotation"] == annotation_of(1).to_dict()
    assert kept["result"]["model"] == EVIL
    assert main(["results", "show", "none", "--results", url]) == 1
    assert "no result has the id 'none'" in capsys.readouterr().err


def test_json_lines_hold_row_and_annotation(results, tmp_path):
    results("export", "--out", str(tmp_path / "out.jsonl"))
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [line["created_ms"] // DAY for line in lines] == [6, 5, 4, 3, 2, 1, 0]
    assert lines[0]["annotation"] == annotation_of(6).to_dict()
    assert "seq" not in lines[0]


def test_one_annotation_is_held_at_a_time(tmp_path):
    """A page of long ones would take a gigabyte; of these, 20 MB."""
    said = json.dumps({"id": "", "state": "complete", "padding": "x" * 200_000})
    bodies = [zlib.compress(said.replace('""', f'"{n:032x}"', 1).encode()) for n in range(100)]
    url = f"sqlite:///{tmp_path}/long.db"
    fill(url, [Record(About(), body) for body in bodies])
    tracemalloc.start()
    assert main(["results", "export", "--results", url, "--out", str(tmp_path / "out")]) == 0
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len((tmp_path / "out").read_text().splitlines()) == 100
    assert most < 4_000_000


def test_no_cell_of_a_csv_is_a_formula(results, tmp_path):
    results("export", "--format", "csv", "--out", str(tmp_path / "out.csv"))
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text(), newline="")))
    models = [row["model"] for row in rows]
    assert models == ["'\tx", "'@x", "'-2", "'+1", "a\x1b[2Jb", f"'{EVIL}", "plain"]
    assert all(cell[:1] not in ("=", "+", "-", "@") for row in rows for cell in row.values())


@pytest.mark.parametrize(("argv", "message"), [
    ("list", "--results is missing: name the database, or set STREAMGUARD_RESULTS"),
    ("list --results sqlite:///nowhere.db", "'nowhere.db', which is not there"),
    ("show --results sqlite:///x", "results show takes an ID, list and export"),
    ("export --format parquet --results sqlite:///x", "needs --out FILE"),
    ("list --results mysql://u:secret@h/d", "is no database of ours"),
    ("list --since soon", "is 'soon', expected a day or a time"),
    ("list --limit 0", "is '0', expected a whole number of at least 1"),
    ("list --results sqlite:///.", "results are '.', a folder: expected a file"),
    ("list --format csv --results sqlite:///x", "are for results export"),
    ("list --results sqlite:///notes.txt", "which cannot be read: file is not a data"),
])  # fmt: skip
def test_what_is_wrong_is_said(capsys, tmp_path, argv, message):
    (tmp_path / "notes.txt").write_text("not a database, and long enough to be none" * 9)
    try:
        status = main(["results", *argv.split()])
    except SystemExit as exc:
        status = exc.code
    said = capsys.readouterr().err
    assert status == 2
    assert message in said
    assert "secret" not in said


def test_another_programs_database_is_left_as_it_is(tmp_path, capsys):
    file = tmp_path / "other.db"
    with closing(sqlite3.connect(file)) as other:
        other.execute("CREATE TABLE theirs (a)")
    before = file.read_bytes()
    assert main(["results", "list", "--results", f"sqlite:///{file}"]) == 2
    assert "other.db', which holds none: --results writes them" in capsys.readouterr().err
    assert file.read_bytes() == before


def test_an_export_goes_into_no_database_and_through_a_link_or_into_a_device(
    results, url, tmp_path, capsys
):
    held = Path(url.removeprefix("sqlite:///"))
    assert main(["results", "export", "--results", url, "--out", str(held)]) == 2
    assert "the database itself" in capsys.readouterr().err
    (tmp_path / "link").symlink_to(tmp_path / "there")
    assert main(["results", "export", "--results", url, "--out", str(tmp_path / "link")]) == 0
    assert (tmp_path / "link").is_symlink()
    assert main(["results", "export", "--results", url, "--out", "/dev/null"]) == 0
    assert not Path("/dev/null").is_file()
    assert (tmp_path / "there").read_bytes()


def test_a_name_that_no_database_takes_names_no_result(url, capsys):
    for wanted in ("a\udcff", "\x00", "x" * 200):
        flags = ["--model", wanted, "--limit", "9" * 20, "--status", "REFUSE", "--results", url]
        assert main(["results", "list", *flags]) == 0
        assert capsys.readouterr() == ("", "no results\n")
        assert main(["results", "show", wanted, "--results", url]) == 1
        capsys.readouterr()


def test_a_database_that_gives_up_is_said_and_leaves_no_half_of_a_file(url, capsys, tmp_path):
    file = Path(url.removeprefix("sqlite:///"))
    whole = file.read_bytes()
    at = whole.index(b"plan") // 4_096 * 4_096  # the tables are there, what they hold is not
    file.write_bytes(whole[:at] + b"\xff" * 4_096 + whole[at + 4_096 :])
    for argv in (["list"], ["export", "--out", str(tmp_path / "out.csv")]):
        assert main(["results", *argv, "--results", url]) == 1
        assert "gave up: database disk image is malformed" in capsys.readouterr().err
    assert [file.name for file in tmp_path.glob("out*")] == []
