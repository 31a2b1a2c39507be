"""WebSockets through the proxy: bytes both ways, and the answers of Realtime and Responses."""

import asyncio
import json
import logging
import socket
from contextlib import asynccontextmanager, suppress

import openai
import pytest
from websockets.asyncio.client import connect
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed, InvalidStatus

from streamguard import Policy, examiner
from streamguard.server.proxy.sockets import watching
from streamguard.server.proxy.sockets.tunnel import _Pipe
from streamguard.server.proxy.turns import Turns
from streamguard.server.request_context import Policies
from streamguard.verify.verifier import verifiers_of
from streamguard.wire.frame_schemas import FRAMES
from streamguard.wire.websocket.conversations import MAX_ANSWERS
from streamguard.wire.websocket.message_decoder import text_frame
from tests.kit.frames import PASSAGES, PATIENCE_S, whole
from tests.kit.judges import Latch
from tests.kit.upstreams import ask, bare, dial, proxy, raw, read_request, result, upstream
from tests.test_wire_reference import fits

pytestmark = pytest.mark.asyncio
SWITCHED = b"HTTP/1.1 101 Go\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
COMPRESSES = b"Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
ANSWER = "The Basic plan costs $10 per month. The Pro plan costs $77 per month."
RIGHT = "The Basic plan costs $10 per month."
ASKED_FOR = [{"type": "input_text", "text": "What do the plans cost?"}]
QUESTION = {"type": "message", "role": "user", "content": ASKED_FOR}
INSTRUCTIONS = PASSAGES["content"]


def asking(path="/x"):
    upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    return f"GET {path} HTTP/1.1\r\nHost: h\r\n{upgrade}".encode()


@asynccontextmanager
async def talking(script, path="/v1/realtime", **settings):
    """Run a server that answers by `script(socket)` and a proxy; give both ws:// addresses."""

    async def handler(socket):
        seen.append(socket)
        await script(socket)

    seen = []
    async with asyncio.timeout(PATIENCE_S), serve(handler, "127.0.0.1", 0) as server:
        at = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with proxy(f"http://{at}", **settings) as base:
            yield base, base.replace("http", "ws") + path, f"ws://{at}{path}", seen


def deltas(kind, text=ANSWER, **more):
    return [{"type": kind, "delta": text[at : at + 7], **more} for at in range(0, len(text), 7)]


def realtime_answer(number, kind="response.output_text.delta", status="completed", text=ANSWER):
    """Return the events of one Realtime answer."""
    name = f"resp_{number}"
    more = {"response_id": name, "item_id": "i", "output_index": 0, "content_index": 0}
    sound = {"type": "response.output_audio.delta", "delta": "AAAA" * 100, **more}
    return [
        {"type": "response.created", "response": {"id": name, "object": "realtime.response"}},
        *deltas(kind, text, **more),
        sound,
        {"type": "response.done", "response": {"id": name, "status": status, "output": []}},
    ]


def responses_answer(number, text=ANSWER, end="response.completed", **more):
    """Return the events of one answer of Responses."""
    response = {"id": f"resp_{number}", "object": "response", "status": "completed", "output": []}
    at = {"item_id": "i", "output_index": 0, "content_index": 0, "logprobs": []}
    return [
        {"type": "response.created", "response": response, **more},
        *deltas("response.output_text.delta", text, **at, **more),
        {"type": end, "response": response, **more},
    ]


def scripted(*answers, once=False):
    """Return a script that says one of `answers` for each `response.create`, or for the first."""

    async def script(socket):
        said = iter(answers)
        async for message in socket:
            if json.loads(message).get("type") == "response.create":
                await say(socket, *({"event_id": f"e{n}", **e} for n, e in enumerate(next(said))))
                if once:
                    return

    return script


async def say(socket, *events):
    for event in events:
        await socket.send(json.dumps(event))


CREATE = json.dumps({"type": "response.create"})
ASKED = json.dumps({"type": "response.create", "instructions": INSTRUCTIONS, "input": [QUESTION]})
SESSION = json.dumps({"type": "session.update", "session": {"instructions": INSTRUCTIONS}})


async def until(socket, kind):
    """Return the messages up to the first event of that type."""
    got = []
    while True:
        got.append(await socket.recv())
        found = json.loads(got[-1])
        if isinstance(found, dict) and found["type"] == kind:
            return got


async def kept(base, first, number=0):
    """Return the result of an answer of the connection whose id is `first`, once it has begun."""
    while True:
        status, found = await result(base, f"{number:04x}{first[4:]}")
        if status != 404:
            return found


async def settled(base, name):
    """Return a result once its answer is over."""
    while (found := await kept(base, name))["state"] == "pending":
        await asyncio.sleep(0)
    return found


def found_in(annotation, text=ANSWER):
    """Return the price of each finding, as it stands in the text."""
    spans = [(each["start"], each["end"]) for each in annotation["result"]["findings"]]
    return [text[start:end].split()[0] for start, end in spans]


async def test_every_byte_goes_on_both_ways_and_the_log_says_unchecked(caplog):
    caplog.set_level(logging.INFO, "streamguard.proxy")
    down = [b"\x81\x05hello", bytes(range(256)) * 700, b"", b"no frame at all", b"\x88\x00"]
    heads = []

    async def script(received, writer):
        heads.append(received)
        more = b"Sec-WebSocket-Accept: abc=\r\nX-Their: own\r\n\r\n"
        for piece in (SWITCHED[:-2] + more + down[0], *down[1:]):
            writer.write(piece)
            await writer.drain()
        await asyncio.sleep(0.05)

    async with upstream(script) as server, proxy(server.url) as base:
        head = (
            "GET /v1/live?streamguard=off&x=%2F HTTP/1.1\r\nHost: h\r\n"
            "Connection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n"
            "Sec-WebSocket-Key: a2V5\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n"
            "Sec-WebSocket-Protocol: realtime, key.secret\r\n\r\n"
        )
        back = await raw(base, head.encode())
    answer, body = back.split(b"\r\n\r\n", 1)
    assert answer.startswith(SWITCHED[:15] + b"\r\n")
    lines = answer.lower().split(b"\r\n")
    assert {b"upgrade: websocket", b"x-streamguard-skipped: unguarded_path"} <= set(lines)
    assert {b"connection: upgrade", b"sec-websocket-accept: abc=", b"x-their: own"} <= set(lines)
    assert body == b"".join(down)
    (seen,) = heads
    assert seen.path == "/v1/live?streamguard=off&x=%2F"
    assert seen.headers["sec-websocket-protocol"] == "realtime, key.secret"
    assert seen.headers["sec-websocket-extensions"].startswith("permessage-deflate")
    fields = [each.fields for each in caplog.records if each.message == "unchecked"]
    assert fields == [{"path": "/v1/live", "reason": "unguarded_path", "websocket": True}]
    assert "secret" not in caplog.text


async def test_what_a_client_sends_arrives_as_it_was_sent_also_what_came_with_the_handshake():
    arrived = asyncio.get_running_loop().create_future()

    async def takes(reader, writer):
        await read_request(reader)
        writer.write(SWITCHED + b"ready")
        arrived.set_result(await reader.read())
        writer.close()

    sent = bytes(range(256)) * 3_000
    async with asyncio.timeout(PATIENCE_S), bare(takes) as url, proxy(url) as base:
        reader, writer = await dial(base, asking() + sent[:1_000])  # nobody waits for the answer
        await reader.readuntil(b"ready")
        for at in range(1_000, len(sent), 70_001):
            writer.write(sent[at : at + 70_001])
            await writer.drain()
        writer.close()
        assert await arrived == sent


@pytest.mark.parametrize("path", ["/v1/live", "/v1/realtime?streamguard=off"])
async def test_a_real_client_hears_what_it_would_hear_without_a_proxy(path):
    async def echo(socket):
        async for message in socket:
            await socket.send(message)

    said = ["", "short", "ä" * 70_000, b"\x00\xff" * 40_000, json.dumps({"type": "response.done"})]
    async with talking(echo, path) as (_base, proxied, direct, seen):
        heard = []
        for url in (direct, proxied):
            async with connect(url, subprotocols=["realtime"], ping_interval=None) as client:
                got = []
                for message in said:
                    await client.send(message)
                    got.append(await client.recv())
                await (await client.ping())
                heard.append((got, [each.name for each in client.protocol.extensions]))
        assert heard[0] == heard[1] == (said, ["permessage-deflate"])
        assert seen[1].close_code == 1000  # the client's own close came through
        assert "streamguard" not in seen[1].request.path


async def test_a_slow_reader_slows_the_upstream_down():
    """What one side does not read waits with the other: nothing grows in between."""
    wrote, go = 0, asyncio.Event()

    async def script(_received, writer):
        nonlocal wrote
        writer.write(SWITCHED)
        for _ in range(600):
            writer.write(b"x" * 100_000)
            await writer.drain()
            wrote += 100_000
        go.set()

    async with asyncio.timeout(6 * PATIENCE_S), upstream(script) as up, proxy(up.url) as base:
        reader, writer = await dial(base, asking())
        await reader.readuntil(b"\r\n\r\n")
        reader._transport.pause_reading()
        before = -1
        while before != wrote:
            before = wrote
            await asyncio.sleep(0.3)
        assert wrote < 40_000_000
        assert not go.is_set()
        reader._transport.resume_reading()
        got = 0
        while got < 60_000_000:
            got += len(await reader.read(2**20))
        writer.close()


@pytest.mark.parametrize("path", ["/v1/live", "/v1/realtime"])
async def test_a_servers_last_words_arrive_while_the_client_still_talks(path):
    """A socket that is closed while something lies in it unread is reset."""
    last = b"\x82\x7f" + (1_000_000).to_bytes(8, "big") + bytes(1_000_000) + b"\x88\x02\x03\xe8"

    async def ends(reader, writer):
        await read_request(reader)
        writer.write(SWITCHED + last)
        writer.write_eof()
        while await reader.read(65_536):
            pass
        writer.close()

    loop, got = asyncio.get_running_loop(), b""
    async with asyncio.timeout(PATIENCE_S), bare(ends) as url, proxy(url) as base:
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
            client.setblocking(False)
            await loop.sock_connect(client, ("127.0.0.1", int(base.rpartition(":")[2])))
            await loop.sock_sendall(client, asking(path))
            while data := await loop.sock_recv(client, 16_384):
                got += data
                await loop.sock_sendall(client, b"\x82\x81mask!")
                await asyncio.sleep(0.001)
    assert got.partition(b"\r\n\r\n")[2] == last


@pytest.mark.parametrize("kind", ["response.text.delta", "response.output_audio_transcript.delta"])
async def test_openais_realtime_client_gets_one_event_more_behind_the_answer(kind):
    async with talking(scripted(realtime_answer(1, kind))) as (base, _, direct, _seen):
        heard = []
        for url, live in ((direct.replace("ws://", "http://").removesuffix("/realtime"), {}),
                          (f"{base}/v1", {"x-streamguard-live": "1"})):  # fmt: skip
            last = "response.streamguard.result" if live else "response.done"
            async with (
                openai.AsyncOpenAI(base_url=url, api_key="k") as client,
                client.realtime.connect(model="mock", extra_headers=live) as connection,
            ):
                told = {"type": "realtime", "instructions": INSTRUCTIONS}
                await connection.session.update(session=told)
                await connection.conversation.item.create(item=QUESTION)
                await connection.response.create()
                got = [await connection.recv()]
                while got[-1].type != last:
                    got.append(await connection.recv())
                heard.append(got)
        plain, checked = heard
        assert [each.to_dict() for each in checked[:-1]] == [each.to_dict() for each in plain]
        event = checked[-1].to_dict()
        annotation = event["streamguard"]
        assert event["response_id"] == "resp_1"
        assert fits(event, FRAMES["websocket.event"])
        assert (annotation["state"], annotation["result"]["status"]) == ("complete", "WARN")
        assert found_in(annotation) == ["$77"]
        kept = (await result(base, annotation["id"]))[1]["result"]
        assert kept["text"] == annotation["result"]["text"]


async def test_our_event_stands_between_messages_also_where_one_is_in_pieces():
    go = asyncio.Event()

    async def script(socket):
        await socket.recv()
        await say(socket, *realtime_answer(1))

        async def slowly():
            yield '{"type": "conversation.item.added", '
            await go.wait()
            yield '"item": {}}'

        await socket.send(slowly())
        await socket.wait_closed()

    async with talking(script) as (base, proxied, _direct, _seen):
        async with connect(f"{proxied}?streamguard-live=1") as client:
            await client.send(CREATE)
            await until(client, "response.done")
            await result(base, client.response.headers["x-streamguard-id"])
            go.set()
            got = [json.loads(await client.recv())["type"] for _ in range(2)]
        assert sorted(got) == ["conversation.item.added", "response.streamguard.result"]


async def test_a_context_that_was_posted_counts_for_all_answers():
    posted = {"query": "What does it cost?", "chunks": [INSTRUCTIONS]}
    async with talking(scripted(realtime_answer(1))) as (base, proxied, _direct, _seen):
        made = json.loads((await ask(base, posted, "/streamguard/contexts")).body)
        for name, errors in ((made["id"], False), ("f" * 32, True)):
            headers = {"x-streamguard-context": name, "x-streamguard-live": "1"}
            async with connect(proxied, additional_headers=headers) as client:
                await client.send(CREATE)
                (*_, last) = await until(client, "response.streamguard.result")
            annotation = json.loads(last)["streamguard"]
            assert bool(annotation["result"]["errors"]) is errors
            assert (found_in(annotation) == ["$77"]) is not errors


async def test_a_client_that_leaves_leaves_a_partial_result_and_its_upstream():
    script = after_one(*(said := realtime_answer(1)[:-4]))
    async with talking(script) as (base, proxied, _direct, seen):
        client = await connect(proxied)
        await client.send(CREATE)
        for _ in said:
            await client.recv()
        client.transport.abort()
        await seen[0].wait_closed()
        _, found = await result(base, client.response.headers["x-streamguard-id"])
        assert (found["state"], found["result"]["ended"]) == ("partial", "client_disconnect")


async def test_what_has_come_of_a_client_that_left_goes_on_while_the_upstream_talks_on(monkeypatch):
    taken, got, left, ended = 0, 0, asyncio.Event(), asyncio.Event()
    feed, said = _Pipe.feed_data, b"\x82\x04said"

    def counted(pipe, data):
        nonlocal taken
        taken += 0 if data == said else len(data)
        return feed(pipe, data)

    async def talks_on(reader, writer):
        nonlocal got
        await read_request(reader)
        reader._transport.pause_reading()
        writer.write(SWITCHED)
        await left.wait()
        for _ in range(3):  # the first is answered by a reset, behind it the client is gone
            writer.write(said)
            await asyncio.sleep(0.1)
        reader._transport.resume_reading()
        with suppress(ConnectionError):
            while data := await reader.read(65_536):
                got += len(data)
        writer.close()
        ended.set()

    monkeypatch.setattr(_Pipe, "feed_data", counted)
    async with asyncio.timeout(PATIENCE_S), bare(talks_on) as url, proxy(url) as base:
        reader, writer = await dial(base, asking())
        await reader.readuntil(b"\r\n\r\n")
        writer.write(bytes(30_000_000))
        before = -1
        while before != taken:
            before = taken
            await asyncio.sleep(0.3)
        writer.transport.abort()
        left.set()
        await ended.wait()
    assert 0 < taken == got


@pytest.mark.parametrize("where", ["read", "held"])
@pytest.mark.parametrize("path", ["/v1/realtime", "/v1/responses"])
async def test_an_answer_that_had_ended_when_the_client_left_is_complete(monkeypatch, where, path):
    """Its end is in bytes that are being read, or has come and waits to be read."""
    monkeypatch.setattr(watching, "TURN_NS", 1_000)
    reading, came, cancelled = asyncio.Event(), asyncio.Event(), asyncio.Event()
    next_turn, feed = Turns.next, _Pipe.feed_data

    async def held(self):
        reading.set()
        try:
            await cancelled.wait()
        finally:
            cancelled.set()
        await next_turn(self)

    def fed(pipe, data):
        if b'"completed"' in data and b"delta" in data:
            came.set()
        return feed(pipe, data)

    monkeypatch.setattr(Turns, "next", held)
    monkeypatch.setattr(_Pipe, "feed_data", fed)
    answer = realtime_answer(1) if path.endswith("realtime") else responses_answer(1)
    told = b"".join(text_frame(json.dumps(event)) for event in answer)
    before = text_frame(json.dumps({"type": "session.updated", "x": "x" * 3_000}))

    async def script(socket):
        await socket.recv()
        socket.transport.write(before + (told if where == "read" else b""))
        if where == "held":
            await reading.wait()
            socket.transport.write(told)
        await socket.wait_closed()

    async with talking(script, path) as (base, proxied, _direct, _seen):
        client = await connect(proxied)
        await client.send(CREATE)
        await reading.wait()
        await came.wait()
        client.transport.abort()
        found = await settled(base, client.response.headers["x-streamguard-id"])
    assert (found["state"], found["result"]["complete"]) == ("complete", True)
    assert found["result"]["text"]["code_points"] == len(ANSWER)


def after_one(*events):
    """Return a script that hears one message, says events and then nothing more."""

    async def script(socket):
        await socket.recv()
        await say(socket, *events)
        await socket.wait_closed()

    return script


async def test_a_tunnel_in_which_nobody_speaks_ends():
    script = after_one(realtime_answer(1)[0])
    async with talking(script, idle_timeout_s=0.2) as (base, proxied, _direct, _seen):
        async with connect(proxied) as client:
            await client.send(CREATE)
            with pytest.raises(ConnectionClosed):
                await until(client, "response.done")
        _, found = await result(base, client.response.headers["x-streamguard-id"])
        assert found["result"]["ended"] == "limit"


async def test_odd_messages_are_handed_on_and_what_can_be_read_of_them_counts(monkeypatch):
    monkeypatch.setattr(watching, "MAX_ANSWER_BYTES", 40_000)
    begun = {"type": "response.created", "response": {"id": "r"}}
    parts = [{"type": "output_text", "text": ANSWER}]
    done = {"id": "r", "status": "completed", "output": [{"content": parts}]}
    told = [
        begun,  # nobody says how this one ends
        {"type": "response.output_text.delta", "response_id": "none", "delta": "x"},
        {"type": "response.done", "response": {"id": "none"}},
        begun,
        {"type": "conversation.item.added", "pad": "x" * 50_000},
        {"type": "response.done", "response": done, "pad": "x" * 20_000},  # not parsed in one go
    ]
    odd = ["no JSON", b"\xff\x00", "[1]", "[" + "1," * 10_000 + "1]", *map(json.dumps, told)]

    async def script(socket):
        await socket.recv()
        for message in odd:
            await socket.send(message)
        await socket.wait_closed()

    async with talking(script) as (base, proxied, _direct, _seen), connect(proxied) as client:
        await client.send(CREATE)
        assert [await client.recv() for _ in odd] == odd
        first = client.response.headers["x-streamguard-id"]
        broken, found = await kept(base, first), await kept(base, first, 2)
    assert broken["result"]["ended"] == "upstream_error"
    assert "limit_reached" in found["result"]["flags"]
    assert found["result"]["text"]["code_points"] == len(ANSWER)


async def test_messages_of_too_many_values_are_reported_and_may_end_an_answer():
    begun = {"type": "response.created", "response": {"id": "r"}}
    said = {"type": "response.output_text.delta", "response_id": "r", "delta": ANSWER}
    done = {"id": "r", "status": "completed", "output": [{}] * 2_000}
    end = {"type": "response.done", "response": done}
    for wide in ([0] * 30_000, [[]] * 5_000):
        told = [begun, said, {"type": "response.x", "x": wide}, end]

        async def script(socket, told=told):
            await socket.recv()
            for message in told:
                await socket.send(json.dumps(message))
            await socket.wait_closed()

        async with talking(script) as (base, proxied, _direct, _seen), connect(proxied) as client:
            await client.send(CREATE)
            assert [json.loads(await client.recv()) for _ in told] == told
            found = await kept(base, client.response.headers["x-streamguard-id"])
        assert found["state"] == "complete"
        assert "limit_reached" in found["result"]["flags"]
        assert found["result"]["text"]["code_points"] == len(ANSWER)


@pytest.mark.parametrize("told", ["pieces", "whole", "nameless", "unknown", "another", "a list"])
@pytest.mark.parametrize("path", ["/v1/realtime", "/v1/responses"])
async def test_text_behind_the_end_of_an_answer_makes_its_result_partial(path, told, caplog):
    more = {"output_index": 0, "content_index": 0}
    said, realtime = "It is $5 now.", path.endswith("realtime")
    if realtime and told != "nameless":
        more["response_id"] = "resp_1"
    part = {"type": "output_text", "text": said}
    whole = {"type": "response.content_part.done", "part": part, **more, "content_index": 1}
    late = {
        "whole": [whole],
        "another": [{"type": "markdown", "piece": said}] if realtime else None,
        "a list": [[said]],
        "unknown": [{"type": "response.markdown.piece", "piece": said, **more}],
    }.get(told) or deltas("response.output_text.delta", said, **more)
    answer = realtime_answer if realtime else responses_answer
    waiting, go = asyncio.Event(), asyncio.Event()

    async def script(socket):
        await scripted(answer(1, text=RIGHT), once=True)(socket)
        waiting.set()
        await go.wait()
        await say(socket, *late, {"type": "last"})
        await socket.wait_closed()

    async with talking(script, path) as (base, proxied, _direct, _seen):
        async with connect(proxied) as client:
            if realtime:
                await client.send(SESSION)
            await client.send(CREATE if realtime else ASKED)
            first = client.response.headers["x-streamguard-id"]
            await waiting.wait()
            before = await settled(base, first)
            heard = await ask(base, None, f"/streamguard/results/{first}/events", "GET")
            go.set()
            await until(client, "last")
        while (after := await kept(base, first))["state"] == "complete":
            await asyncio.sleep(0)
        event = {"Last-Event-ID": str(heard.body.count(b"id: "))}
        again = await ask(base, None, f"/streamguard/results/{first}/events", "GET", **event)
        counted = (await ask(base, None, "/streamguard/metrics", "GET")).body.decode()
    assert (before["state"], before["result"]["status"]) == ("complete", "PASS")
    assert (after["state"], after["result"]["status"]) == ("partial", None)
    assert after["result"]["reasons"][-1]["code"] == "late_text"
    assert b'"partial"' in again.body
    assert b'"complete"' in heard.body
    (logged,) = [each.fields for each in caplog.records if each.message == "late_text"]
    assert logged == {"id": first, "path": path}
    assert f"streamguard_late_frames_total {len(late)}" in counted


@pytest.mark.parametrize("when", ["awaited", "heard"])
async def test_late_text_counts_while_a_verifier_is_awaited_and_behind_its_word(when):
    gate, go = Latch(), asyncio.Event()
    late = deltas("response.output_text.delta", "It is $5 now.", response_id="resp_1")

    async def script(socket):
        await scripted(realtime_answer(1, text=RIGHT), once=True)(socket)
        if when == "heard":
            await go.wait()
        await say(socket, *late, realtime_answer(2)[0])
        await socket.wait_closed()

    how = {"verifiers": verifiers_of([gate]), "policies": Policies(Policy(max_tail_wait_s=0))}
    async with (
        talking(script, **how) as (base, proxied, _direct, _seen),
        connect(proxied) as client,
    ):
        await client.send(SESSION)
        await client.send(CREATE)
        await until(client, "response.done")
        first = client.response.headers["x-streamguard-id"]
        while not gate.asked:
            await asyncio.sleep(0)
        if when == "heard":
            gate.open()
            assert (await settled(base, first))["state"] == "complete"
            go.set()
        # Once the next has begun, what was in front of it is read.
        while (await result(base, f"0001{first[4:]}", pending=True))[0] == 404:
            await asyncio.sleep(0)
        gate.open()
        after = await settled(base, first)
    assert (after["state"], after["result"]["reasons"][-1]["code"]) == ("partial", "late_text")
    assert after["verifiers"][0]["answered"] > 0


async def test_more_answers_at_once_than_are_checked_pass_unchecked(caplog):
    answers = [realtime_answer(number) for number in range(MAX_ANSWERS + 1)]
    script = after_one(*(begun for begun, *_ in answers), *answers[-1][1:])
    async with talking(script) as (base, proxied, _direct, _seen):
        async with connect(proxied) as client:
            await client.send(CREATE)
            await until(client, "response.done")
            first = client.response.headers["x-streamguard-id"]
        last = await kept(base, first, MAX_ANSWERS - 1)
        assert last["result"]["ended"] in ("client_disconnect", "upstream_error")
        assert (await result(base, f"{MAX_ANSWERS:04x}{first[4:]}"))[0] == 404
        counted = (await ask(base, None, "/streamguard/metrics", "GET")).body.decode()
        assert 'streamguard_skipped_total{reason="limit"} 1' in counted
        assert 'streamguard_limits_reached_total{limit="answers_at_once"} 1' in counted
    (told,) = [each.fields for each in caplog.records if each.message == "limit_reached"]
    assert told == {"id": first, "open": MAX_ANSWERS, "websocket": True}


@pytest.mark.parametrize("cap", ["lanes", "streams", "kept"])
async def test_where_all_is_to_be_checked_a_websocket_ends_with_an_answer_that_is_not(
    cap, monkeypatch, caplog
):
    monkeypatch.setattr(watching, "MAX_ANSWERS", 1 if cap == "lanes" else MAX_ANSWERS)
    settings = {"streams": {"max_open_streams": 1}, "kept": {"max_body_bytes": 10}}.get(cap, {})
    (begun, *said), (second, *_) = realtime_answer(1), realtime_answer(2)

    async def script(socket):
        await socket.recv()
        await say(socket, begun, second)
        with suppress(ConnectionClosed):  # nobody hears the rest
            await say(socket, *said[:-1])
            await socket.wait_closed()

    async with talking(script, require_check=True, **settings) as (base, proxied, _direct, _seen):
        async with connect(proxied) as client:
            await client.send(SESSION)
            first = client.response.headers["x-streamguard-id"]
            with pytest.raises(ConnectionClosed) as closed:
                await until(client, "never")
        assert closed.value.rcvd is None or closed.value.rcvd.code == 1008
        if cap != "kept":  # where the first one would not have been checked
            assert (await settled(base, first))["result"]["ended"] == "limit"
    assert next(e.fields["websocket"] for e in caplog.records if e.message == "limit_reached")


async def test_an_answer_whose_passages_find_no_room_passes_unchecked_and_others_are_checked(
    caplog,
):
    large = {"query": "What does it cost?", "chunks": [RIGHT * 300]}
    async with talking(scripted(realtime_answer(1)), max_context_bytes=100_000) as (base, at, *_):
        made = json.loads((await ask(base, large, "/streamguard/contexts")).body)
        states = []
        for headers in ({"x-streamguard-context": made["id"]}, {}):
            async with connect(at, additional_headers=headers) as client:
                await client.send(SESSION)
                await client.send(CREATE)
                await until(client, "response.done")
                first = client.response.headers["x-streamguard-id"]
                states.append((await settled(base, first))["state"])
        counted = (await ask(base, None, "/streamguard/metrics", "GET")).body.decode()
    assert states == ["skipped", "complete"]
    assert 'streamguard_limits_reached_total{limit="open_context_bytes"} 1' in counted
    (told,) = [each.fields for each in caplog.records if each.message == "limit_reached"]
    assert "hold 100000 bytes of memory, the most" in told["over"]


async def test_where_all_is_to_be_checked_a_websocket_ends_where_passages_find_no_room():
    async def script(socket):
        await socket.recv()
        begun, *said = realtime_answer(1)
        await say(socket, begun)
        with suppress(ConnectionClosed):  # nobody hears the rest
            await say(socket, *said[:-1])
            await socket.wait_closed()

    async with talking(script, require_check=True, max_context_bytes=1_000) as (base, at, *_):
        async with connect(at) as client:
            await client.send(SESSION)
            with pytest.raises(ConnectionClosed) as closed:
                await until(client, "never")
        assert closed.value.rcvd is None or closed.value.rcvd.code == 1008
        counted = (await ask(base, None, "/streamguard/metrics", "GET")).body.decode()
    assert 'streamguard_limits_reached_total{limit="open_context_bytes"} 1' in counted


async def test_what_waits_to_be_read_is_bounded(monkeypatch):
    monkeypatch.setattr(watching, "MAX_WAITING_BYTES", 2_000)
    monkeypatch.setattr(examiner, "MAX_TEXT_CHARS", 500)
    text = "It costs $5. " * 400
    async with (
        talking(scripted(realtime_answer(1, text=text))) as (base, proxied, _d, _seen),
        connect(proxied) as client,
    ):
        await client.send(CREATE)
        got = await until(client, "response.done")
        said = "".join(json.loads(each).get("delta", "") for each in got[:-2])
        assert said == text
        _, found = await result(base, client.response.headers["x-streamguard-id"])
    assert found["result"]["text"]["code_points"] == len(text)


@pytest.mark.parametrize("frame", [b"\x81\x81mask-", b"\x89\x80mask", b"\x81\x80mask"])
async def test_frames_of_nothing_are_decoded_in_turns_and_count(monkeypatch, frame):
    monkeypatch.setattr(watching, "TURN_NS", 1_000)
    monkeypatch.setattr(watching, "MAX_WAITING_BYTES", 10_000)
    turns, most = 0, 0
    next_turn, feed = Turns.next, watching.Watch._feed

    async def counted(self):
        nonlocal turns
        turns += 1
        await next_turn(self)

    async def fed(self, side, data):
        nonlocal most
        place = await feed(self, side, data)
        most = max(most, len(self._waiting))
        return place

    monkeypatch.setattr(Turns, "next", counted)
    monkeypatch.setattr(watching.Watch, "_feed", fed)

    async def script(socket):
        async for _ in socket:
            pass

    async with talking(script) as (_base, proxied, _direct, _seen), connect(proxied) as client:
        sent = frame * 3_000
        client.transport.write(sent)
        await (await client.ping())
    assert turns >= len(sent) // 1_024 - 1
    assert most <= 12_000  # a read's, and what may wait
    assert most == 0 or frame == b"\x81\x81mask-"


@pytest.mark.parametrize(
    ("path", "headers", "settings", "said"),
    [
        ("/v1/realtime", {"x-streamguard": "loud"}, {}, "expected one of"),
        ("/v1/realtime", {"x-streamguard": "off"}, {"require_check": True}, "off is not allowed"),
        ("/v1/live", {}, {"require_check": True}, "cannot be checked"),
        ("/v1/realtime", {"x-streamguard-judge": "1"}, {"judge": "allow"}, "judge is not allowed"),
    ],
)
async def test_a_wish_that_cannot_be_is_refused_before_anybody_is_asked(
    path, headers, settings, said
):
    async with talking(scripted(), path, **settings) as (base, _proxied, _direct, seen):
        refused = await refusal(base, path, additional_headers=headers)
        assert (refused.status_code, said in refused.body.decode(), seen) == (400, True, [])


async def test_an_upstream_that_compresses_passes_unchecked_or_where_all_is_checked_is_refused():
    async with upstream(SWITCHED[:-2] + COMPRESSES + b"\xc1\x01x") as up:
        async with proxy(up.url) as base:
            back = await raw(base, asking("/v1/realtime")[:-2] + COMPRESSES)
        assert b"x-streamguard-skipped: encoding" in back.lower()
        assert back.endswith(b"\r\n\r\n\xc1\x01x")
        assert "sec-websocket-extensions" not in up.requests[0].headers
        async with proxy(up.url, require_check=True) as base:
            refused = await refusal(base)
    assert (refused.status_code, b"it compresses the WebSocket" in refused.body) == (502, True)


async def refusal(base, path="/v1/realtime", **more):
    """Return the answer that is given in place of a WebSocket."""
    with pytest.raises(InvalidStatus) as refused:
        await connect(base.replace("http", "ws") + path, **more)
    return refused.value.response


async def test_what_an_upstream_says_in_place_of_a_websocket_goes_on():
    answer = whole(b'{"error": "no key"}', status="401 No")
    async with upstream(answer) as up, proxy(up.url) as base:
        for path in ("/v1/realtime", "/v1/live"):
            refused = await refusal(base, path)
            assert (refused.status_code, refused.body) == (401, b'{"error": "no key"}')


async def test_an_upstream_that_is_not_there_is_told():
    async with proxy("http://127.0.0.1:9") as base:
        assert (await refusal(base)).status_code == 502
        assert b" 400 " in (await raw(base, asking("*"))).split(b"\r\n")[0]
