"""Ray and Parquet, with their real packages: `make test-ray` installs them."""

import json
from pathlib import Path

import pytest

pytest.importorskip("ray")
pa = pytest.importorskip("pyarrow")

from pyarrow import parquet  # noqa: E402

from streamguard.audit.part_check import read_verdicts  # noqa: E402
from streamguard.cli import main  # noqa: E402

CHUNKS = [{"text": "Basic costs $49 per month.", "id": "p"}, {"text": "Refunds take 14 days."}]
ROWS = [
    {"id": at, "question": "What does Basic cost?", "chunks": CHUNKS,
     "answer": f"Basic costs ${49 + at % 3} per month. Refunds take {14 + at % 2} days."}
    for at in range(30)
]  # fmt: skip

pytestmark = pytest.mark.filterwarnings("ignore")  # of Ray's own


@pytest.fixture(autouse=True)
def log(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS) + "{\n")


@pytest.fixture(scope="module", autouse=True)
def _cluster():
    import ray

    yield
    ray.shutdown()


def audit(*argv):
    """Run an audit, paths written out: the processes of Ray stay in the folder they began in."""
    named = [str(Path(word).resolve()) if Path(word).exists() else word for word in argv]
    out = named.index("--out") + 1
    named[out] = str(Path(named[out]).resolve())
    return main(["audit", *named, "--workers", "2", "--part-rows", "4"])


def written(folder):
    files = sorted(Path(folder).glob("*/*.jsonl"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_ray_writes_what_processes_write_bit_for_bit():
    assert audit("log.jsonl", "--out", "here", "--compare", "strict") == 3
    assert audit("log.jsonl", "--out", "there", "--compare", "strict", "--engine", "ray") == 3
    assert written("here") == written("there")
    assert len(written("here")) == 9
    counts = [
        json.loads(Path(name, "summary.json").read_text())["counts"] for name in ("here", "there")
    ]
    for each in counts:
        del each["cpu_s"]
    assert counts[0] == counts[1]


def test_an_audit_on_ray_goes_on_where_it_stopped():
    assert audit("log.jsonl", "--out", "out") == 3
    manifest = Path("out/manifest.jsonl")
    whole, lines = written("out"), manifest.read_text().splitlines(keepends=True)
    manifest.write_text("".join(lines[:4]))
    Path("out/verdicts/part-00000-0000005.jsonl").unlink()
    assert audit("log.jsonl", "--out", "out", "--engine", "ray") == 3
    assert written("out") == whole
    assert sorted(manifest.read_text()) != sorted("".join(lines[:4]))


def test_an_error_on_ray_is_told_as_one_of_ours(capsys):
    assert audit("log.jsonl", "--out", "out") == 3
    text = Path("log.jsonl").read_text()
    Path("log.jsonl").write_text(text.replace("$49", "$48", 1))
    assert audit("log.jsonl", "--out", "out", "--engine", "ray") == 2
    assert "lines 1 to 4 are others" in capsys.readouterr().err


def test_a_file_that_is_no_parquet_is_an_error_of_its_first_row():
    Path("bad.parquet").write_text("no parquet")
    assert audit("bad.parquet", "--out", "out", "--engine", "ray") == 3
    assert "is no Parquet file" in next(Path("out/errors").iterdir()).read_text()


def test_rows_of_parquet_get_the_verdicts_of_the_same_json_lines():
    parquet.write_table(pa.Table.from_pylist(ROWS), "log.parquet")
    assert audit("log.jsonl", "--out", "lines") == 3
    assert audit("log.parquet", "--out", "table") == 0
    assert _without_names("lines") == _without_names("table")


def test_verdicts_in_parquet_are_read_back_as_they_were():
    for form in ("jsonl", "parquet"):
        argv = ["--write", form, "--compare", "strict", "--with-results"]
        assert audit("log.jsonl", "--out", form, *argv) == 3
    for part in range(8):
        assert read_verdicts("jsonl", 0, part) == read_verdicts("parquet", 0, part)
    table = parquet.read_table("parquet/verdicts")
    assert table.num_rows == len(ROWS)
    assert audit("log.jsonl", "--out", "next", "--compare", "parquet") == 3
    counts = json.loads(Path("next/summary.json").read_text())["counts"]
    assert (counts["compared"], counts["flips"]) == (len(ROWS), {})


def _without_names(folder):
    rows = [row for part in range(8) for row in read_verdicts(folder, 0, part)]
    return [{name: value for name, value in row.items() if name != "file"} for row in rows]
