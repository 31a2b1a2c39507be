"""`streamguard chat`: flags, environment and errors, and the server as people start it."""

import argparse
import asyncio
import json
import os
import re
import signal
import socket
import sys
import urllib.request
from contextlib import closing

import pytest

from streamguard.cli import main
from streamguard.commands import chat
from streamguard.errors import ConfigError
from streamguard.rag.folder import BLENDED_LEVELS, FolderStore, in_memory
from tests.integrations.services import service
from tests.kit.chatting import PATIENCE_S, fetch, say
from tests.kit.terminal import in_a_terminal, until


def parsed(*flags):
    parser = argparse.ArgumentParser()
    chat.add_arguments(parser)
    return parser.parse_args(flags)


def settings(*flags, host="127.0.0.1"):
    args = parsed(*flags)
    with closing(chat.open_store(args)) as store:
        return chat.chat_settings(args, store, host)


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch):
    for name in list(os.environ):
        if name.startswith(("RAG_", "STREAMGUARD_", "OPENAI_")):
            monkeypatch.delenv(name)


def test_an_index_can_be_asked_in_place_of_a_folder(tmp_path):
    file = tmp_path / "index.sqlite"
    store = FolderStore(file, create=True)
    store.replace("handbook", "a.md", "", ["A pass costs $12."])
    store.close()
    made = settings("--store", str(file), "--collection", "handbook", "--passages", "3")
    assert (made.collections, made.passages, made.questions) == (["handbook"], 3, ())
    with pytest.raises(ConfigError, match="collection is 'documents', the store has handbook"):
        settings("--store", str(file))


def test_documents_or_a_model_of_ones_own_have_no_scripted_answers(tmp_path):
    (tmp_path / "passes.md").write_text("# Passes\n\nA pass costs $12.")
    made = settings("--docs", str(tmp_path), host="0.0.0.0")
    assert (made.questions, made.scripts) == (("What should I know about “Passes”?",), {})
    assert made.show_documents
    assert made.hosts is None
    made = settings("--upstream", "http://127.0.0.1:1/v1", "--model", "m")
    assert (made.model_name, made.scripts) == ("m", {})
    assert made.questions
    assert settings("--upstream", "http://127.0.0.1:1/v1").model_name == "the server's model"


def test_a_policy_of_ones_own_is_offered_and_the_environment_holds_for_every_preset(
    tmp_path, monkeypatch
):
    file = tmp_path / "mine.toml"
    file.write_text('preset = "lenient"\non_refuse = "replace"\n')
    made = settings("--policy", str(file))
    assert made.preset == "mine.toml"
    assert list(made.policies) == ["strict", "moderate", "lenient", "mine.toml"]
    assert made.policies["mine.toml"].on_refuse == "replace"
    monkeypatch.setenv("RAG_MIN_DOCUMENTS", "3")
    monkeypatch.setenv("RAG_CONFIDENCE_THRESHOLD", "0.9")
    made = settings()
    for policy in made.policies.values():
        assert (policy.min_documents, policy.similarity_threshold) == (3, 0.9)


@pytest.mark.parametrize(("flags", "words"), [
    (["--model", "m"], "--model is given without --upstream"),
    (["--upstream", "http://127.0.0.1:1", "--judge", "upstream"],
     "--judge upstream asks the model that --model names, and it is missing"),
    (["--upstream", "ftp://x", "--model", "m"], "upstream is 'ftp://x'"),
    (["--docs", "a", "--store", "b"], "--docs and --store are both given"),
    (["--docs", ""], "--docs is empty, expected a folder"),
    (["--docs", "/nowhere/at/all"], "folder /nowhere/at/all is not there"),
    (["--store", "/nowhere.sqlite"], "store /nowhere.sqlite does not exist"),
    (["--collection", "x"], "--collection is given without --store"),
    (["--embedding", "own"], "embedding is own, which only a --store has"),
    (["--embedding-model", "m"], "--embedding-model is given without --embedding"),
    (["--feedback", "/nowhere/at/all.jsonl"], "feedback is /nowhere/at/all.jsonl, expected a"),
    (["--feedback", "/"], "feedback is /, expected a file in a folder"),
    (["--policy", "sloppy"], "policy is 'sloppy'"),
    (["--listen", "x"], "listen is 'x'"),
])  # fmt: skip
def test_a_wrong_flag_is_refused_with_what_is_wrong(flags, words):
    with pytest.raises(ConfigError, match=re.escape(words)):
        chat.run(parsed(*flags))


def test_a_port_that_is_taken_is_named_with_a_way_out(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        where = f"127.0.0.1:{taken.getsockname()[1]}"
        flags = ["--listen", where, "--feedback", str(tmp_path / "f.jsonl")]
        with pytest.raises(OSError, match=f"another program listens on {where}; port 0 takes any"):
            chat.run(parsed(*flags))


def test_the_command_line_says_so_without_the_systems_number(tmp_path, capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        where = f"127.0.0.1:{taken.getsockname()[1]}"
        assert main(["chat", "--listen", where, "--feedback", str(tmp_path / "f.jsonl")]) == 1
    said = capsys.readouterr().err
    assert f"streamguard: another program listens on {where}; port 0 takes any free one\n" in said


def test_a_folder_nothing_of_which_can_be_read_is_refused(tmp_path, capsys):
    (tmp_path / "a.md").write_bytes(b"\xff\xfe\xff")
    (tmp_path / "b.docx").write_bytes(b"PK")
    with pytest.raises(ConfigError, match="holds no document that can be read"):
        settings("--docs", str(tmp_path))
    told = capsys.readouterr().err
    assert "a.md: not read:" in told
    assert "1 file left out (.docx 1): .md, .txt, .html and .pdf are read" in told
    with pytest.raises(SystemExit):
        parsed("--passages", "0")
    assert "'0' is no whole number of at least 1" in capsys.readouterr().err


@pytest.mark.slow
def test_on_a_terminal_the_address_is_told_in_words(tmp_path):
    (tmp_path / "a.md").write_text("# A\n\nA pass costs $12.")
    feedback = str(tmp_path / "f.jsonl")
    flags = ["--docs", str(tmp_path), "--listen", "127.0.0.1:0", "--feedback", feedback]
    with in_a_terminal("chat", *flags, status=0) as screen:
        base = until(screen, rb"a page to open:\s+(http://127\.0\.0\.1:\d+)")[1].decode()
        with urllib.request.urlopen(f"{base}/api/config", timeout=PATIENCE_S) as answer:
            assert json.load(answer)["documents"] == [{"source": "a.md", "chunks": 1}]


@pytest.mark.slow
@pytest.mark.asyncio
async def test_the_server_starts_answers_and_stops(tmp_path):
    flags = ["--listen", "127.0.0.1:0", "--feedback", str(tmp_path / "f.jsonl")]
    running = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "streamguard", "chat", *flags, stderr=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(PATIENCE_S):
            base = json.loads(await running.stderr.readline())["address"]
            said = await say(base, "What are the vacation days?")
            assert "28 vacation days" in said.text
            status, _, _ = await fetch(base, "/api/config", headers={"Host": "evil.example"})
            assert status == 403
            running.send_signal(signal.SIGTERM)
            assert await running.wait() == 0
    finally:
        if running.returncode is None:
            running.kill()
            await running.wait()
        running._transport.close()


def embedded(sent):
    """Answer as an embedding server: a text about cost lies along one axis, others not."""
    texts = sent.json["input"]
    rows = [[1.0, 0.0] if "price" in text or "$" in text else [0.0, 1.0] for text in texts]
    return 200, {"data": [{"index": n, "embedding": row} for n, row in enumerate(rows)]}


def test_an_embedding_is_asked_beside_the_words_of_documents(tmp_path):
    (tmp_path / "a.md").write_text("# A\n\nA pass is $12.")
    (tmp_path / "b.md").write_text("# B\n\nBells ring.")
    with service(v1__embeddings=embedded) as known:
        url = ("--embedding", f"{known.base}/v1", "--embedding-model", "m")
        with closing(chat.open_store(parsed("--docs", str(tmp_path), *url))) as store:
            first, second = store.query(["documents"], "What price has it?", 2)
            assert store.levels(["documents"]) == BLENDED_LEVELS
    with closing(in_memory({"a.md": ["A\nA pass is $12."], "b.md": ["B\nBells ring."]})) as words:
        (alone,) = words.query(["documents"], "What price has it?", 2)
    assert (first.source, second.source) == ("a.md", "b.md")
    assert first.similarity == pytest.approx(0.8 * alone.similarity + 0.2)
    assert second.similarity == 0.0
