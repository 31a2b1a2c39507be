"""The filter as Open WebUI runs it: the file's text as a module, its methods by name."""

import asyncio
import inspect
import types

import pytest

from streamguard import Context, Policy, RetrievedChunk, check_text
from streamguard.core.model.policy import PRESETS
from tests.integrations.cases import ANSWER, FILLED, PASSAGE, PIECES, QUESTION, ROOT, TEMPLATE

SOURCE = ROOT / "streamguard" / "integrations" / "open_webui.py"
SOURCES = [{"source": {"name": "plans.md"}, "document": [PASSAGE], "metadata": [{}]}]
METADATA = {"chat_id": "c-1", "message_id": "m-1"}


@pytest.fixture
def pasted():
    module = types.ModuleType("function_streamguard")
    exec(compile(SOURCE.read_text(encoding="utf-8"), "function", "exec"), module.__dict__)
    return module.Filter()


def call(method, **given):
    """Call a method with those arguments that it names, and await what is to be awaited."""
    named = inspect.signature(method).parameters
    outcome = method(**{name: value for name, value in given.items() if name in named})
    return asyncio.run(outcome) if inspect.isawaitable(outcome) else outcome


def run(pasted, *, sources=None, prompt=QUESTION, events=(), answer=ANSWER):
    """Run one chat turn; return what was emitted."""
    emitted = []

    async def emit(event):
        emitted.append(event)

    more = {"__metadata__": METADATA, "__event_emitter__": emit, "__user__": {"id": "u"}}
    asked = {"model": "m", "messages": [{"role": "user", "content": prompt}]}
    assert call(pasted.inlet, body=asked, **more) is asked
    for event in events:
        assert call(pasted.stream, event=event, **more) is event
    said = {"role": "assistant", "content": answer, **({"sources": sources} if sources else {})}
    messages = [{"role": "user", "content": QUESTION}, said]
    body = {"chat_id": "c-1", "id": "m-1", "messages": messages}
    before = repr(body)
    assert call(pasted.outlet, body=body, **more) is body
    assert repr(body) == before
    assert all(event["type"] == "status" and event["data"]["done"] for event in emitted)
    return [event["data"]["description"] for event in emitted]


def told(result):
    verdict = f"streamguard: {result.status}. {result.reasons[0].message}"
    findings = [finding.message for finding in result.findings]
    return [verdict, *(message for message in findings if message not in verdict)]


def test_an_administrator_declares_the_template(pasted):
    pasted.valves.context_template = TEMPLATE
    expected = told(check_text(ANSWER, context=Context(query=QUESTION, chunks=[PASSAGE])))
    assert run(pasted, prompt=FILLED) == expected


def test_an_answer_is_judged_against_its_sources(pasted):
    chunk = RetrievedChunk(PASSAGE, source="plans.md")
    expected = check_text(ANSWER, context=Context(query=QUESTION, chunks=[chunk]))
    lines = run(pasted, sources=SOURCES)
    assert lines == told(expected)
    assert lines[0].startswith("streamguard: WARN")
    assert "says “$49 per month”" in lines[0]


def test_a_source_in_several_parts_is_one_passage_as_in_its_citations(pasted):
    parts = [{"source": {"name": "a"}, "document": ["One.", "Two."]}, *SOURCES]
    lines = run(pasted, sources=parts, answer=f"{PASSAGE} [2]")
    assert lines[0].startswith("streamguard: PASS")


def test_the_verdict_of_a_proxy_is_shown_in_place_of_its_own(pasted):
    annotation = {"result": {"status": "REFUSE", "reasons": [{"message": "So."}], "findings": []}}
    events = [{"choices": [{"delta": {"content": piece}}]} for piece in PIECES]
    lines = run(pasted, events=[*events, {"choices": [], "streamguard": annotation}])
    assert lines == ["streamguard: REFUSE. So."]


def test_every_policy_is_a_valve(pasted):
    allowed = pasted.Valves.model_json_schema()["properties"]["policy"]["enum"]
    assert [Policy.preset(name).name for name in allowed] == allowed
    assert set(allowed) == set(PRESETS)


def test_without_sources_the_passages_of_the_prompt_count_and_without_an_answer_nothing(pasted):
    lines = run(pasted, prompt=f"[C1] {PASSAGE}\n\nQuestion: {QUESTION}")
    assert "says “$49 per month” (C1)" in lines[0]
    assert run(pasted, sources=SOURCES, answer="") == []


ASIDE = '<details type="reasoning" done="true">\n<summary>Thought</summary>\n$9?\n</details>\n'


@pytest.mark.parametrize(("content", "said"), [
    (ASIDE + ANSWER, ANSWER),
    (ASIDE + "One. " + ASIDE.replace("reasoning", "tool_calls") + ANSWER, "One. " + ANSWER),
    (ANSWER + '\n<details type="reasoning">not closed', None),
    ("<details><summary>More</summary>" + ANSWER + "</details>", None),
])  # fmt: skip
def test_what_a_model_thought_is_no_part_of_its_answer(pasted, content, said):
    chunk = RetrievedChunk(PASSAGE, source="plans.md")
    expected = check_text(said or content, context=Context(query=QUESTION, chunks=[chunk]))
    assert run(pasted, sources=SOURCES, answer=content) == told(expected)
