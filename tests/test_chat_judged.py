"""What a judge says of an answer's sentences reaches the chat page as it comes."""

import asyncio
import json

import pytest

from streamguard.core.context import Context
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.model.types import Quotation, RetrievedChunk, Verdict
from streamguard.server.chat.frames import UTF16Spans
from streamguard.verify.judge import judge_by
from tests.kit.chatting import chatting, folder_store, say


def judge(asked, wait=None):
    async def post(body):
        asked.set()
        if wait is not None:
            await wait.wait()
        sentences = json.loads(body["messages"][1]["content"])["sentences"]
        entries = [
            {
                "id": one["id"],
                "verdict": "supported",
                "confidence": 0.9,
                "quotes": [" ".join(one["text"].split("[")[0].split()[:8])],
            }
            for one in sentences
        ]
        content = json.dumps({"verdicts": entries})
        return 200, json.dumps({"choices": [{"message": {"content": content}}]}).encode()

    return judge_by(post, "m")


@pytest.mark.asyncio
async def test_a_judges_words_come_with_their_sentence_and_quotation_before_the_final_verdict():
    store = folder_store()
    async with chatting(store, verifiers=[judge(asyncio.Event())]) as base:
        said = await say(base, "How many vacation days do employees get?")
    judged = [frame for frame in said.frames if frame["type"] == "judged"]
    assert judged
    assert said.kinds[-1] == "result"
    final = said.frames[-1]["annotation"]
    assert final["state"] == "complete"
    passages = {one["id"]: one["text"] for one in said.one("retrieval")["passages"]}
    units = said.text.encode("utf-16-le")
    spans = {(one["start"], one["end"]) for one in final["result"]["sentences"]}
    for one in judged:
        assert one["verifier"] == "judge m v2"
        assert (one["word"], one["confidence"]) == ("supported", 0.9)
        assert (one["start"], one["end"]) in spans
        sentence = units[2 * one["start"] : 2 * one["end"]].decode("utf-16-le")
        (place,) = one["quotations"]
        assert place["value"] in sentence
        assert passages[place["chunk_id"]][place["start"] : place["end"]] == place["value"]


@pytest.mark.asyncio
async def test_a_page_that_leaves_while_a_judge_is_asked_harms_nobody():
    store, asked, never = folder_store(), asyncio.Event(), asyncio.Event()
    async with chatting(store, verifiers=[judge(asked, never)]) as base:
        task = asyncio.create_task(say(base, "How many vacation days do employees get?"))
        async with asyncio.timeout(20):
            await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        never.set()
        assert (await say(base, "Hello!")).status == 200


def test_places_count_as_browsers_do():
    answer, passage = "🚲 It is free. 🚲 Bikes cost €5.", "🚲🚲 Bikes cost €5 a day."
    guard = StreamGuard(Context(chunks=[RetrievedChunk(passage, id="p")]))
    guard.feed(answer)
    guard.close()
    sentence = guard.claims()[-1].sentence
    spans = UTF16Spans([RetrievedChunk(passage, id="p")])
    spans.add(answer)
    at = passage.index("Bikes")
    quotation = Quotation("Bikes cost €5", "p", at, at + 13)
    verdict = Verdict(word="supported", confidence=0.9, quotations=(quotation,))
    frame = json.loads(spans.judged_frame("judge", sentence, verdict).removeprefix(b"data: "))
    units = answer.encode("utf-16-le")[2 * frame["start"] : 2 * frame["end"]]
    assert units.decode("utf-16-le") == sentence.text
    (place,) = frame["quotations"]
    quoted = passage.encode("utf-16-le")[2 * place["start"] : 2 * place["end"]]
    assert quoted.decode("utf-16-le") == "Bikes cost €5"
