"""A secret that an answer holds stands in none of the places where answers are kept or logged."""

import json
import logging

import pytest

from streamguard import Policy, guard_sync
from streamguard.core.context import Context
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.model.result import SentenceAnnotation
from streamguard.core.packs import masking
from streamguard.core.packs.masking import looks_for_sensitive, masked
from streamguard.server.asgi import StreamGuardMiddleware
from streamguard.server.request_context import Policies
from streamguard.server.results.result_store import ResultStore
from streamguard.server.results.shared import SharedResults, SharedSettings
from streamguard.sinks.jsonl import jsonl_sink
from tests.kit.asgi import call, saying, scope
from tests.kit.frames import ASKED, DONE, answer
from tests.kit.upstreams import PATH, ask, proxy, upstream
from tests.test_replay import in_pieces, rows_in
from tests.test_results_shared import kept

# GitHub's own example, the card of a test gateway, and an address at a reserved name.
TOKEN = "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"
CARD = "4111 1111 1111 1111"
EMAIL = "ann.lee@corp.example"
TEXT = f"The token is {TOKEN}. 🔑 Pay $12 with {CARD} or ask {EMAIL} for $77. It includes a seat. "
MASKED = ["The token is [SECRET].", "Pay $12 with [CARD] or ask [EMAIL] for $77."]
POLICY = Policy.preset("moderate", packs=("secrets", "pii"))
CONTEXT = Context(query="What does Basic cost?", chunks=["Basic costs $12 a month."])


def holds_none(text):
    return not any(part in text for part in (TOKEN, TOKEN[10:30], CARD, CARD[:9], EMAIL, "ann.lee"))


def result_of(text, policy=POLICY):
    told = StreamGuard(CONTEXT, policy)
    told.feed(text)
    return told.close()


@pytest.mark.asyncio
async def test_stored_text_has_placeholders_and_the_database_no_byte_of_a_secret(tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    settings = SharedSettings(f"sqlite:///{tmp_path}/results.db", tmp_path / "spool")
    store = ResultStore(store_text=True, shared=SharedResults(settings))
    app = StreamGuardMiddleware(saying([answer(TEXT) + DONE]), store=store, policy=POLICY)
    try:
        sent = await call(app, scope("/v1/chat/completions"), json.dumps(ASKED).encode())
        found = await kept(settings, sent.id)
    finally:
        await store.aclose()
    words = " ".join(sentence["text"] for sentence in found["sentences"])
    assert all(each in words for each in MASKED)
    assert "includes a seat" in words
    assert holds_none(json.dumps(found, default=str))
    for path in [*tmp_path.glob("results.db*"), *tmp_path.glob("spool/**/*.seg")]:
        assert holds_none(path.read_bytes().decode("latin-1"))
    assert holds_none(caplog.text)
    assert holds_none(" ".join(str(record.__dict__) for record in caplog.records))


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("hold", "on_violation"),
    [("off", "annotate"), ("sentence", "mask"), ("sentence", "stop"), ("answer", "replace")],
)
async def test_a_recording_keeps_the_pieces_with_placeholders_in_them(tmp_path, hold, on_violation):
    settings = {"hold": hold, "on_violation": on_violation, "block": ("secret",)}
    policies = Policies(Policy.preset("moderate", packs=("secrets", "pii"), **settings))
    async with (
        upstream(in_pieces(answer(TEXT) + DONE, 20)) as up,
        proxy(up.url, record=tmp_path, policies=policies) as base,
    ):
        await ask(base, ASKED, PATH)
    (row,) = rows_in(tmp_path)
    assert all(each in row["answer"] for each in MASKED)
    assert "".join(text for _, text in row["pieces"]) == row["answer"]
    assert holds_none(json.dumps(row))


def test_neither_live_annotations_nor_a_file_of_results_hold_it(tmp_path):
    path = tmp_path / "results.jsonl"
    sinks = [jsonl_sink(path, store_text=True)]
    with guard_sync([TEXT], context=CONTEXT, policy=POLICY, live=True, sinks=sinks) as stream:
        told = [item for item in stream if isinstance(item, SentenceAnnotation)]
    assert len(told) >= 3
    assert all(holds_none(each.to_json()) for each in told)
    assert holds_none(path.read_text())
    assert "$77" in path.read_text()


def test_text_without_matches_is_kept_as_it_is():
    pieces = ["It includes ", "a seat. "]
    assert masked(pieces, result_of("".join(pieces)), POLICY) == pieces
    assert masked(pieces, None, Policy()) == pieces
    assert masked([], None, POLICY) == []


def test_every_piece_keeps_its_place_whatever_the_pieces_are():
    result = result_of(TEXT)
    whole = "".join(masked([TEXT], result, POLICY))
    for size in (1, 2, 7, 50):
        pieces = [TEXT[at : at + size] for at in range(0, len(TEXT), size)]
        shown = masked(pieces, result, POLICY)
        assert len(shown) == len(pieces)
        assert "".join(shown) == whole
    assert holds_none(whole)


def test_halves_of_a_character_in_two_pieces_shift_no_placeholder():
    before, after = TEXT.split("🔑")
    pieces = [before + "\ud83d", "\udd11" + after]
    assert masked(pieces, result_of(TEXT), POLICY) == [*masked([TEXT], result_of(TEXT)), ""]


def test_what_was_not_looked_at_is_hidden_as_a_whole():
    assert masked([TEXT, TEXT], None, POLICY) == ["[HIDDEN]", ""]
    short = result_of("It includes a seat. ")
    shown = masked(["It includes a seat. ", TEXT], short, POLICY)
    assert shown == ["It includes a seat.[HIDDEN]", ""]
    none = result_of("")
    assert masked([TEXT], none, POLICY) == ["[HIDDEN]"]
    assert looks_for_sensitive(Policy.preset("moderate", packs=("pii:iban",)))
    assert not looks_for_sensitive(Policy.preset("moderate", packs=("links",)))


def test_behind_the_last_listed_finding_everything_is_hidden(monkeypatch):
    monkeypatch.setattr("streamguard.core.machine.ledger.MAX_FINDINGS", 1)
    text = f"The token is {TOKEN}. Or pay with {CARD}."
    (shown,) = masked([text], result_of(text), POLICY)
    assert shown == "The token is [SECRET][HIDDEN]"


def test_of_two_matches_in_one_place_both_are_hidden():
    spans = [(5, 9, "[B]"), (0, 7, "[A]"), (1, 3, "[C]")]
    assert list(masking._disjoint(spans)) == [(0, 7, "[A]"), (7, 9, "[B]")]
