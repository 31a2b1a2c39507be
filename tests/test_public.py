"""What people type at a prompt: names, help, presets by name, passages in any shape."""

import inspect
import json
import pydoc
import subprocess
import sys
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType

import pytest
from pydantic import ValidationError

import streamguard
from streamguard import (
    DEFAULT_CHECKS,
    PATTERN_CHECKS,
    Checks,
    Context,
    GuardrailsInput,
    Policy,
    Retrieval,
    RetrievedChunk,
    StreamGuard,
    check_text,
    guard_sync,
    hallucination_markers,
    is_refusal,
    validate,
)
from streamguard.core.machine.choices import ChoiceGuards
from streamguard.errors import ConfigError
from streamguard.rag.gate import assess
from streamguard.rag.prompts import build_prompt
from streamguard.server.asgi import StreamGuardMiddleware, contexts_app
from streamguard.server.store import ContextStore
from streamguard.text.patterns import compile_all, lazy_re, lazy_regex

PASSAGE = "The Basic plan costs $49 per month."
ANSWER = "The Basic plan costs $59 per month. It has no setup fee."


# --- names


def test_every_public_name_is_there_and_listed():
    assert streamguard.__all__ == sorted(streamguard.__all__, key=_as_ruff_sorts)
    for name in streamguard.__all__:
        assert getattr(streamguard, name) is not None
    assert set(streamguard.__all__) <= set(dir(streamguard))
    with pytest.raises(AttributeError, match="has no attribute 'gaurd'"):
        _ = streamguard.gaurd


def _as_ruff_sorts(name):
    return (not name.isupper(), not name[0].isupper(), name)


def test_help_shows_no_address_and_no_inner_module():
    for name in streamguard.__all__:
        shown = pydoc.plaintext.document(getattr(streamguard, name), name)
        assert " at 0x" not in shown, name
        public = getattr(streamguard, name)
        if callable(public):
            signature = str(inspect.signature(public))
            assert "streamguard." not in signature.replace("'streamguard.", "")
            assert "FieldInfo" not in signature
    assert (repr(DEFAULT_CHECKS), repr(PATTERN_CHECKS)) == ("DEFAULT_CHECKS", "PATTERN_CHECKS")
    mine = Checks((ord,), at_close=(partial(ord),))  # by its name, and by its type's
    assert repr(mine) == "Checks([ord], at_close=[partial], verdicts=True)"
    assert "refusal_phrases=..." in str(inspect.signature(Policy))


# --- what an import loads

LOADING = """
import re, sys
compiled, make = [], re.compile
def counted(source, flags=0):
    module = sys._getframe(1).f_globals["__name__"]  # a path holds any word: where it was cloned
    if module.partition(".")[0] == "streamguard" and isinstance(source, str):
        compiled.append(source)
    return make(source, flags)
re.compile = counted
def loaded(*names):
    return sorted({*names} & set(sys.modules))
import streamguard
assert loaded("streamguard.integrations") == []
assert loaded("pydantic", "anyio", "asyncio", "aiohttp", "regex", "openai", "rich") == []
from streamguard.cli import main
try:
    main(["--help"])
except SystemExit:
    assert loaded("pydantic", "anyio", "aiohttp", "regex") == []
compiled.clear()
from streamguard import Context, check_text
assert loaded("asyncio", "anyio", "aiohttp", "streamguard.examiner", "streamguard.verify") == []
assert loaded("statistics", "streamguard.prompt.passages", "streamguard.wire") == []
from streamguard import *
assert loaded("aiohttp", "regex", "openai", "rich", "uvloop", "babel") == []
assert compiled == []
from streamguard.core.model.types import Model, build_models
def built(model):
    below = [one for each in model.__subclasses__() for one in built(each)]
    return [model.__pydantic_complete__, *below]
assert not any(built(Model))
build_models()
assert all(built(Model))
check_text("It costs $5.", context=Context(chunks=["It costs $4."]))
assert compiled
"""


def test_an_import_a_help_page_and_all_names_load_no_more_than_they_need():
    shown = subprocess.run([sys.executable, "-c", LOADING], capture_output=True, text=True)
    assert (shown.returncode, shown.stderr) == (0, "")


def test_a_pattern_is_compiled_when_it_is_used_or_ahead_and_only_once():
    sound = lazy_re("a+")
    assert sound.search("baa").span() == (1, 3)
    assert sound.search is sound.search
    assert sound.pattern == "a+"
    assert lazy_re("a+") is sound
    assert lazy_regex(r"\p{Lu}").search("aB").start() == 1
    with pytest.raises(AttributeError):
        _ = sound.__wrapped__
    compile_all()
    later = lazy_re("b")
    assert "search" not in vars(later)
    compile_all()
    assert "search" in vars(later)


# --- a policy by its name


def test_a_presets_name_stands_for_it_wherever_a_policy_does():
    context = Context(query="What does Basic cost?", chunks=[PASSAGE], citations_requested=True)
    strict, lenient = Policy.preset("strict"), Policy.preset("lenient")
    asked = {"context": context, "policy": "strict"}
    expected = check_text(ANSWER, context=context, policy=strict)
    assert expected.policy == "strict"
    assert check_text(ANSWER, **asked) == expected
    with guard_sync(iter([ANSWER]), **asked) as stream:
        *_, annotation = stream
    assert annotation.result == expected
    assert StreamGuard(context, "strict").policy == strict
    guards = ChoiceGuards(context, "strict")
    guards.feed({0: ANSWER})
    assert guards.close("0" * 32, "complete").result == expected
    given = GuardrailsInput(answer_text=ANSWER, retrieved_chunks=[PASSAGE])
    assert validate(given, policy="strict") == validate(given, policy=strict)
    assert is_refusal("I cannot say.", "literal")
    retrieval = assess([RetrievedChunk(PASSAGE, distance=0.4)], "lenient")
    assert retrieval == assess([RetrievedChunk(PASSAGE, distance=0.4)], lenient)
    prompts = [build_prompt("Cost?", retrieval, policy) for policy in ("lenient", lenient)]
    assert prompts[0] == prompts[1]
    assert Policy().allowed_names == ()  # no product is excused by default
    assert Policy.preset("literal").allowed_names == ("Clearpath", "Clearpath Assistant")


def test_another_policy_is_told_what_is_allowed():
    async def app(scope, receive, send):
        raise AssertionError

    for wrong in ("severe", 3):
        for call in (
            lambda wrong: check_text(ANSWER, policy=wrong),
            lambda wrong: guard_sync([ANSWER], policy=wrong),
            lambda wrong: StreamGuardMiddleware(app, policy=wrong),
            lambda wrong: contexts_app(ContextStore(), policy=wrong),
        ):
            with pytest.raises(ConfigError, match=r"expected .*one of strict, moderate, lenient"):
                call(wrong)


# --- passages in any shape


@dataclass
class LangChainDocument:
    page_content: str
    metadata: dict
    id: str | None = None


@dataclass
class HaystackDocument:
    content: str | None
    id: str = "h"
    meta: dict = field(default_factory=dict)
    score: float | None = None


@dataclass
class LlamaIndexNode:
    text: str
    score: float | None = 0.8
    node_id: str = "n"
    metadata: dict = field(default_factory=dict)

    def get_content(self):
        return self.text


@pytest.mark.parametrize(
    ("given", "chunk"),
    [
        (PASSAGE, RetrievedChunk(PASSAGE)),
        ({"id": 7, "content": PASSAGE}, RetrievedChunk(PASSAGE, id="7")),
        ({"text": PASSAGE, "source": "s.md", "distance": 0.3, "page": 2},
         RetrievedChunk(PASSAGE, source="s.md", distance=0.3, metadata={"page": 2})),
        ({"page_content": PASSAGE, "metadata": {"source": "s.md"}, "similarity": 0.9},
         RetrievedChunk(PASSAGE, source="s.md", similarity=0.9, metadata={"source": "s.md"})),
        (MappingProxyType({"text": PASSAGE, "id": 1, "source": Path("a/b.md")}),
         RetrievedChunk(PASSAGE, id="1", source="a/b.md")),
        (RetrievedChunk(PASSAGE, id=5, source=7), RetrievedChunk(PASSAGE, id="5", source="7")),
        (LangChainDocument(PASSAGE, None), RetrievedChunk(PASSAGE)),
        (LangChainDocument(PASSAGE, {"title": "Prices"}, "l"),
         RetrievedChunk(PASSAGE, id="l", source="Prices", metadata={"title": "Prices"})),
        (HaystackDocument(PASSAGE, meta={"file_path": "p.md"}, score=0.7),
         RetrievedChunk(PASSAGE, id="h", source="p.md", similarity=0.7,
         metadata={"file_path": "p.md"})),
        (LlamaIndexNode(PASSAGE), RetrievedChunk(PASSAGE, id="n", similarity=0.8)),
    ],
)  # fmt: skip
def test_a_passage_may_be_given_as_it_is_at_hand(given, chunk):
    assert Context(chunks=[given]).chunks == (chunk,)
    assert Context(retrieval=Retrieval(chunks=(given,))).chunks == (chunk,)
    model = GuardrailsInput(answer_text=ANSWER, retrieved_chunks=[given])
    assert model.retrieved_chunks == (chunk,)
    assert hallucination_markers(ANSWER, [given]).numbers == ("$59 per month",)


@pytest.mark.parametrize(
    ("chunks", "words"),
    [
        ([3], "chunks\\[0\\] is a int, expected RetrievedChunk, str, a dict with"),
        ([PASSAGE, {}], "chunks\\[1\\] is a dict with no key, expected one with \"text\""),
        ([{"id": "a", "body": "b"}], "chunks\\[0\\] is a dict with body, id, expected one"),
        ([{"text": "a", "id": 1.5}], "chunks\\[0\\].id is a float, expected a str, a number"),
        ([(LangChainDocument(PASSAGE, {}), 0.3)], "chunks\\[0\\] is a tuple, expected"),
        ({"text": PASSAGE}, "chunks is one dict, expected a sequence"),
        (PASSAGE, "chunks is one str, expected a sequence"),
        (3, "chunks is one int, expected a sequence"),
    ],
)  # fmt: skip
def test_anything_else_is_named(chunks, words):
    with pytest.raises(ConfigError, match=words):
        Context(chunks=chunks)
    with pytest.raises(ValidationError, match=words):
        GuardrailsInput(answer_text=ANSWER, retrieved_chunks=chunks)


def test_an_answer_that_is_no_text_is_named():
    with pytest.raises(ConfigError, match="answer is a NoneType, expected a str"):
        check_text(None)


# --- values as plain data


def test_values_say_themselves_as_the_results_json_does():
    chunks = [{"id": "a", "text": PASSAGE}]
    context = Context(query="What does Basic cost?", chunks=chunks)
    kept = []

    def keep(sentence, scope):
        kept.append(sentence)
        return ()

    checks = DEFAULT_CHECKS.plus(keep)
    result = check_text(ANSWER + " It is $49, I'm not sure.", context=context, checks=checks)
    written = json.loads(result.model_dump_json())
    assert result.to_dict() == written
    for name in ("reasons", "findings", "sentences", "banners"):
        values = getattr(result, name)
        assert values, name
        assert [value.to_dict() for value in values] == written[name]
        assert [value.model_dump() for value in values] == written[name]
    for name in ("scores", "refusal", "text", "work"):
        assert getattr(result, name).to_dict() == written[name]
    assert kept[0].to_dict() == {
        "index": 0, "start": 0, "end": 35, "text": ANSWER[:35], "kind": "prose", "is_claim": True,
    }  # fmt: skip
    assert kept[0].model_dump() == kept[0].to_dict()
