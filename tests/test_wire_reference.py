"""`docs/wire.md` and the published schemas say what the dialects do."""

import json
from pathlib import Path

import pytest

from streamguard.cli import main
from streamguard.commands.proxy import DESCRIPTION
from streamguard.wire.dialect import IN_BAND
from streamguard.wire.dialects import DIALECTS
from streamguard.wire.frame_schemas import ANNOTATION, FRAMES, SENTENCE
from tests.kit.streams import PROTOCOLS, frames, whole
from tests.test_dialects import KINDS

DOCS = Path(__file__).parent.parent / "docs"
PAGE = (DOCS / "wire.md").read_text(encoding="utf-8")
RESULT, TOLD = '{"object":"streamguard.result"}', '{"object":"streamguard.sentence"}'
SEATS = {"gemini": -1, "cohere": -2, "chat": -2, "completions": -2, "responses": -1,
         "anthropic": -2, "ollama_chat": -1, "ollama_generate": -1, "ui": -2}  # fmt: skip


@pytest.mark.parametrize("what", ["annotation", "sentence", "explanation", "context", "wire"])
def test_the_published_schemas_are_what_the_command_prints(what, capsys):
    """Changed on purpose? Then `streamguard schema WHAT > docs/WHAT.schema.json`."""
    assert main(["schema", what]) == 0
    published = (DOCS / f"{what}.schema.json").read_text(encoding="utf-8")
    assert capsys.readouterr().out == published


def read(protocol, count):
    """Return a reader that has read the first `count` frames, and all frames as events."""
    reader = KINDS[protocol].reader()
    events = KINDS[protocol].decoder().feed(b"".join(frames(protocol)))
    for event in events[:count]:
        reader.read(event)
    return reader, events


def made(protocol):
    """Return the frames of ours as (name of the schema, frame), in every form that has one."""
    reader, events = read(protocol, -1)
    name = KINDS[protocol].name
    of_chunk = {"ollama_chat": "ollama.chat.chunk", "ollama_generate": "ollama.generate.chunk",
                "cohere": "cohere.sentence"}  # fmt: skip
    if protocol not in ("events", "lines"):
        yield of_chunk.get(protocol, f"{name}.chunk"), reader.addition(RESULT, None)
    if protocol in SEATS:
        yield f"{name}.attach", reader.attached(events[SEATS[protocol]], RESULT)
    if KINDS[protocol].form("event") == "event":
        own = {"chat": "event", "gemini": "event", "completions": "event", "events": "event"}.get(
            protocol, f"{name}.event"
        )
        yield own, reader.addition(RESULT, "streamguard.result")
    reader, _ = read(protocol, 5)
    own = {"chat": "openai_chat.chunk", "events": "event",
           "gemini": "gemini.chunk", "completions": "openai_completions.chunk",
           "lines": "plain_lines.event", **of_chunk}  # fmt: skip
    yield own.get(protocol, f"{name}.sentence"), reader.live(0, 0, TOLD)


ALL = [(protocol, *each) for protocol in PROTOCOLS for each in made(protocol)]


def fits(value, schema):
    """Say whether `value` is what `schema` allows, as far as our schemas use the language."""
    if schema in (ANNOTATION, SENTENCE):
        return value["object"] == (
            "streamguard.result" if schema == ANNOTATION else value["object"]
        )
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "null": type(None)}
    return all(
        (
            "anyOf" not in schema or any(fits(value, each) for each in schema["anyOf"]),
            "const" not in schema or value == schema["const"],
            "enum" not in schema or value in schema["enum"],
            "type" not in schema or isinstance(value, kinds[schema["type"]]),
            "minLength" not in schema or len(value) >= schema["minLength"],
            "minimum" not in schema or value >= schema["minimum"],
            "items" not in schema or all(fits(each, schema["items"]) for each in value),
            set(schema.get("required", ())) <= set(value if isinstance(value, dict) else ()),
            all(
                fits(value[name], each)
                for name, each in schema.get("properties", {}).items()
                if name in value
            ),
        )
    )


@pytest.mark.parametrize(("protocol", "name", "raw"), ALL)
def test_every_frame_of_ours_fits_its_schema_and_no_other_of_its_protocol(protocol, name, raw):
    (event,) = KINDS[protocol].decoder().feed(raw)
    frame = json.loads(event.data)
    assert fits(frame, FRAMES[name])
    for field in FRAMES[name].get("required", ()):
        assert not fits({key: frame[key] for key in frame if key != field}, FRAMES[name])


def test_every_schema_has_its_frame():
    assert {name for _, name, _ in ALL} | {"answer", "anthropic.chunk", "websocket.event"} == set(
        FRAMES
    )
    for protocol in ("chat", "responses", "anthropic", "ollama_chat"):
        answer = json.loads(whole(protocol))
        assert not fits(answer, FRAMES["answer"])
        assert fits({**answer, "streamguard": json.loads(RESULT)}, FRAMES["answer"])


SHOWN = ("openai_completions.chunk", "openai_chat.chunk", "openai_chat.attach", "event",
         "openai_responses.event", "openai_responses.sentence", "anthropic.attach",
         "anthropic.sentence", "gemini.attach", "gemini.chunk", "ollama.chat.chunk",
         "ui_message.chunk", "ui_message.sentence")  # fmt: skip


def test_the_page_names_every_frame_and_shows_some_as_they_are_written():
    assert [name for name in FRAMES if f"`{name}`" not in PAGE] == []
    for name in SHOWN:
        raw = next(raw for _, each, raw in ALL if each == name)
        assert raw.decode().rstrip("\n") in PAGE, name


ROWS = {  # of the page, and how the proxy's help calls the protocol where it does otherwise
    "openai_chat": ("OpenAI Chat Completions",),
    "openai_completions": ("OpenAI Completions", ", Completions"),
    "openai_responses": ("OpenAI Responses", "Responses"),
    "anthropic": ("Anthropic Messages",),
    "ollama": ("Ollama",),
    "ui_message": ("UI message stream v1", "UI message streams"),
    "plain_events": ("text by hand, events", "events,"),
    "cohere": ("Cohere",),
    "ag_ui": ("AG-UI",),
    "dify": ("Dify",),
    "langgraph": ("LangGraph",),
    "a2a": ("A2A",),
    "gemini": ("Gemini, events", "Gemini, as events"),
    "gemini_array": ("Gemini, array", "JSON array"),
    "plain_lines": ("text by hand, lines", "JSON lines"),
    "plain_text": ("text by hand, as it is", "text/plain"),
}


def test_the_pages_defaults_are_the_dialects_and_the_proxys_help_names_them():
    lines = PAGE.splitlines()
    for dialect in DIALECTS:
        title, *called = ROWS[dialect.name]
        assert (called or [title])[0] in DESCRIPTION
        row = next(line for line in lines if line.startswith(f"| {title} |"))
        _, _, _, default, chunk, attach, event, _ = (cell.strip() for cell in row.split("|"))
        assert default == f"`{dialect.default}`"
        for asked, cell in (("chunk", chunk), ("attach", attach), ("event", event)):
            given = dialect.form(asked)
            assert cell.startswith(f"as `{given}`") == (given != asked), (dialect.name, asked)
            assert given in IN_BAND or given == "header"
