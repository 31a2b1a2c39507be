import os
import sqlite3
from argparse import ArgumentParser
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.commands import index as command
from streamguard.errors import ConfigError, DecodeError
from streamguard.rag import indexing
from streamguard.rag.chunking import MAX_CHARS, OVERLAP_CHARS, passages_of, sections_of
from streamguard.rag.folder import FolderStore
from streamguard.rag.indexing import FolderTarget, files_of, index_folder
from streamguard.rag.opening import open_store, open_target
from streamguard.rag.readers import read_document
from tests.kit.tables import differing

VACATION = "Everybody has 25 vacation days a year."
HANDBOOK = f"""\
---
title: ignored
---
# Handbook

Welcome to the company.

## Vacation days

{VACATION}

```sh
# not a heading
```

### In the first year
Two days a month.

## Remote work ##

Two days a week.
"""


def test_markdown_is_cut_at_its_headings():
    assert passages_of(HANDBOOK, markdown=True) == [
        "Handbook\nWelcome to the company.",
        f"Handbook > Vacation days\n{VACATION}\n\n```sh\n# not a heading\n```",
        "Handbook > Vacation days > In the first year\nTwo days a month.",
        "Handbook > Remote work\nTwo days a week.",
    ]
    rows = [
        ("# One\n\nTwo", False, ["# One\n\nTwo"]),
        ("  \n\n ", True, []),
        ("# Only\n## Headings\n", True, []),
        ("---\n\nRefunds take 14 days.\n\n---\n\nMore.", True,
         ["---\n\nRefunds take 14 days.\n\n---\n\nMore."]),
        ("---\ntitle: A\n---\nMore.", True, ["More."]),
        ("---\nx", True, ["---\nx"]),
        ("## F# and C#\ntext", True, ["F# and C#\ntext"]),
        ("## Fees ##\ntext", True, ["Fees\ntext"]),
    ]  # fmt: skip
    assert differing(rows, lambda text, markdown: passages_of(text, markdown=markdown)) == []
    for text in (
        "```\n# a\n``\n# b\n```` \n# Heading\nx",
        "~~~\n```\n# a\n~~~\n# Heading\nx",
        "``` python\n# a\n``` not closed\n```\n# Heading\nx",
    ):
        found = [section.headings for section in sections_of(text)]
        assert (len(found), found[-1]) == (2, ("Heading",))


SENTENCES = [
    f"Sentence number {number} says that the rate is {number} percent." for number in range(90)
]


def test_a_long_section_is_cut_between_sentences_and_overlaps():
    text = " ".join(SENTENCES)
    passages = passages_of(text, markdown=False)
    assert len(passages) > 4
    for passage, following in pairwise(passages):
        assert passage.endswith("percent.")
        assert following.startswith("Sentence number")
        assert len(passage) <= MAX_CHARS
        shared = passage[passage.index(following[:30]) :]
        assert following.startswith(shared)
        assert 0 < len(shared) <= OVERLAP_CHARS
    assert all(any(sentence in passage for passage in passages) for sentence in SENTENCES)
    passages = passages_of("word " * 600, markdown=False)  # without an end: cut at a space
    assert {word for passage in passages for word in passage.split()} == {"word"}
    assert max(map(len, passages)) <= MAX_CHARS


words = st.text(st.sampled_from("ab. \n#"), max_size=400)


@given(st.one_of(words, words.map(lambda text: text * 20)), st.booleans())
def test_every_word_of_a_document_is_in_some_passage(text, markdown):
    passages = passages_of(text, markdown=markdown)
    kept = {word for passage in passages for word in passage.split()}
    bodies = [section.text for section in sections_of(text)] if markdown else [text]
    for word in " ".join(bodies).split():
        assert word in kept or len(word) > 10
    assert all(passage.strip() for passage in passages)


def test_html_keeps_headings_lists_and_code_and_no_two_values_become_one():
    pytest.importorskip("bs4")
    html = (
        "<html><head><title>x</title><style>p{}</style></head><body><nav>Menu</nav>"
        "<h2>Vacation <em>days</em></h2><div>Everybody has <b>25</b> days.<p>Also\n part-time.</p>"
        "</div><ul><li>first</li><li><p>second</p></li></ul><pre><code>a = 1\nb = 2</code></pre>"
        "<p># no heading</p><script>evil()</script><!-- comment --></body></html>"
    )
    text = (
        "x\n\n## Vacation days\n\nEverybody has 25 days.\n\nAlso part-time.\n\n- first\n\nsecond"
        "\n\n```\na = 1\nb = 2\n```\n\n\\# no heading"
    )
    fees = "<header>Site</header><article><header><h1>Fees</h1></header>$5</article>"
    rows = [
        (html, text),
        ("Basic: $10<br>20 seats<br/>9 to 17", "Basic: $10 20 seats 9 to 17"),
        ("<table><tr><td>10</td><td>10</td></tr></table>", "10\n\n10"),
        ("<ul><li>5</li><li>5</li></ul>", "- 5\n\n- 5"),
        (fees, "# Fees\n\n$5"),
        ("<p>a <b>b</b> c</p><p>a <b>b</b> c</p>", "a b c\n\na b c"),
        ("<div>a" * 600, "\n\n".join(["a"] * 600)),
    ]
    assert differing(rows, lambda html: read_document(Path("a.html"), html.encode())) == []
    with pytest.raises(DecodeError, match=r"a.htm holds no text"):
        read_document(Path("a.htm"), b"<script>x</script>")


def pdf_of(text):
    """Return a page that says `text`, without the table of places that readers can make up."""
    said = f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET"
    fonts = "<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
    objects = (
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources{fonts}>>",
        f"<</Length {len(said)}>>stream\n{said}\nendstream",
    )
    body = "".join(f"{n} 0 obj\n{each}\nendobj\n" for n, each in enumerate(objects, 1))
    return f"%PDF-1.4\n{body}trailer<</Root 1 0 R/Size 5>>\nstartxref\n0\n%%EOF\n".encode()


def test_a_pdf_is_read_and_a_scan_or_a_damaged_one_refused(tmp_path):
    pytest.importorskip("pypdf")
    data = pdf_of("Everybody has 25 days.")
    assert read_document(tmp_path / "a.pdf", data).strip() == "Everybody has 25 days."
    with pytest.raises(DecodeError, match=r"a.pdf holds no text; is it a scan\?"):
        read_document(tmp_path / "a.pdf", pdf_of(""))
    with pytest.raises(DecodeError, match=r"a.pdf cannot be read as PDF"):
        read_document(tmp_path / "a.pdf", b"%PDF-1.4 nothing else")


@pytest.fixture
def docs(tmp_path):
    folder = tmp_path / "docs"
    (folder / "hr").mkdir(parents=True)
    (folder / "hr" / "handbook.md").write_text(HANDBOOK)
    (folder / "printer.txt").write_text("The printer needs A4 paper.")
    (folder / "photo.jpg").write_bytes(b"\xff\xd8")
    (folder / ".git").mkdir()
    (folder / ".git" / "notes.md").write_text("hidden")
    return folder


@pytest.fixture
def store(tmp_path):
    store = FolderStore(tmp_path / "index.sqlite", create=True)
    yield store
    store.close()


def test_links_that_lead_out_of_the_folder_are_no_sources(docs, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("The key is 4711.")
    (docs / "link.txt").symlink_to(outside / "secret.txt")
    (docs / "folder").symlink_to(outside, target_is_directory=True)
    (docs / "up.txt").symlink_to("../outside/secret.txt")
    (docs / "round.txt").symlink_to("round.txt")
    (docs / "gone.txt").symlink_to("nothing.txt")
    (docs / "same.txt").symlink_to("printer.txt")
    assert list(files_of(docs)) == ["hr/handbook.md", "printer.txt", "same.txt"]
    linked = tmp_path / "linked"
    linked.symlink_to(docs, target_is_directory=True)
    assert list(files_of(linked)) == ["hr/handbook.md", "printer.txt", "same.txt"]


def test_a_folder_is_indexed_once_and_then_only_what_changed(docs, store):
    target = FolderTarget(store, "docs")
    seen = []
    first = index_folder(docs, target, step=lambda *step: seen.append(step))
    assert first.added == ("hr/handbook.md", "printer.txt")
    assert first.chunks == 5
    assert seen == [("hr/handbook.md", 1, 2), ("printer.txt", 2, 2)]
    assert store.sources("docs") == {"hr/handbook.md": 4, "printer.txt": 1}

    again = index_folder(docs, target)
    assert (again.added, again.unchanged) == ((), ("hr/handbook.md", "printer.txt"))

    (docs / "printer.txt").write_text("The printer is gone.")
    (docs / "hr" / "handbook.md").unlink()
    last = index_folder(docs, target)
    assert (last.added, last.removed) == (("printer.txt",), ("hr/handbook.md",))
    (chunk,) = store.query(["docs"], "printer", 5)
    found = chunk.text, chunk.source, chunk.id, chunk.metadata
    at = "printer.txt", "printer.txt#1", {"collection": "docs"}
    assert found == ("The printer is gone.", *at)


def test_a_file_that_cannot_be_read_is_reported_and_its_former_chunks_stay(docs, store):
    target = FolderTarget(store, "docs")
    index_folder(docs, target)
    (docs / "printer.txt").write_bytes(b"caf\xe9")
    (docs / "empty.md").write_text(" ")
    done = index_folder(docs, target)
    assert done.failed == (
        ("empty.md", "empty.md holds no text"),
        ("printer.txt", "printer.txt is not UTF-8: byte 3 is 0xe9"),
    )
    assert done.unchanged == ("hr/handbook.md",)
    assert "printer.txt" in store.sources("docs")
    (docs / "printer.txt").write_text("\n")  # which says nothing any more
    assert ("printer.txt", "printer.txt holds no text") in index_folder(docs, target).failed
    assert list(store.sources("docs")) == ["hr/handbook.md"]


def test_what_lies_in_a_folder_that_cannot_be_read_stays(docs, store, monkeypatch):
    (docs / "hr").mkdir(exist_ok=True)
    (docs / "hr" / "leave.md").write_text("Leave is 28 days.")
    index_folder(docs, FolderTarget(store, "documents"))
    walk = os.walk

    def closed(root, onerror):
        for where, folders, names in walk(root):
            if "hr" in folders:
                folders.remove("hr")
                onerror(PermissionError(13, "Permission denied", str(docs / "hr")))
            yield where, folders, names

    monkeypatch.setattr(indexing.os, "walk", closed)
    done = index_folder(docs, FolderTarget(store, "documents"))
    assert done.removed == ()
    assert [source for source, _ in done.failed] == ["hr"]
    assert "hr/leave.md" in store.sources("documents")


def test_a_file_that_its_reader_chokes_on_is_reported_and_the_others_go_in(
    docs, store, monkeypatch
):
    (docs / "odd.html").write_text("<p>x</p>")

    def chokes(path, data):
        if path.name == "odd.html":
            raise RecursionError
        return "text \ud800"

    monkeypatch.setattr(indexing, "read_document", chokes)
    done = index_folder(docs, FolderTarget(store, "documents"))
    assert done.failed == (("odd.html", "odd.html cannot be read: RecursionError"),)
    assert done.added


class Interrupted(Exception):
    pass


@pytest.mark.parametrize("stop", [1, 2])
def test_an_interrupted_run_leaves_whole_files_and_the_next_goes_on(docs, tmp_path, stop):
    def step(source, number, of):
        if number == stop:
            raise Interrupted

    path = str(tmp_path / "index.sqlite")
    target = open_target(path, "docs")
    with pytest.raises(Interrupted):
        index_folder(docs, target, step=step)
    target.close()
    target = open_target(path, "docs")
    done = index_folder(docs, target)
    assert (len(done.unchanged), len(done.added)) == (stop - 1, 3 - stop)
    target.close()


def test_an_empty_collection_answers_nothing_and_a_wrong_query_is_refused(store):
    store.replace("docs", "a.md", "1", ["x"])
    store.remove("docs", "a.md")
    assert store.query(["docs"], "x", 3) == []
    message = "collection is 'nope', the store has docs"
    for ask in (store.sources, lambda name: store.query([name], "x", 3)):
        with pytest.raises(ConfigError, match=message):
            ask("nope")
    with pytest.raises(ConfigError, match=message):
        store.metric(["docs", "nope"])
    for collections, question, n, message in (
        ([], "x", 3, r"collections is \[\], expected a list of at least one name"),
        ("docs", "x", 3, "collections is 'docs', expected a list"),
        (["docs"], "x", 0, "n is 0, expected at least 1"),
        (["docs"], [0.1], 3, "the question is a vector"),
    ):
        with pytest.raises(ConfigError, match=message):
            store.query(collections, question, n)


def test_a_file_that_is_no_store_is_named_and_left_alone(tmp_path):
    garbage, theirs, later = (tmp_path / name for name in ("garbage", "theirs", "later"))
    garbage.write_bytes(b"garbage" * 1000)
    with closing(sqlite3.connect(theirs)) as other:
        other.execute("CREATE TABLE theirs (x)")
    with closing(FolderStore(later, create=True)) as store:
        store._db.execute("PRAGMA user_version = 9")
    for path, message in (
        (garbage, r"garbage cannot be read, is it damaged\?"),
        (theirs, "is an SQLite file of another program"),
        (later, "has format 9, expected 1"),
    ):
        with pytest.raises(ConfigError, match=message):
            open_target(str(path), "docs")
    assert garbage.read_bytes() == b"garbage" * 1000
    for where in ("chroma:", "qdrant:"):
        with pytest.raises(ConfigError, match="expected FILE, chroma:FOLDER, chroma:URL, qdrant"):
            open_store(where)
    with pytest.raises(ConfigError, match="does not exist; streamguard index makes one"):
        open_store(str(tmp_path / "nowhere"))
    assert not (tmp_path / "nowhere").exists()


def test_a_write_that_fails_halfway_or_finds_a_lock_changes_nothing(tmp_path, store, monkeypatch):
    store.replace("docs", "a.md", "1", ["first", "second"])
    with pytest.raises(ConfigError, match="cannot be read, is it damaged"):
        store.replace("docs", "a.md", "2", ["third", None])
    monkeypatch.setattr("streamguard.rag.folder._BUSY_S", 0.0)
    with closing(FolderStore(tmp_path / "index.sqlite")) as other:
        store._db.execute("BEGIN EXCLUSIVE")
        with pytest.raises(ConfigError, match="cannot be used: database is locked"):
            other.replace("docs", "a.md", "1", ["x"])
        store._db.execute("ROLLBACK")
    assert store.sources("docs") == {"a.md": 2}
    assert store.hashes("docs") == {"a.md": "1"}


def run(*arguments):
    parser = ArgumentParser()
    command.add_arguments(parser)
    return command.run(parser.parse_args([str(argument) for argument in arguments]))


def test_the_command_says_what_became_of_the_files(docs, tmp_path, capsys):
    path = tmp_path / "index.sqlite"
    assert run(docs, "--into", path, "--collection", "hr") == 0
    captured = capsys.readouterr()
    assert captured.out == (
        f"hr in {path}: 2 files indexed (5 passages), 0 unchanged, 0 removed, 0 failed\n"
    )
    left = "1 file left out (.jpg 1): .md, .txt, .html and .pdf are read\n"
    assert captured.err == f"[1/2] hr/handbook.md\n[2/2] printer.txt\n{left}"
    (docs / "bad.txt").write_bytes(b"\xff")
    for name in ("Makefile", "hr/a.DOCX", "hr/b.docx", "c.;x", ".hidden.png"):
        (docs / name).write_text("x", encoding="utf-8")
    assert run(docs, "--into", path) == 1
    captured = capsys.readouterr()
    left = "5 files left out (other 2, .docx 2, .jpg 1): .md, .txt, .html and .pdf are read\n"
    assert captured.err.endswith(left)
    assert "bad.txt: not indexed: bad.txt is not UTF-8: byte 0 is 0xff\n" in captured.err
    assert "2 files indexed" in captured.out
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "a.md").write_text("One line.", encoding="utf-8")
    assert run(tmp_path / "one", "--into", path, "--collection", "one") == 0
    assert "1 file indexed (1 passage), 0 unchanged" in capsys.readouterr().out


def test_what_cannot_be_indexed_is_told_and_leaves_no_store_behind(docs, tmp_path):
    (tmp_path / "empty").mkdir()
    into = tmp_path / "index.sqlite"
    by_vectors = ("--embedding", "http://127.0.0.1:9", "--embedding-model", "small")
    for folder, more, message in (
        (tmp_path / "nowhere", (), "is not there, or is no folder"),
        (docs / "printer.txt", (), "is not there, or is no folder"),
        (tmp_path / "empty", (), r"holds no \.md"),
        (docs, by_vectors, "is retrieved from by words, it takes no small at http"),
    ):
        with pytest.raises(ConfigError, match=message):
            run(folder, "--into", into, *more)
        assert not into.exists()
