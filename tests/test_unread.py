"""Text that passes is read, whatever its shape; what is not read is never a PASS, at any door."""

import asyncio
import itertools
import json
import logging

import pytest
from openai.types.chat import ChatCompletionChunk

from streamguard import Context, Policy, check_text, guard_sync
from streamguard.server.asgi import Metrics, StreamGuardMiddleware, metrics_app
from streamguard.server.relay.checking import Checking
from streamguard.server.relay.json_answer import JSONRelay
from streamguard.server.relay.opening import Opening
from streamguard.server.store import ResultStore
from streamguard.wire.fields import holds_words
from streamguard.wire.protocols.anthropic import EVENTS
from streamguard.wire.protocols.openai_chat import text_of
from tests.kit import asgi
from tests.kit.frames import CHUNKED, DONE, END, PATH, chunked, frame, usage
from tests.kit.streams import pieces as told
from tests.kit.upstreams import ask, asking, leaves, opened, proxy, stored_of, upstream
from tests.kit.upstreams import parts as parts_of
from tests.kit.upstreams import result as result_of_id
from tests.test_doors import ASKED, CHUNKS, SERVERS, Said, kept
from tests.test_found import OTHERS, SHAPES
from tests.test_metrics import metrics

pytestmark = pytest.mark.asyncio

CONTEXT = Context(query="What does Basic cost?", chunks=CHUNKS)
WRONG = "The Basic plan costs $99 per month."
RIGHT = CHUNKS[0]
SSE, LINES, TEXT = "text/event-stream", "application/x-ndjson", "text/plain; charset=utf-8"
PASSES, FAILS = (check_text(text, context=CONTEXT).status for text in (RIGHT, WRONG))


def events(frames):
    return [b"data: " + json.dumps(each).encode() + b"\n\n" for each in frames]


def lines(frames):
    return [json.dumps(each).encode() + b"\n" for each in frames]


class Shown(Said):
    """An answer of any shape, at a path that says nothing."""

    def __init__(self, kind, made, path="/ask"):
        super().__init__("events")
        self._kind, self._made, self._path = kind, made, path

    path = property(lambda self: self._path)
    kind = property(lambda self: self._kind)
    pieces = property(lambda self: self._made)


def in_json(body, path=PATH):
    return Shown("application/json", [json.dumps(body).encode()], path)


async def status_at(base, path, method="POST"):
    """Return the stored status of an answer through a proxy."""
    got = await ask(base, ASKED, path, method, x_streamguard="header")
    return (await stored_of(base, got))["result"]["status"]


async def status_within(said, kind=SSE, path=PATH, **options):
    """Return the stored status of an answer through the middleware."""
    app = StreamGuardMiddleware(asgi.saying(said, kind), store=(store := ResultStore()), **options)
    sent = await asgi.call(app, asgi.scope(path), json.dumps(ASKED).encode())
    return store.get(sent.id).result.status


async def judged(door, said, form="header"):
    """Return the stored annotation of an answer, and the answer as it came."""
    async with door(said) as send:
        got = await send(said.path, ASKED, x_streamguard=form)
        return (await kept(send, got.id)).json, got


def langserve(text):
    more = {"additional_kwargs": {}, "response_metadata": {}, "name": None, "id": "run-1"}
    return {"content": text, **more, "type": "AIMessageChunk", "tool_calls": [], "example": False}


ANY = {
    "events": lambda text: (SSE, events(map(SHAPES["nested"], told(text)))),
    "chunk": lambda text: (SSE, events(map(SHAPES["a field"], told(text)))),
    "typed": lambda text: (SSE, events([*OTHERS, *map(SHAPES["typed"], told(text)), *OTHERS])),
    "named": lambda text: (SSE, [b"event: bit\n" + e for e in events(told(text))]),
    "lines": lambda text: (LINES, lines(map(SHAPES["typed"], told(text)))),
    "grows": lambda text: (
        SSE, events([*({"text": text[: at + 1]} for at in range(len(text))), {"text": text}])
    ),
    "langserve": lambda text: (
        SSE,
        [b'event: metadata\ndata: {"run_id": "f00d"}\n\n',
         *(b"event: data\n" + e for e in events(map(langserve, told(text)))), b"event: end\n\n"],
    ),
    "lists": lambda text: (
        SSE, events([["status", "Searching our documents"], *(["token", p] for p in told(text)),
                     ["end", {"ms": 12}]])
    ),
    "greeted": lambda text: (
        SSE, [b"data: connected\n\n", *events(map(SHAPES["a field"], told(text)))]
    ),
    "text": lambda text: (TEXT, [each.encode() for each in told(text)]),
    "events as text": lambda text: (TEXT, events(map(SHAPES["typed"], told(text)))),
    "lines as text": lambda text: (TEXT, lines(map(SHAPES["typed"], told(text)))),
    "short text": lambda text: (TEXT, [text[:2].encode(), text[2:].encode()]),
    "latin-1": lambda text: ("text/plain;charset=latin-1", [f"é {text}".encode("latin-1")]),
    "ui by hand": lambda text: (
        SSE, events([{"type": "start"}, *({"type": "text-delta", "delta": p} for p in told(text))])
    ),
}  # fmt: skip


@SERVERS
@pytest.mark.parametrize("shape", ANY)
async def test_text_of_any_shape_is_judged_and_nothing_is_added(door, shape):
    for text, status, form in ((RIGHT, PASSES, "chunk"), (WRONG, FAILS, "attach")):
        said = Shown(*ANY[shape](text))
        stored, got = await judged(door, said, form)
        assert got.body == said.body
        assert (stored["result"]["status"], stored["state"]) == (status, "complete")
        said_besides = stored["result"]["text"]["code_points"] - len(text)
        assert said_besides == (2 if shape == "latin-1" else 0)


def parts(*texts, **more):
    return frame(choices=[{"index": 0, "delta": {"content": list(texts)}, **more}])


def spoken(words, name="delta"):
    return frame(choices=[{"index": 0, name: {"audio": {"transcript": words}}}])


UNREAD = {
    "parts": (SSE, [parts({"type": "secret", "text": "x"}), frame(finish="stop"), DONE], PATH),
    "a part": (SSE, [frame(RIGHT), parts({"type": 7}), frame(finish="stop"), DONE], PATH),
    "no text": (SSE, events([{"type": "status", "data": "Searching our documents"}]), "/ask"),
    "no words": (SSE, events([{"figure": 3}, {"figure": 4}]), "/ask"),
    "no chunks": (SSE, [*events([{"object": "odd"}]), DONE], PATH),
    "spoken": (SSE, [spoken("It costs $5."), frame(finish="stop"), DONE], PATH),
    "transcript": (
        SSE,
        events([{"type": "response.output_audio_transcript.delta", "delta": "x"},
                {"type": "response.completed", "response": {}}]),
        "/v1/responses",
    ),
    "broken": (SSE, [b"data: {broken\n\n", DONE], PATH),
    "an end that tells": (SSE, [b'event: done\ndata: {"t":"It is so."}\n\n'], "/ask"),
    "elsewhere": (SSE, events([*told(RIGHT), {"aside": "It is $5, though."}]), "/ask"),
    "letters": ("text/plain; charset=klingon", [RIGHT.encode()], "/ask"),
}  # fmt: skip


@SERVERS
@pytest.mark.parametrize("shape", UNREAD)
async def test_what_could_not_be_read_is_no_pass(door, shape):
    said = Shown(*UNREAD[shape])
    stored, got = await judged(door, said, "chunk")
    result = stored["result"]
    assert (result["status"], result["reasons"][0]["code"]) == (None, "unread")
    theirs = [e.raw for e in asgi.events(got.body) if b"streamguard" not in e.raw]
    assert b"".join(theirs) == said.body


GEMINI, COHERE = "/v1beta/models/m:streamGenerateContent", "/v2/chat"
ANSWERED = {  # the text as each protocol has it, and its end
    PATH: ([frame(RIGHT)], [frame(finish="stop"), usage(), DONE]),
    "/v1/messages": (
        events([
            {"type": "content_block_start", "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "delta": {"type": "text_delta", "text": RIGHT}},
        ]),
        events([{"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
                {"type": "message_stop"}]),
    ),
    "/v1/responses": (
        events([{"type": "response.output_text.delta", "delta": RIGHT}]),
        events([{"type": "response.completed", "response": {"id": "r"}}]),
    ),
    GEMINI: (
        events([{"candidates": [{"content": {"parts": [{"text": RIGHT}]}}]}]),
        events([{"candidates": [{"content": {"parts": []}, "finishReason": "STOP"}]}]),
    ),
    COHERE: (
        events([{"type": "content-delta", "delta": {"message": {"content": {"text": RIGHT}}}}]),
        events([{"type": "message-end", "delta": {"finish_reason": "COMPLETE"}}]),
    ),
    "/ui": (
        events([{"type": "start"}, {"type": "text-delta", "id": "1", "delta": RIGHT}]),
        events([{"type": "finish"}]),
    ),
    "/api/chat": (
        lines([{"message": {"content": RIGHT}, "done": False}]),
        lines([{"message": {"content": ""}, "done": True}]),
    ),
    "/v1/chat-messages": (
        events([{"event": "message", "answer": RIGHT}]), events([{"event": "message_end"}]),
    ),
}  # fmt: skip


def framed(path, frames):
    return (lines if path.startswith("/api") else events)(frames)


async def relayed(path, made):
    """Return the result of a stream, after asserting that every byte of it went on."""
    checking = Checking("0" * 32, CONTEXT, Policy())
    headers = {"x-vercel-ai-ui-message-stream": "v1"} if path == "/ui" else {}
    stream = Opening(path, LINES if path.startswith("/api") else SSE, headers, checking, "header")
    out = b""
    for piece in made:
        out += stream.receive(piece) + await stream.read()
    assert out + await stream.finish() == b"".join(made)
    await stream.conclude()
    return checking.final("complete").result


def block(kind, **more):
    return {"type": f"content_block_{kind}", "index": 1, **more}


def choice(**more):
    return {"id": "c", "choices": [{"index": 0, "finish_reason": None, **more}]}


def candidate(*parts, **more):
    return {"candidates": [{"content": {"parts": list(parts), "role": "model"}, **more}]}


MISPLACED = [
    (PATH, choice(delta={"text": "It is."})),
    (PATH, choice(delta={}, text="It is.")),
    (PATH, choice(delta={"audio": {"transcript": "It is."}})),
    (PATH, choice(delta={"words": WRONG})),
    (PATH, choice(delta=WRONG)),
    (PATH, choice(delta={}, message={"content": WRONG})),
    (PATH, choice(delta={"content": "It"}, message={"content": f"It is. {WRONG}"})),
    (PATH, choice(delta={}, message={"content": RIGHT, "words": WRONG})),
    (PATH, choice(delta={}, message={"content": [{"type": "md", "md": WRONG}]})),
    (PATH, choice(delta={"content": ""}, message={"content": [{"type": "text", "text": WRONG}]})),
    (PATH, {"text": WRONG}),
    (PATH, [WRONG]),
    (PATH, {"choices": {"0": {"delta": {"content": WRONG}}}}),
    (PATH, {"type": "response.output_text.delta", "delta": WRONG}),
    ("/v1/messages", block("delta", delta={"type": "markdown_delta", "markdown": "It is."})),
    ("/v1/messages", block("delta", delta={"type": "new", "text": WRONG})),
    ("/v1/messages", block("delta", delta="It is.")),
    ("/v1/messages", block("start", content_block={"type": "markdown", "markdown": WRONG})),
    ("/v1/messages", {"type": "message_start", "message": {"content": [{"md": WRONG}]}}),
    ("/v1/messages", {"type": "content_text", "text": WRONG}),
    ("/v1/responses", {"type": "response.output_markdown.delta", "delta": WRONG}),
    ("/v1/responses", {"type": "response.output_audio_transcript.delta", "delta": WRONG}),
    (GEMINI, candidate({"markdown": WRONG})),
    (GEMINI, candidate(output=WRONG)),
    (GEMINI, {"candidates": [{"content": {"text": WRONG}}]}),
    (COHERE, {"type": "content-delta", "delta": {"message": {"content": {"md": WRONG}}}}),
    (COHERE, {"type": "content-delta", "delta": {"message": {"content": [{"text": WRONG}]}}}),
    ("/ui", {"type": "text-delta", "id": "1", "textDelta": WRONG}),
    ("/api/chat", {"message": {"content": [{"type": "text", "text": WRONG}]}, "done": False}),
    ("/api/chat", {"message": {"content": "x"}, "response": WRONG, "done": False}),
    (PATH, {"text": "$99."}),
    (PATH, choice(delta={"content": {"parts": [WRONG]}})),
    (PATH, choice(delta={"refusal": {"parts": [WRONG]}})),
    (PATH, choice(delta={"content": [{"type": "refusal", "text": WRONG}]})),
    (PATH, choice(delta={}, message={"refusal": WRONG})),
    (PATH, {"type": "markdown_done", "markdown": WRONG}),
    (PATH, {"bits": ["x"] * 300}),
    (PATH, {f"bit_{number}": f"x{number}" for number in range(80)}),
    ("/v1/chat-messages", {"event": "text_replace", "data": {"text": WRONG}}),
    ("/v1/chat-messages", {"event": "note", "answer": "It is."}),
]


def every_way(path, odd):
    """Return the streams of a frame as it is, and of one for each word where it says WRONG."""
    told = json.dumps(odd)
    words = WRONG.split() if json.dumps(WRONG) in told else ()
    pieces = [json.loads(told.replace(WRONG, f"{word} ")) for word in words]
    return [framed(path, [odd]), *([framed(path, pieces)] if pieces else ())]


def no_pass(result, made):
    """Say whether an answer was called unread; one that comes in pieces may be read as well."""
    is_read = len(made) > 1 and result.status in ("WARN", "REFUSE")
    return is_read or (result.status, result.reasons[0].code) == (None, "unread")


ALONE = [MISPLACED[3], MISPLACED[14], MISPLACED[25], MISPLACED[27], MISPLACED[28]]


async def test_words_in_another_place_than_the_text_are_no_pass():
    passed = []
    for path, odd in MISPLACED:
        said, end = ANSWERED[path]
        alone = [said[:-1]] * ((path, odd) in ALONE)
        for made in every_way(path, odd):
            for stream in ([*made, *said], [*said, *made], *([*each, *made] for each in alone)):
                result = await relayed(path, [*stream, *end])
                if not no_pass(result, made):
                    passed.append((path, odd, len(made), result.status))
    assert passed == []


WORD_BY_WORD = [
    *((path, lambda word: {"type": "markdown", "piece": word}) for path in ANSWERED),
    *((path, lambda word: [{"bit": word}]) for path in (PATH, "/v1/messages", "/v1/responses")),
    ("/v1/responses", lambda word: {"type": "response.markdown.piece", "piece": word}),
    (PATH, lambda word: choice(delta={"words": word})),
    (PATH, lambda word: choice(delta={"html": word})),
    (COHERE, lambda word: {"type": "content-markdown", "markdown": word}),
    (PATH, lambda word: {"kind": "chunk", "words": [{"bit": word}]}),
    (GEMINI, lambda word: candidate({"markdown": word})),
    (COHERE, lambda word: {"type": "content-delta", "delta": {"message": {"md": word}}}),
    ("/ask", lambda word: {"type": "remark", "remark": word}),
]


async def test_words_in_another_place_are_no_pass_where_they_come_one_by_one():
    passed = []
    for path, odd in WORD_BY_WORD:
        said, end = ANSWERED.get(path, (events([{"text": each} for each in told(RIGHT)]), []))
        for text in (WRONG, WRONG.replace(" ", ""), "基本套餐每月九十九美元。"):
            words = text.split() if " " in text else told(text)
            made = framed(path, map(odd, words))
            result = await relayed(path, [*said, *made, *end])
            results = [result, *(guarded(map(odd, words)) if path == PATH else ())]
            if {(each.status, each.reasons[0].code) for each in results} != {(None, "unread")}:
                passed.append((path, odd("x"), text, [each.status for each in results]))
    assert passed == []


def guarded(odd):
    """Return the results of items of Chat Completions with odd ones, as dicts and as objects."""
    made = [choice(delta={"content": RIGHT}), *odd, choice(delta={}, finish_reason="stop")]
    of_sdk = [ChatCompletionChunk.construct(**e) if type(e) is dict else e for e in made]
    return map(result_of, (made, of_sdk))


async def test_items_of_an_unknown_kind_are_no_pass_beside_those_of_chat_completions():
    with guard_sync(iter([WRONG]), context=CONTEXT) as inner:
        list(inner.items())
    odd = [each for path, each in MISPLACED if path == PATH and not text_of(each)]
    beside = [*(each for path, each in BESIDE if path == PATH), inner.annotation]
    passed = [each for each in odd if not all(no_pass(r, [each]) for r in guarded([each]))]
    unread = [each for each in beside if {r.status for r in guarded([each])} != {PASSES}]
    assert (passed, unread) == ([], [])


WEB = {"title": "What the plans cost", "url": "https://a.b", "snippet": WRONG}
STOPPED = {"stop_sequence": WRONG, "stop_details": {"type": "refusal", "explanation": WRONG}}
ANNOTATED = {"object": "streamguard.result", "result": {"reasons": [{"text": WRONG}]}}
BESIDE = [
    (PATH, choice(delta={"reasoning_content": WRONG})),
    (PATH, choice(delta={"role": "assistant", "context": {"intent": WRONG, "citations": [WEB]}})),
    (PATH, choice(delta={"annotations": [{"type": "url_citation", **WEB}]})),
    (PATH, choice(delta={"tool_calls": [{"function": {"arguments": WRONG}}]})),
    (PATH, choice(delta={"content": ""}, message={"role": "assistant", "content": RIGHT})),
    (PATH, choice(delta={"content": ""}, message={"content": [{"type": "text", "text": RIGHT}]})),
    (PATH, choice(delta={"content": " Yes"}, message={"content": f"{RIGHT} Yes"})),
    (PATH, choice(delta={"content": " Yes"}, message={"content": " Yes"})),
    (PATH, choice(delta=None, message={"content": ""})),
    (PATH, choice(delta={"content": [{"type": "text", "text": " Yes"}]})),
    (PATH, choice(delta={"content": [{"type": "thinking", "thinking": [{"text": WRONG}]}]})),
    (PATH, choice(delta={}, logprobs={"content": [{"token": " a b c d"}]})),
    (PATH, choice(delta={"content": RIGHT, "text": RIGHT})),
    (PATH, {"choices": [], "search_results": [WEB], "related_questions": [WRONG]}),
    (PATH, {"sources": [WEB]}),
    (PATH, {"event": {"type": "status", "data": {"description": WRONG}}}),
    (PATH, {"type": "metadata", "metadata": {"note": WRONG}}),
    (PATH, {"kind": "alive", "note": "still here"}),
    (PATH, {"obfuscation": "aXzQ"}),
    (PATH, {f"place_{number}": "here" for number in range(3)}),
    (GEMINI, candidate({"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo"}})),
    (PATH, {"streamguard": ANNOTATED, **choice(delta={})}),
    (PATH, {"type": "response.streamguard.result", "streamguard": ANNOTATED}),
    ("/v1/messages", {"type": "ping"}),
    ("/v1/messages", block("delta", delta={"type": "compaction_delta", "content": WRONG})),
    ("/v1/messages", {"type": "message_delta", "delta": STOPPED, "usage": {"output_tokens": 9}}),
    ("/v1/messages", block("delta", delta={"type": "thinking_delta", "thinking": WRONG})),
    ("/v1/messages", block("delta", delta={"type": "signature_delta", "signature": "abc"})),
    ("/v1/messages", block("delta", delta={"type": "input_json_delta", "partial_json": WRONG})),
    ("/v1/messages", block("delta", delta={"type": "citations_delta", "citation": WEB})),
    ("/v1/messages", block("delta", delta={"type": "text_delta", "text": ""})),
    ("/v1/messages", block("start", content_block={"type": "search_result", "content": [WEB]})),
    (GEMINI, candidate({"text": WRONG, "thought": True})),
    (GEMINI, candidate({"executableCode": {"language": "PYTHON", "code": WRONG}})),
    (GEMINI, candidate({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": WRONG}})),
    (GEMINI, candidate({"functionCall": {"name": "find", "args": {"q": WRONG}}})),
    (GEMINI, candidate(groundingMetadata={"groundingSupports": [{"segment": {"text": WRONG}}]})),
    (GEMINI, candidate(finishMessage=WRONG, citationMetadata={"citations": [WEB]})),
    (COHERE, {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": WRONG}}}),
    (COHERE, {"type": "citation-start", "delta": {"message": {"citations": {"text": WRONG}}}}),
    ("/v1/responses", {"type": "response.created", "response": {"instructions": WRONG}}),
    ("/v1/responses", {"type": "response.reasoning_summary_text.delta", "delta": WRONG}),
    ("/v1/responses", {"type": "response.function_call_arguments.delta", "delta": WRONG}),
    ("/v1/chat-messages", {"event": "agent_thought", "thought": WRONG}),
]


async def test_what_answers_bring_beside_their_text_leaves_them_read():
    unread = []
    for path, beside in BESIDE:
        said, end = ANSWERED[path]
        for made in every_way(path, beside):
            result = await relayed(path, [*said, *made, *end])
            if result.status != PASSES:
                unread.append((path, beside, len(made), result.status))
    assert unread == []


async def test_an_event_of_messages_with_two_names_is_no_pass_where_it_holds_text():
    said, end = ANSWERED["/v1/messages"]
    text, passed = {"type": "text_delta", "text": WRONG}, []
    for name in (*EVENTS, "status", "x"):
        for kind in {*EVENTS, "note", *([""] if name in EVENTS - {"ping"} else [])} - {name}:
            for held in ({"delta": text}, {"content_block": PART | {"text": WRONG}}, text):
                frame = {**held, "type": kind, "index": 0} if kind else {**held, "index": 0}
                made = [f"event: {name}\n".encode() + events([frame])[0]]
                result = await relayed("/v1/messages", [*said, *made, *end])
                if result.status == PASSES:
                    passed.append((name, frame))
    assert passed == []


async def test_a_message_beside_deltas_may_repeat_all_of_them_and_say_no_more():
    for text, status in ((RIGHT, PASSES), (RIGHT[1:], None), (WRONG, None)):
        last = choice(delta={}, message={"content": text})
        made = [*map(frame, told(RIGHT)), *events([last]), *ANSWERED[PATH][1]]
        for cut in (made, [b"".join(made)]):
            assert (await relayed(PATH, cut)).status == status


CALL = json.dumps({"q": WRONG})
SILENT = {  # thoughts and calls, and no text
    PATH: [choice(delta={"reasoning_content": WRONG}),
           choice(delta={"tool_calls": [{"function": {"arguments": CALL}}]})],
    "/v1/messages": [block("delta", delta={"type": "thinking_delta", "thinking": WRONG}),
                     block("delta", delta={"type": "input_json_delta", "partial_json": CALL})],
    "/v1/responses": [{"type": "response.function_call_arguments.delta", "delta": CALL}],
}  # fmt: skip


@pytest.mark.parametrize("path", SILENT)
async def test_thoughts_and_calls_alone_leave_nothing_unread(path):
    _, end = ANSWERED[path]
    result = await relayed(path, [*events(SILENT[path]), *end])
    assert [reason.code for reason in result.reasons] == ["nothing_to_check"]
    assert "unread" not in [reason.code for reason in result_of(SILENT[path]).reasons]


@pytest.mark.parametrize("path", ANSWERED)
async def test_an_end_sign_of_another_protocol_leaves_an_answer_read(path):
    said, end = ANSWERED[path]
    done = DONE if framed(path, []) or path != "/api/chat" else b"[DONE]\n"
    assert (await relayed(path, [*said, *end, done])).status == PASSES


async def test_a_snapshot_of_other_words_than_were_said_is_unread():
    begun = [{"type": "RUN_STARTED"}, {"type": "TEXT_MESSAGE_CONTENT", "delta": RIGHT}]
    before = [{"role": "assistant", "content": WRONG}, {"role": "user", "content": "And Basic?"}]
    for text, status in ((RIGHT, PASSES), (WRONG, None)):
        messages = [*before, {"role": "assistant", "content": text}]
        snapshot = {"type": "MESSAGES_SNAPSHOT", "messages": messages}
        made = events([*begun, snapshot, {"type": "RUN_FINISHED"}])
        assert (await relayed("/agents", made)).status == status
    halves = [begun[0], *({**begun[1], "delta": each} for each in ("\ud83d", "\ude00"))]
    whole = {"type": "MESSAGES_SNAPSHOT", "messages": [{"role": "assistant", "content": "😀"}]}
    made = events([*halves, whole, {"type": "RUN_FINISHED"}])
    assert (await relayed("/agents", made)).status == PASSES
    odd = {"type": "TEXT_MESSAGE_MARKDOWN", "markdown": WRONG}
    made = events([*begun, odd, {"type": "RUN_FINISHED"}])
    assert (await relayed("/agents", made)).status is None


async def test_more_snapshots_than_are_compared_are_unread(monkeypatch):
    monkeypatch.setattr("streamguard.wire.agents.ag_ui._MOST_COMPARED", 10 * len(RIGHT))
    begun = [{"type": "RUN_STARTED"}, {"type": "TEXT_MESSAGE_CONTENT", "delta": RIGHT}]
    snapshot = {"type": "MESSAGES_SNAPSHOT", "messages": [{"role": "assistant", "content": RIGHT}]}
    for count, status in ((20, PASSES), (30, None)):
        made = events([*begun, *[snapshot] * count, {"type": "RUN_FINISHED"}])
        result = await relayed("/agents", made)
        assert result.status == status
        assert ("unread" in [reason.code for reason in result.reasons]) is (status is None)


async def test_an_end_that_says_other_words_than_the_text_leaves_it_unread():
    made = events([{"text": each} for each in told(RIGHT)])
    ends = {WRONG: None, '{"answer":"$99."}': None, RIGHT: PASSES,
            json.dumps({"answer": RIGHT}): PASSES, '{"message":"All done."}': PASSES}  # fmt: skip
    for last, status in ends.items():
        end = f"event: done\ndata: {last}\n\n".encode()
        assert (await relayed("/ask", [*made, end])).status == status


ODD = [{"type": ["x"]}, {"type": {"a": 1}}, {"choices": [{"delta": {"content": [{"type": []}]}}]}]


async def test_frames_of_odd_kinds_end_no_stream():
    for path, (said, end) in ANSWERED.items():
        for odd in ODD:
            assert (await relayed(path, [*framed(path, [odd]), *said, *end])).text.code_points


@pytest.mark.parametrize(
    "items",
    [
        [{"choices": [{"index": 0, "delta": {"content": [{"type": "new", "text": WRONG}]}}]}],
        [{"type": "message_start", "message": {}}, MISPLACED[10][1], {"type": "message_stop"}],
        [{"type": "ai", "content": [{"type": "new", "text": WRONG}]}],
        [choice(delta={"words": f"{word} "}) for word in WRONG.split()],
    ],
)
async def test_words_in_an_unknown_place_of_known_items_are_never_a_pass(items):
    result = result_of(items)
    assert (result.status, result.reasons[0].code) == (None, "unread")


def result_of(items):
    """Return the result of items that are guarded as they are, which go on as they came."""
    with guard_sync(iter(items), context=CONTEXT) as stream:
        assert list(stream.items()) == items
    return stream.result


async def test_a_blocked_prompt_of_gemini_is_an_answer_without_text():
    assert result_of([{"promptFeedback": {"blockReason": "SAFETY"}}]).complete
    last = candidate({"text": RIGHT}, finishReason="STOP")
    assert result_of([{"usageMetadata": {"promptTokenCount": 4}}, last]).status == PASSES


async def test_what_is_nested_without_end_is_not_looked_through():
    value = WRONG
    for _ in range(20):
        value = {"a": value}
    assert not holds_words(value)
    assert holds_words({"a": {"a": WRONG}})


def responded(*parts, **item):
    return {"object": "response", "output": [{"type": "message", "content": [*parts], **item}]}


OUTPUT = {"type": "output_text", "text": RIGHT}
PART = {"type": "text", "text": RIGHT}
IN_ONE_PIECE = [  # an answer, and the same with words in another place
    (PATH, {"choices": [{"message": {"content": RIGHT}}]},
     {"choices": [{"message": {"content": RIGHT, "words": WRONG}}]}),
    (PATH, {"choices": [{"message": {"content": RIGHT, "reasoning": WRONG, "refusal": None}}]},
     {"choices": [{"message": {"content": RIGHT, "audio": {"transcript": WRONG}}}]}),
    ("/v1/completions", {"choices": [{"text": RIGHT, "logprobs": None}]}, None),
    ("/v1/responses", responded(OUTPUT), responded(OUTPUT, {"type": "markdown", "text": WRONG})),
    ("/v1/messages", {"type": "message", "content": [PART]},
     {"type": "message", "content": [PART, {"type": "md", "md": WRONG}]}),
    ("/v1/m:generateContent", candidate({"text": RIGHT}, finishReason="STOP"),
     candidate({"text": RIGHT}, {"markdown": WRONG})),
    (COHERE, {"message": {"content": [PART]}, "finish_reason": "STOP"},
     {"message": {"content": [PART, {"type": "md", "md": WRONG}]}, "finish_reason": "STOP"}),
    ("/api/chat", {"message": {"content": RIGHT}, "done": True},
     {"message": {"content": RIGHT, "words": WRONG}, "done": True}),
]  # fmt: skip


@SERVERS
async def test_words_in_another_place_of_an_answer_in_one_piece_are_no_pass(door):
    for path, plain, odd in IN_ONE_PIECE:
        for answer, status in ((plain, PASSES), (odd, None)):
            if answer is not None:
                stored, _ = await judged(door, in_json(answer, path))
                assert (stored["result"]["status"], path) == (status, path)


SOUND = {"id": "audio_1", "data": "UklGRiQAAABXQVZF", "expires_at": 1, "transcript": WRONG}
SPOKEN = {"choices": [{"message": {"content": None, "audio": SOUND}}]}


@SERVERS
async def test_json_without_text_that_is_found_is_no_pass(door):
    for body in ({"x": [3]}, [], {"choices": [{"message": {"content": [{"type": "q"}]}}]}):
        stored, got = await judged(door, said := in_json(body))
        assert (stored["state"], stored["result"]["status"]) == ("skipped", None)
        assert got.body == said.body


@SERVERS
@pytest.mark.parametrize("body", [WRONG, {"result": {"words": WRONG}}, [{"text": WRONG}], SPOKEN])
async def test_json_of_any_shape_is_read(door, body):
    said = in_json(body)
    for form in ("chunk", "event"):
        stored, got = await judged(door, said, form)
        assert stored["result"]["text"]["code_points"] == len(WRONG)
        assert stored["result"]["status"] == FAILS
        if form == "event" and isinstance(body, dict):
            assert got.json.pop("streamguard")["id"] == stored["id"]
        else:
            assert got.body == said.body


async def test_what_is_not_read_is_skipped_too_where_its_reader_leaves():
    body = json.dumps({"x": [3]}).encode()
    whole = JSONRelay(PATH, checking := Checking("0" * 32, CONTEXT, Policy()), "header")
    assert whole.receive(body) + await whole.finish() == body
    whole.abandon("client_disconnect")  # all of it has gone on
    assert checking.close("cancelled").state == "skipped"

    async def serve(received, writer):
        kind = received.headers["x-kind"].encode()
        length = 9_000 if kind == b"text/html" else len(body)  # of which no more than `body` comes
        head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: %b\r\nContent-Length: %d\r\n"
        writer.write(head % (kind, length) + b"\r\n" + body)
        await received.gone.wait()

    async with upstream(serve) as up, proxy(up.url) as base:
        for kind in ("application/json", "text/html"):
            name = await leaves(base, len(body), {"x-streamguard": "header", "x-kind": kind})
            _, stored = await result_of_id(base, name)
            assert (kind, stored["result"]["status"]) == (kind, None)
        assert (await metrics(base))['streamguard_skipped_total{reason="unknown_shape"}'] == 2


async def test_white_space_behind_an_answer_waits_with_its_brace_and_goes_on():
    body = json.dumps({"choices": [{"message": {"content": RIGHT}, "finish_reason": "stop"}]})
    pieces = [body[:9].encode(), body[9:].encode(), *([b" \n"] * 50), b"\n"]
    whole = JSONRelay(PATH, Checking("0" * 32, CONTEXT, Policy()), "header")
    adding = JSONRelay(PATH, Checking("1" * 32, CONTEXT, Policy()), "chunk")
    assert b"".join(map(whole.receive, pieces)) == b"".join(pieces)
    came = b"".join(map(adding.receive, pieces)) + await adding.finish()
    assert came.endswith(b"}" + b" \n" * 50 + b"\n")
    assert json.loads(came)["streamguard"]["result"]["status"] == PASSES


NAMED = [{"a": [{"b": f"{piece} "}], "text": "nothing"} for piece in WRONG.split()]


async def test_the_application_may_name_the_place_at_every_door():
    script = CHUNKED + b"".join(map(chunked, events(NAMED))) + END
    async with upstream(script) as up, proxy(up.url, text="a.*.b") as base:
        assert await status_at(base, PATH) == FAILS
    body = json.dumps({"x": WRONG, "text": "nothing"}).encode()
    assert await status_within(events(NAMED), text="a.*.b") == FAILS
    assert await status_within([body], "application/json", text="x") == FAILS
    with guard_sync(NAMED, context=CONTEXT, text="a.*.b") as stream:
        assert list(stream)[-1].result.status == FAILS


async def test_every_way_past_the_checks_has_a_name_in_header_log_and_metrics(caplog):
    caplog.set_level(logging.INFO, "streamguard.proxy")
    script = b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nContent-Length: 2\r\n%b\r\n{}"

    async def serve(received, writer):
        how = received.headers.get("x-how", "")
        kind = b"text/html" if how == "unknown_shape" else b"application/json"
        more = b"Content-Encoding: br\r\n" if how == "encoding" else b""
        writer.write(script % (kind, more))

    said = {}
    async with upstream(serve) as up, proxy(up.url, max_body_bytes=64) as base:
        for reason, path, body, wish in (
            ("unguarded_path", "/v1/models", {}, "header"),
            ("off", PATH, {}, "off"),
            ("limit", PATH, {"model": "x" * 99}, "header"),
            ("encoding", PATH, {}, "header"),
            ("unknown_shape", PATH, {}, "header"),
        ):
            got = await ask(base, body, path, x_streamguard=wish, x_how=reason)
            said[reason] = got.headers.get("x-streamguard-skipped")
        seen = await metrics(base)
        assert "x-streamguard-skipped" not in (await ask(base, {}, PATH)).headers
    assert said == {reason: reason for reason in said}
    for reason in said:
        assert seen[f'streamguard_skipped_total{{reason="{reason}"}}'] == 1
    logged = [getattr(record, "fields", {}) for record in caplog.records]
    reasons = {each.get("reason") or each.get("skipped") for each in logged}
    assert set(said) <= reasons


LENGTH = (b"content-length", b"2")


@pytest.mark.parametrize(
    ("kind", "headers", "paths", "form", "reason"),
    [
        ("application/json", [], ("*",), "header", "unguarded_path"),
        (TEXT, [LENGTH], ("*",), "header", "unguarded_path"),
        (SSE, [LENGTH], ("/other",), "header", "unguarded_path"),
        (SSE, [], ("*",), "off", "off"),
        (SSE, [(b"content-encoding", b"br")], ("*",), "header", "encoding"),
        ("text/html", [], ("*",), "header", None),
    ],
)
async def test_the_middleware_says_what_it_lets_pass(kind, headers, paths, form, reason):
    app = StreamGuardMiddleware(asgi.saying([b"{}"], kind, headers=headers), paths=paths)
    sent = await asgi.call(app, asgi.scope("/ask", x_streamguard=form))
    assert sent.headers.get("x-streamguard-skipped") == reason
    assert sent.headers.get("content-length") == ("2" if LENGTH in headers else None)


async def test_the_middleware_counts_what_it_lets_pass_by_the_reason():
    counts, sse = Metrics(), [(b"content-encoding", b"br")]
    unknown, answered = events([{"figure": 3}]), [*map(frame, told(WRONG)), DONE]
    off = Policy(validation_enabled=False)
    for pieces, more, path, form, options in (
        (answered, {}, "/other", "header", {}),
        (answered, {}, PATH, "off", {}),
        (answered, {}, PATH, "header", {"policy": off}),
        (answered, {"headers": sse}, PATH, "header", {}),
        (unknown, {}, PATH, "header", {}),
        (answered, {}, PATH, "header", {}),
    ):
        inner = asgi.saying(pieces, SSE, **more)
        app = StreamGuardMiddleware(inner, paths=(PATH,), metrics=counts, **options)
        await asgi.call(app, asgi.scope(path, x_streamguard=form))
    told_to = StreamGuardMiddleware(metrics_app(counts, "secret"), metrics=counts)
    assert (await asgi.call(told_to, asgi.scope("/", method="GET"))).status == 401
    scraped = asgi.scope("/", method="GET", authorization="Bearer secret")
    lines = set((await asgi.call(told_to, scraped)).body.decode().splitlines())
    for reason, count in (("unguarded_path", 1), ("off", 2), ("encoding", 1), ("unknown_shape", 1)):
        assert f'streamguard_skipped_total{{reason="{reason}"}} {count}' in lines
    assert 'streamguard_requests_total{done="checked"} 4' in lines
    assert 'streamguard_requests_total{done="unchecked"} 2' in lines
    assert "streamguard_added_delay_seconds_count 0" in lines
    assert (await asgi.call(told_to, asgi.scope("/", method="HEAD"))).body == b""
    with pytest.raises(RuntimeError, match="for http, not lifespan"):
        await metrics_app(counts)({"type": "lifespan"}, None, None)


SPELT = ["/v1/chat/completions/", "/v1//chat/completions", "/v1/./chat/completions",
         "/v1/chat/completions;x=1", "/V1/Chat/COMPLETIONS", "/v1/x/../chat/completions",
         "/v1/chat/%63ompletions", "/v1/chat/completions/?a=b"]  # fmt: skip
ANSWER = [*map(frame, told(WRONG)), frame(finish="stop"), usage(), DONE]
SCRIPT = CHUNKED + chunked(b"".join(ANSWER)) + END


async def test_a_path_is_guarded_however_it_is_spelt():
    async with upstream(SCRIPT) as up, proxy(up.url) as base:
        for path, method in itertools.product(SPELT, ("POST", "PUT")):
            assert await status_at(base, path, method) == FAILS
            assert up.requests[-1].path == path
    for path in SPELT[:5]:
        assert await status_within(ANSWER, path=path, paths=(PATH,)) == FAILS


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_where_checks_are_required_no_path_is_unguarded(method):
    async with upstream(SCRIPT) as up, proxy(up.url, require_check=True) as base:
        assert await status_at(base, "/any/path", method) == FAILS
        off = await ask(base, ASKED, "/any/path", method, x_streamguard="off")
        assert off.status == 400
        assert (await ask(base, None, "/any/path", "OPTIONS")).headers["x-streamguard-skipped"]


def two_choices(between):
    one, two = ([frame(p, n) for p in told(text)] for n, text in enumerate((RIGHT, WRONG)))
    ends = [frame(finish="stop"), *between, *two, frame(index=1, finish="stop")]
    return [*one, *ends, usage(), DONE]


@SERVERS
@pytest.mark.parametrize("form", ["chunk", "attach", "event"])
@pytest.mark.parametrize("between", [[], [usage(), b": ping\n\n", usage()]])
async def test_a_choice_behind_anothers_end_is_checked(door, between, form):
    said = Shown(SSE, two_choices(between), PATH)
    stored, got = await judged(door, said, form)
    assert [each["status"] for each in stored["choices"]] == [PASSES, FAILS]
    assert stored["state"] == "complete"
    assert len(got.annotations) == 1
    if form in ("chunk", "event"):
        ours = [e.raw for e in asgi.events(got.body) if b'"streamguard.result"' in e.raw]
        assert got.body.replace(b"".join(ours), b"") == said.body
        assert got.body.endswith(b"".join([*ours, usage(), DONE]))


BEHIND = {
    "text": frame(WRONG),
    "words": b"".join(events([{"type": "markdown", "bit": word} for word in WRONG.split()])),
    "broken": b"data: " + WRONG.encode() + b"\n\n",
}


@SERVERS
@pytest.mark.parametrize("form", ["chunk", "attach"])
@pytest.mark.parametrize("behind", BEHIND)
async def test_text_behind_the_annotation_makes_the_kept_one_partial(door, form, behind):
    said = [*map(frame, told(RIGHT)), frame(finish="stop"), usage(), DONE]
    made = [*said, BEHIND[behind], DONE]
    stored, got = await judged(door, Shown(SSE, made, PATH), form)
    (annotation,) = got.annotations
    assert (annotation["state"], annotation["result"]["status"]) == ("complete", PASSES)
    assert (stored["state"], stored["result"]["status"]) == ("partial", None)
    assert stored["result"]["reasons"][-1]["code"] == "late_text"


async def test_a_stream_that_stays_open_behind_its_answer_is_annotated_all_the_same(monkeypatch):
    monkeypatch.setattr("streamguard.server.proxy.streaming.MAX_TAIL_WAIT_S", 0.05)
    go, said = asyncio.Event(), [*map(frame, told(RIGHT)), frame(finish="stop"), usage()]
    script = parts_of(b"".join(said) + b": half a com", b"ment\n\n" + DONE, go)
    async with upstream(script) as up, proxy(up.url) as base:
        reader, writer = await asking(base)
        got = await asyncio.wait_for(reader.readuntil(usage()), 10)
        assert got.count(b'"streamguard.result"') == 1
        go.set()
        rest = await asyncio.wait_for(reader.readuntil(DONE), 10)
        assert b": half a com" in rest.replace(b"\r\n", b"")
        writer.close()


async def test_no_signs_of_life_hold_back_a_frame_that_may_be_the_last(monkeypatch):
    monkeypatch.setattr("streamguard.server.proxy.streaming.MAX_TAIL_WAIT_S", 0.05)
    seen, said = asyncio.Event(), [*map(frame, told(RIGHT)), frame(finish="stop")]

    async def script(_received, writer):
        writer.write(CHUNKED + chunked(b"".join(said)))
        while not seen.is_set():
            writer.write(chunked(b": still there\n\n" * 200))
            await writer.drain()
            await asyncio.sleep(0.005)  # as fast as no upstream is
        writer.write(chunked(DONE) + END)

    async with opened(script, {"x-streamguard": "attach"}) as (_base, response):
        got = b""
        async for piece in response.content.iter_any():
            got += piece
            if b'"streamguard.result"' in got:
                seen.set()
            got = got[-100:]
    assert seen.is_set()
    assert got.endswith(DONE)


async def test_late_text_makes_every_choice_partial():
    checking = Checking("0" * 32, CONTEXT, Policy())
    checking.take_texts({0: RIGHT, 1: WRONG})
    await checking.conclude("complete")
    assert checking.final("complete") is checking.annotation
    checking.take_texts({1: "More."})
    kept = checking.final("complete")
    assert [each.status for each in kept.choices] == [None, FAILS]
    assert kept.result is kept.choices[0]
