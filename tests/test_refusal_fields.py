"""What models say in `refusal`, which readers are shown as an answer, is read as one."""

import json

import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import ResponseRefusalDeltaEvent

from streamguard import Context, check_text, guard_sync
from streamguard.audit.logged import read_row
from streamguard.wire.dialects import of_answer
from streamguard.wire.websocket.conversations import AnswerPiece, ResponsesConversation
from tests.kit.frames import DONE, PATH
from tests.kit.streams import pieces as cut
from tests.test_doors import ASKED, CHUNKS, SERVERS
from tests.test_unread import SSE, Shown, events, in_json, judged

CONTEXT = Context(query="What does Basic cost?", chunks=CHUNKS)
WRONG = "I cannot help. The Basic plan costs $99 per month."
RESULT = check_text(WRONG, context=CONTEXT)


def chunk(finish=None, **delta):
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [choice]}  # fmt: skip


CHUNKS_OF_CHAT = [
    chunk(role="assistant", content="", refusal=None),
    *(chunk(refusal=piece) for piece in cut(WRONG)),
    chunk("stop"),
]
MESSAGE = {"role": "assistant", "content": None, "refusal": WRONG}
WHOLE = {"id": "c", "object": "chat.completion", "created": 1, "model": "m",
         "choices": [{"index": 0, "message": MESSAGE, "finish_reason": "stop"}]}  # fmt: skip
AT = {"item_id": "i", "output_index": 0, "content_index": 0}
PART = {"type": "refusal", "refusal": WRONG}
ITEM = {"type": "message", "id": "i", "role": "assistant", "status": "completed", "content": [PART]}
RESPONSE = {"id": "r", "object": "response", "status": "completed", "output": [ITEM]}
DELTAS = [
    {"type": "response.refusal.delta", "delta": piece, "sequence_number": number, **AT}
    for number, piece in enumerate(cut(WRONG))
]
COMPLETED = {"type": "response.completed", "response": RESPONSE}
TOLD = [
    *DELTAS,
    {"type": "response.refusal.done", "refusal": WRONG, **AT},
    {"type": "response.content_part.done", "part": PART, **AT},
    {"type": "response.output_item.done", "item": ITEM, "output_index": 0},
    COMPLETED,
]
IN_PARTS = [chunk(content=[PART]), chunk("stop")]
ANSWERS = {
    "chunks": Shown(SSE, [*events(CHUNKS_OF_CHAT), DONE], PATH),
    "parts": Shown(SSE, [*events(IN_PARTS), DONE], PATH),
    "completion": in_json(WHOLE),
    "deltas": Shown(SSE, events(TOLD), "/v1/responses"),
    "done": Shown(SSE, events(TOLD[-4:]), "/v1/responses"),
    "completed": Shown(SSE, events([COMPLETED]), "/v1/responses"),
    "response": in_json(RESPONSE, "/v1/responses"),
}


@pytest.mark.asyncio
@SERVERS
@pytest.mark.parametrize("shape", ANSWERS)
async def test_a_claim_in_a_refusal_is_judged_at_every_door(door, shape):
    stored, _ = await judged(door, ANSWERS[shape])
    found = stored["result"]
    assert (found["status"], found["refusal"]["extent"]) == (RESULT.status, RESULT.refusal.extent)
    spans = [(each["start"], each["end"]) for each in found["findings"]]
    assert spans == [(each.start, each.end) for each in RESULT.findings]
    assert found["text"]["code_points"] == len(WRONG)


def of_chat(items):
    return [ChatCompletionChunk.model_validate(each) for each in items]


MESSAGES = [{"type": "AIMessageChunk", "content": [PART]}]
KEPT = [{"type": "AIMessageChunk", "content": "", "additional_kwargs": {"refusal": WRONG}}]
ITEMS = {
    "dicts": CHUNKS_OF_CHAT,
    "chunks": of_chat(CHUNKS_OF_CHAT),
    "the SDK's helper": [{"type": "chunk", "chunk": each} for each in of_chat(CHUNKS_OF_CHAT)],
    "responses": TOLD,
    "response objects": [*map(ResponseRefusalDeltaEvent.model_validate, DELTAS), COMPLETED],
    "agents": [{"type": "raw_response_event", "data": each} for each in TOLD],
    "langchain": MESSAGES,
    "langchain's kept": KEPT,
}


@pytest.mark.parametrize("shape", ITEMS)
def test_a_refusal_in_items_of_every_kind_has_the_result_of_its_text(shape):
    with guard_sync(ITEMS[shape], context=CONTEXT) as stream:
        list(stream)
    assert (stream.result.findings, stream.result.refusal) == (RESULT.findings, RESULT.refusal)
    assert stream.result.status == RESULT.status


def test_a_refusal_behind_some_content_follows_it_in_streams_and_whole_answers():
    answer = of_answer(PATH, WHOLE)
    both = {**MESSAGE, "content": "Well. "}
    assert answer.answer(WHOLE) == answer.text_of(WHOLE) == {0: WRONG}
    assert answer.text_of({"choices": [{"message": both}]}) == {0: f"Well. {WRONG}"}
    with guard_sync([chunk(content="Well. "), *CHUNKS_OF_CHAT], context=CONTEXT) as stream:
        list(stream)
    expected = check_text(f"Well. {WRONG}", context=CONTEXT)
    assert stream.result.findings == expected.findings


def test_a_refusal_over_a_websocket_is_an_answers_text_once():
    conversation = ResponsesConversation(10_000)
    conversation.sent({"type": "response.create", "input": "?"}, 40)
    told = [{"type": "response.created", "response": {"id": "r"}}, *TOLD]
    steps = [step for event in told for step in conversation.received(event)]
    assert "".join(step.text for step in steps if isinstance(step, AnswerPiece)) == WRONG
    assert (steps[-1].text, steps[-1].unread) == ("", False)


def test_a_sdks_whole_answer_and_a_logged_one_are_read_alike():
    whole = ChatCompletion.model_validate(WHOLE)
    assert of_answer(PATH, WHOLE).text_of(whole) == {0: WRONG}
    for logged in (MESSAGE, WHOLE, RESPONSE, json.dumps(WHOLE)):
        assert read_row({"request": ASKED, "response": logged}).texts == {0: WRONG}
    assert read_row({"messages": [{"role": "user", "content": "?"}, MESSAGE]}).texts == {0: WRONG}
