"""`judge=` in every door, and `--judge` on the command line."""

import argparse
import json

import pytest

from streamguard import Judge, Policy, check_text, guard, guard_sync
from streamguard.cli import main
from streamguard.core.context import Context
from streamguard.errors import ConfigError
from streamguard.server.asgi import StreamGuardMiddleware
from streamguard.server.proxy.app import settings_of
from streamguard.server.proxy.config import add_arguments
from streamguard.server.request_context import Policies
from streamguard.server.results.result_store import ResultStore
from streamguard.verify.judge import as_judge, judge_reader
from streamguard.verify.specs import named_judge, named_verifiers
from tests.integrations.services import service
from tests.kit import asgi
from tests.kit.frames import ASKED, CHUNKED, DONE, END, answer, chunked, usage, whole
from tests.kit.upstreams import ask, proxy, upstream

CONTEXT = Context(query="What does Basic cost?", chunks=["The Basic plan costs $10 per month."])
ANSWER = "The Basic plan costs $12 per month."
ENTRY = {
    "id": "S1", "verdict": "contradicted", "confidence": 0.96,
    "quotes": ["The Basic plan costs $10 per month"],
}  # fmt: skip
SAID = {"choices": [{"message": {"content": json.dumps({"verdicts": [ENTRY]})}}]}
STREAM = answer(ANSWER) + usage() + DONE
OPINION = "Passage 1 says: “The Basic plan costs $10 per month”"


@pytest.fixture
def judging():
    """A judge's server, and the string that names it."""
    with service(v1__chat__completions=(200, SAID)) as known:
        known.name = f"m@{known.base}/v1"
        yield known


def opinion_of(result):
    (sentence,) = [one for one in result.sentences if one.opinions]
    (opinion,) = sentence.opinions
    assert opinion.verifier == "judge m v2"
    return opinion.message


def test_a_finished_answer_is_judged_by_a_string_or_a_judge(judging):
    for judge in (judging.name, Judge(f"{judging.base}/v1", "m", "sk-own")):
        assert opinion_of(check_text(ANSWER, context=CONTEXT, judge=judge)) == OPINION
    assert [one.headers["authorization"] for one in judging.sent] == [None, "Bearer sk-own"]


def test_one_judge_remembers_over_answers(judging):
    for _ in range(2):
        assert opinion_of(check_text(ANSWER, context=CONTEXT, judge=judging.name)) == OPINION
    assert len(judging.sent) == 1


@pytest.mark.anyio
async def test_a_stream_is_judged(judging):
    async def pieces():
        for word in ANSWER.split(" "):
            yield word + " "

    async with guard(pieces(), context=CONTEXT, judge=judging.name) as stream:
        assert [item async for item in stream.items()] == [f"{w} " for w in ANSWER.split(" ")]
    assert opinion_of(stream.result) == OPINION


def test_a_plain_stream_is_judged(judging):
    with guard_sync(iter([ANSWER]), context=CONTEXT, judge=judging.name) as stream:
        assert list(stream.items()) == [ANSWER]
    assert opinion_of(stream.result) == OPINION


@pytest.mark.asyncio
async def test_the_middleware_judges(judging):
    store = ResultStore()
    app = StreamGuardMiddleware(
        asgi.saying([b"data: " + json.dumps(ANSWER).encode() + b"\n\n", b""]),
        context=lambda scope, body: CONTEXT,
        store=store,
        judge=judging.name,
    )
    sent = await asgi.call(app, asgi.scope())
    (sentence,) = store.get(sent.id).result.sentences  # the store keeps no words
    assert sentence.opinions[0].contradiction == 0.96


async def streams(_received, writer):
    writer.write(CHUNKED + chunked(STREAM) + END)
    await writer.drain()


@pytest.mark.asyncio
@pytest.mark.parametrize(("wish", "judged"), [({}, 1), ({"x_streamguard_judge": "0"}, 0)])
async def test_the_proxy_asks_the_judge_that_it_names_unless_a_request_says_no(
    judging, wish, judged
):
    named = Judge(f"{judging.base}/v1", "m")
    async with (
        upstream(streams) as up,
        proxy(up.url, judge="named", named_judge=named) as base,
    ):
        got = await ask(base, ASKED, **wish)
    assert len(got.annotations[0]["verifiers"]) == len(judging.sent) == judged


def held(answer, **settings):
    block = ("contradicted_claim",)
    chosen = Policy.preset("moderate", on_violation="stop", block=block, **settings)
    return {"policies": Policies(chosen), **answer}


@pytest.mark.asyncio
@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("hold", [{"hold": "answer"}, {"hold": "sentence", "hold_judge_s": 9.0}])
async def test_a_held_answer_waits_in_the_proxy_for_the_judges_word(judging, hold, stream):
    named = Judge(f"{judging.base}/v1", "m")
    message = {"role": "assistant", "content": ANSWER}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    body = json.dumps({"id": "c", "object": "chat.completion", "choices": [choice]}).encode()
    async with (
        upstream(streams if stream else whole(body)) as up,
        proxy(up.url, **held({"judge": "named", "named_judge": named}, **hold)) as base,
    ):
        got = await ask(base, {**ASKED, "stream": stream})
    told = got.annotations[0] if stream else json.loads(got.body)["streamguard"]
    assert (told["state"], told["hold"]["action"]) == ("complete", "stopped")
    assert [one["flag"] for one in told["hold"]["blocked"]] == ["contradicted_claim"]


WRONG = [
    ("gpt-4o-mini", "judge is 'gpt-4o-mini', expected MODEL@URL, as in gpt-4o-mini@https://"),
    ("@http://x/v1", "expected MODEL@URL"),
    (5, "judge is a int, expected MODEL@URL"),
    ("m@localhost:1", "lacks http:// or https://, as in m@http://localhost:1"),
    ("m@", "expected MODEL@URL"),
    ("m@ftp://x", "expected MODEL@URL"),
    ("m@http://", "the judge's address is 'http://', expected http:// or https:// and a host"),
    ("m@http://me:pass@x", "the judge's address holds a user or password"),
    ("  @http://x", "the judge's model is '  ', expected a model's name"),
]


@pytest.mark.parametrize(("judge", "error"), WRONG)
def test_what_names_no_judge_is_refused_at_construction(judge, error):
    for door in (
        lambda: check_text(ANSWER, context=CONTEXT, judge=judge),
        lambda: guard_sync(iter([ANSWER]), judge=judge),
        lambda: StreamGuardMiddleware(None, judge=judge),
    ):
        with pytest.raises(ConfigError) as raised:
            door()
        assert error in str(raised.value)
        assert "pass@" not in str(raised.value)


def test_a_setting_that_is_none_is_refused():
    for setting, value, error in (
        ("timeout_s", 0, "timeout_s is 0, expected a number of seconds above 0"),
        ("share", 2, "share is 2, expected more than 0 and at most 1"),
        ("max_requests", 0, "max_requests is 0, expected a whole number of at least 1"),
        ("concurrency", 1.5, "concurrency is 1.5, expected a whole number"),
        ("tokens_per_minute", -1, "tokens_per_minute is -1, expected a whole number"),
    ):
        with pytest.raises(ConfigError, match=error):
            Judge("http://x", "m", **{setting: value})


def test_a_judge_is_split_at_its_last_address_and_shows_no_key():
    judge = as_judge("me@http://a@https://x/v1")
    assert (judge.model, judge.url, judge.key) == ("me@http://a", "https://x/v1", None)
    assert as_judge(judge) is judge
    keyed = Judge("https://x/v1", "m", "sk-own")
    assert "sk-own" not in repr(keyed) + keyed.notice
    assert judge_reader(keyed) is judge_reader(Judge("https://x/v1", "m", "sk-own"))


OPENAI = {"OPENAI_API_KEY": "sk-open"}
BASE = {"OPENAI_BASE_URL": "http://own:8000/v1"}
JUDGES = [
    ("m", OPENAI, "https://api.openai.com/v1", "sk-open"),
    ("m", OPENAI | BASE, "http://own:8000/v1", "sk-open"),
    ("m", BASE, "http://own:8000/v1", None),
    ("m", BASE | {"STREAMGUARD_JUDGE_KEY": "sk-j"}, "http://own:8000/v1", "sk-j"),
    ("m@http://other/v1", OPENAI | BASE, "http://other/v1", None),
    ("m@https://api.openai.com/v1", OPENAI, "https://api.openai.com/v1", "sk-open"),
]


@pytest.mark.parametrize(("spec", "environ", "url", "key"), JUDGES)
def test_the_environment_says_on_the_command_line_whom_to_ask(spec, environ, url, key):
    judge = named_judge(spec, environ)
    assert (judge.model, judge.url, judge.key) == ("m", url, key)


def test_a_models_name_alone_is_refused_where_nothing_says_whom_to_ask():
    for spec, environ in (("m", {}), ("", OPENAI), ("m@", OPENAI)):
        with pytest.raises(ConfigError, match="OPENAI_BASE_URL or OPENAI_API_KEY says whom to ask"):
            named_judge(spec, environ)


def test_check_says_where_the_words_go(judging, tmp_path, capsys):
    (tmp_path / "answer.txt").write_text(ANSWER)
    (tmp_path / "chunks.json").write_text(json.dumps(["The Basic plan costs $10 per month."]))
    files = [str(tmp_path / "answer.txt"), "--chunks", str(tmp_path / "chunks.json")]
    main(["check", *files, "--judge", judging.name, "--json"])
    told = capsys.readouterr()
    assert told.err.startswith(f"passages and answers are sent to {judging.base}/v1, whose model m")
    assert OPINION in json.dumps(json.loads(told.out), ensure_ascii=False)
    assert main(["check", *files, "--judge", "off"]) == 20
    assert not capsys.readouterr().err
    (reader,) = named_verifiers([f"judge:{judging.name}"], {})
    assert reader.notice == told.err.strip()


def test_the_proxys_flag_names_a_judge(monkeypatch):
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    given = ["--upstream", "http://x", "--judge", "m@http://y/v1", "--judge-share", ".5"]
    settings = settings_of(parser.parse_args(given))
    assert (settings.judge, settings.named_judge) == ("named", Judge("http://y/v1", "m", share=0.5))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ConfigError, match="judge is 'm', expected MODEL@URL"):
        settings_of(parser.parse_args([*given[:2], "--judge", "m"]))


def test_an_annotation_waits_longer_for_a_judge():
    assert Policy().tail_wait_s(judge=False) == 2.0
    assert Policy().tail_wait_s(judge=True) == 10.0
    assert Policy(max_tail_wait_s=0.5).tail_wait_s(judge=True) == 0.5
