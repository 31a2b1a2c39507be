"""Held answers through the doors: proxy and middleware, over sockets and SDKs."""

import asyncio
import json

import openai
import pytest

from streamguard.core.context import Context
from streamguard.core.model.policy import Policy
from streamguard.errors import ConfigError
from streamguard.server.asgi import StreamGuardMiddleware
from streamguard.server.proxy.app import settings_of
from streamguard.server.proxy.turns import Turns
from streamguard.server.relay.held import stricter
from streamguard.server.request_context import Policies
from tests.kit import asgi
from tests.kit.frames import ASKED, CHUNKED, END, PATIENCE_S, chunked, whole
from tests.kit.held_streams import STREAMS
from tests.kit.upstreams import ask, in_pieces, proxy, result, upstream

pytestmark = pytest.mark.asyncio

GOOD = "The Basic plan costs $10 per month. "
WRONG = GOOD + "The Pro plan costs $77 per month. It has five seats."


def holding(on_violation="stop", hold="sentence", **settings):
    given = {"block": ("unsupported_price",), **settings}
    chosen = Policy.preset("moderate", hold=hold, on_violation=on_violation, **given)
    return {"policies": Policies(chosen)}


def pieces(text=WRONG, size=5):
    return [text[at : at + size] for at in range(0, len(text), size)]


CHAT = b"".join(STREAMS["chat"][3](pieces()))


@pytest.mark.parametrize(
    ("on_violation", "expected", "reason"),
    [
        ("stop", GOOD, "content_filter"),
        ("replace", GOOD + "I cannot answer this based on the provided documents.", "stop"),
        ("mask", GOOD + "The Pro plan costs •••. It has five seats.", "stop"),
        ("annotate", WRONG, "stop"),
    ],
)
async def test_the_official_client_reads_a_well_formed_end(on_violation, expected, reason):
    async with (
        upstream(in_pieces(CHAT, 40)) as up,
        proxy(up.url, **holding(on_violation)) as base,
        openai.AsyncOpenAI(api_key="k", base_url=f"{base}/v1", max_retries=0) as client,
    ):
        stream = await client.chat.completions.create(**ASKED)
        async with stream:
            chunks = [chunk async for chunk in stream]
        text = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
        assert text == expected
        assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] in (reason, None)
        assert reason in [c.choices[0].finish_reason for c in chunks if c.choices]
        (annotation,) = [c.streamguard for c in chunks if getattr(c, "streamguard", None)]
        assert (annotation["hold"]["action"] == "none") == (on_violation == "annotate")
        _, stored = await result(base, annotation["id"])
        assert stored["hold"] == annotation["hold"]


async def test_a_stopped_answer_leaves_its_upstream():
    gone = []

    async def script(received, writer):
        writer.write(CHUNKED)
        for part in STREAMS["chat"][3](pieces()):
            writer.write(chunked(part))
        await writer.drain()
        await asyncio.wait_for(received.gone.wait(), 10)
        gone.append(True)

    async with upstream(script) as up, proxy(up.url, **holding()) as base:
        got = await ask(base, ASKED)
        assert b'"content_filter"' in got.body
        assert got.body.endswith(b"data: [DONE]\n\n")
        await asyncio.wait_for(_until(gone), 10)


async def _until(seen):
    while not seen:
        await asyncio.sleep(0.005)


@pytest.mark.parametrize("busy", [False, True])
async def test_text_leaves_while_the_answer_still_streams(monkeypatch, busy):
    if busy:  # every turn is somebody else's when it is asked for

        def take(turns, original=Turns.take):
            original(turns)
            return False

        monkeypatch.setattr(Turns, "take", take)
    go = asyncio.Event()
    parts = STREAMS["chat"][3](pieces(GOOD + "It has five seats."))

    async def script(_received, writer):
        writer.write(CHUNKED)
        for part in parts[:9]:
            writer.write(chunked(part))
        await writer.drain()
        await go.wait()
        for part in parts[9:]:
            writer.write(chunked(part))
        writer.write(END)

    async with (
        asyncio.timeout(PATIENCE_S),
        upstream(script) as up,
        proxy(up.url, **holding()) as base,
        openai.AsyncOpenAI(api_key="k", base_url=f"{base}/v1", max_retries=0) as client,
    ):
        stream = await client.chat.completions.create(**ASKED)
        async with stream:
            first = await anext(aiter(stream))
            assert first.choices[0].delta.content == GOOD[:5]
            go.set()
            rest = [chunk async for chunk in stream]
        assert rest[-1].choices[0].finish_reason == "stop" or rest[-2].choices


async def test_an_answer_in_one_piece_is_changed_and_says_so():
    message = {"role": "assistant", "content": WRONG}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    body = json.dumps({"id": "c", "object": "chat.completion", "choices": [choice]}).encode()
    async with upstream(whole(body)) as up, proxy(up.url, **holding("mask")) as base:
        got = json.loads((await ask(base, {**ASKED, "stream": False})).body)
    assert got["choices"][0]["message"]["content"].count("•••") == 1
    assert got["streamguard"]["hold"]["action"] == "masked"


async def test_a_request_may_ask_for_a_stricter_hold_and_not_for_a_weaker_one():
    own = Policy.preset("moderate", hold="sentence")
    assert stricter(own, "answer").hold == "answer"
    assert stricter(own, "off") is own
    assert stricter(own, None) is own
    async with upstream(in_pieces(CHAT, 99)) as up, proxy(up.url, **holding("replace")) as base:
        got = await ask(base, ASKED, x_streamguard_hold="answer")
        text = STREAMS["chat"][4](got.body)
        assert text == "I cannot answer this based on the provided documents."
        got = await ask(base, ASKED, x_streamguard_hold="off")
        assert "$77" not in STREAMS["chat"][4](got.body)
        assert (await ask(base, ASKED, x_streamguard_hold="never")).status == 400
        assert (await ask(base, ASKED, x_streamguard="off")).status == 400


async def test_another_policy_of_the_server_holds_as_its_own_does():
    own = Policy.preset("moderate", hold="sentence", on_violation="stop", block=("secret",))
    policies = Policies(
        own, {"lenient": Policy.preset("lenient")}, {"faq": Policy.preset("strict")}
    )
    for chosen in (policies.named("lenient"), policies.named(None, "faq")):
        assert (chosen.hold, chosen.on_violation, chosen.block) == ("sentence", "stop", ("secret",))
    answer = Policy.preset("strict", hold="answer")
    assert answer.holding_as(own) is answer


async def test_flags_make_the_policy():
    from streamguard.cli import make_parser

    def settings(*flags):
        args = make_parser("proxy").parse_args(
            ["proxy", "--upstream", "http://127.0.0.1:9", *flags]
        )
        return settings_of(args).policies.default

    chosen = settings("--hold", "sentence", "--block", "secret, unsupported_price")
    assert (chosen.hold, chosen.on_violation) == ("sentence", "stop")
    assert chosen.block == ("secret", "unsupported_price")
    assert chosen.running_packs == ("secrets",)
    assert settings("--hold", "answer").on_violation == "annotate"
    with pytest.raises(ConfigError, match=r"^--hold and --block: on_violation is .stop., which"):
        settings("--block", "secret")
    every = ("secret:aws_access_key", "pii:iban", "unknown_link", "doubtful", "opposite")
    assert settings("--hold", "sentence", "--block", ",".join(every)).block == every


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ("unsuported_price", "did you mean unsupported_price?"),
        ("secrets", "did you mean secret?"),
        ("pii:ibn", "did you mean pii:iban?"),
        ("prices", "expected some of check_error, citation_mismatch, "),
    ],
)
async def test_a_name_that_no_check_reports_cannot_be_blocked(named, told, tmp_path):
    from streamguard.cli import make_parser

    file = tmp_path / "policy.toml"
    file.write_text(f'hold = "sentence"\nblock = ["{named}"]\n')
    start = ["proxy", "--upstream", "http://127.0.0.1:9"]
    for flags in (
        ["--hold", "sentence", "--block", f"secret,{named}"],
        ["--policy", str(file)],
        ["--collection-policy", f"wiki={file}"],
    ):
        with pytest.raises(ConfigError) as refused:
            settings_of(make_parser("proxy").parse_args([*start, *flags]))
        assert f"block holds {named}, which no check reports; {told}" in str(refused.value)


async def test_the_middleware_holds_a_stream_and_ends_it():
    went_on = []

    async def app(scope, receive, send):
        await asgi.start(send)
        for part in STREAMS["chat"][3](pieces()):
            await send({"type": "http.response.body", "body": part, "more_body": True})
            await asyncio.sleep(0)
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        went_on.append(True)

    for on_violation, text in (("stop", GOOD), ("annotate", WRONG)):
        chosen = holding(on_violation)["policies"].default
        context = {
            "query": "What?",
            "chunks": ["The Basic plan costs $10 per month. It has five seats."],
        }
        given = Context(**context)
        guarded = StreamGuardMiddleware(app, context=lambda *_, given=given: given, policy=chosen)
        sent = await asgi.call(guarded, asgi.scope("/v1/chat/completions"))
        assert STREAMS["chat"][4](sent.body) == text
        assert sent.ended
    assert went_on == [True]
