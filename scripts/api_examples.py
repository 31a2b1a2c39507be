"""One example for each public name: docs/reference/api.md shows them, the tests run that page."""

import asyncio
import json

# --- DEFAULT_CHECKS
from streamguard import DEFAULT_CHECKS, PATTERN_CHECKS, Context, check_text

context = Context(query="What does it cost?", chunks=["It costs $49 per month."])
assert check_text("It costs $59.", context=context, checks=DEFAULT_CHECKS).status == "REFUSE"

# --- PATTERN_CHECKS
result = check_text("It costs $59.", context=context, checks=PATTERN_CHECKS)
assert result.flags == ("potential_hallucination",)
assert result.status is None  # no claims, no coverage, no scores

# --- Annotation
from streamguard import Annotation, guard_sync

with guard_sync(iter(["It costs ", "$49 per month."]), context=context) as stream:
    *pieces, last = stream
assert isinstance(last, Annotation)
assert last.state == "complete" and last.result.status == "PASS"
assert json.loads(last.to_json())["object"] == "streamguard.result"

# --- Answer
from streamguard import Answer, Finding


def too_short(answer: Answer, scope):
    if len(answer.sentences) < 2:
        yield Finding(
            "too_short", "too_short", "info", None, None, None, None, "One sentence only."
        )


checks = DEFAULT_CHECKS.plus(at_close=[too_short])
assert "too_short" in check_text("It costs $49.", context=context, checks=checks).flags

# --- Budget
from streamguard import Budget, Score, Scorer


def reads(sentences, scope):  # a model's opinion of some claims of one answer
    return [Score(support=0.9) for sentence in sentences]


frugal = Scorer(reads, budget=Budget(0.01, per_sentence=0.01, unit="USD"))
answer = "It costs $49 per month. It is sold per month."
found = check_text(answer, context=context, scorers=[frugal])
assert sum(len(sentence.opinions) for sentence in found.sentences) == 1

# --- Checks
from streamguard import Checks

only_mine = Checks(at_close=(too_short,), verdicts=False)
assert check_text("It costs $49.", context=context, checks=only_mine).flags == ("too_short",)

# --- Claim
from streamguard import Claim, StreamGuard

context.prepare()  # else claims wait for a few pieces, until the index is there
machine = StreamGuard(context)
machine.feed("It costs $49 per month. And")
claim: Claim = machine.claims()[0]
machine.score(claim.id, Score(support=0.97, scorer="mine", calibrated=True))
assert machine.close().sentences[0].scored_by == ("fast", "mine")

# --- Context
context = Context(
    query="What does it cost?",
    chunks=[
        "A plain string.",
        {"id": "prices", "text": "It costs $49 per month.", "source": "prices.md"},
    ],
)
assert [chunk.id for chunk in context.chunks] == [None, "prices"]
assert Context(prompt_context="[C1] One. [C2] Two.").chunks[0].id == "C1"

# --- Finding
finding = check_text("It costs $59 per month.", context=context).findings[0]
assert (finding.flag, finding.value) == ("potential_hallucination", "$59 per month")
assert finding.nearest.chunk_id == "prices"
assert finding.to_dict()["nearest"]["value"] == "$49 per month"

# --- GuardedStream
from streamguard import GuardedStream, guard


async def model():
    for piece in ["It costs ", "$49 per month."]:
        yield piece


async def read(stream: GuardedStream[str]) -> str:
    async with stream:
        said = [piece async for piece in stream.items()]
    assert stream.result.status == "PASS"
    return "".join(said)


assert asyncio.run(read(guard(model(), context=context))) == "It costs $49 per month."

# --- GuardrailsInput
from streamguard import GuardrailsInput, validate

given = GuardrailsInput(
    answer_text="It costs $49 per month [C1].",
    retrieved_chunks=["It costs $49 per month."],
    citations=["C1"],
)
assert validate(given).status == "PASS"

# --- GuardrailsResult
from streamguard import GuardrailsResult

result: GuardrailsResult = check_text("It costs $59 per month.", context=context)
assert result.status == "REFUSE" and result.reasons[0].code == "all_wrong"
assert result.to_dict()["status"] == "REFUSE"
assert result.without_text().findings[0].value is None

# --- Judge
from streamguard import Judge

judge = Judge("https://api.openai.com/v1", "gpt-4o-mini", "sk-...", tokens_per_minute=200_000)
assert "sk-" not in repr(judge)
print("Every door takes it:", judge.notice)

# --- LateContext
from streamguard import LateContext

late = LateContext()
with guard_sync(iter(["It costs ", "$59 per month."]), context=late) as stream:
    for number, piece in enumerate(stream.items()):
        if number == 0:  # retrieval has come back
            late.give(context)
assert stream.result.status == "REFUSE"

# --- NearUnit
from streamguard import NearUnit

unit: NearUnit = claim.nearest()[0]
assert "$49 per month" in unit.place.value

# --- Policy
from streamguard import Policy

mine = Policy.preset("strict", name="ours", allowed_names=("Acme Cloud",))
assert check_text("Acme Cloud costs $49.", context=context, policy=mine).policy == "ours"

# --- Quotation
from streamguard import Quotation

words = Quotation("$49", "prices", 9, 12)

# --- Retrieval
from streamguard import Retrieval, RetrievedChunk

retrieval = Retrieval(
    chunks=(RetrievedChunk("It costs $49 per month."),),
    is_answerable=True,
    confidence_level="high",
    raw_count=5,
    filtered_count=1,
)
report = check_text("It costs $49.", context=Context(retrieval=retrieval)).retrieval
assert report.confidence_level == "high"

# --- RetrievedChunk
chunk = RetrievedChunk("It costs $49.", id="prices", source="prices.md", distance=0.31)
assert Context(chunks=[chunk]).chunks == (chunk,)

# --- SSEDecoder
from streamguard import SSEDecoder

decoder = SSEDecoder()
events = [*decoder.feed(b"data: Hel"), *decoder.feed(b"lo\n\n"), *decoder.close()]
assert [event.data for event in events] == ["Hello"]

# --- SSEEvent
from streamguard import SSEEvent

event: SSEEvent = events[0]
assert (event.event, event.data) == ("message", "Hello")
assert event.raw == b"data: Hello\n\n"  # the bytes as they came

# --- Scope
from streamguard import Scope, Sentence


def says_so_again(sentence: Sentence, scope: Scope):
    if any(earlier.text == sentence.text for earlier in scope.earlier):
        yield sentence.finding(
            "repeated", None, check="says_so_again", severity="info", message="Said before."
        )


repeats = DEFAULT_CHECKS.plus(says_so_again)
assert "repeated" in check_text("It is so. It is so.", context=context, checks=repeats).flags

# --- Score
doubts = Score(contradiction=0.97, message="The passage says $49.")
wrong = check_text(
    "It costs $59 per month.", context=context, scorers=[lambda claims, scope: [doubts]]
)
assert wrong.sentences[0].opinions[0].message == "The passage says $49."

# --- Scorer
reader = Scorer(reads, name="reader", batch=4, timeout_s=5.0)
with guard_sync(iter(["It costs $49 per month."]), context=context, scorers=[reader]) as stream:
    list(stream.items())
assert stream.final().result.sentences[0].opinions[0].verifier == "reader"
assert stream.final().verifiers[0].answered == 1

# --- Segmenter
from streamguard import Segmenter

segmenter = Segmenter()
text = "Dr. Lee paid $4.50. She left."
spans = [*segmenter.feed(text[:9]), *segmenter.feed(text[9:]), *segmenter.close()]
assert [text[start:end] for start, end in spans] == ["Dr. Lee paid $4.50.", "She left."]

# --- Sentence
seen = []


def look(sentence: Sentence, scope: Scope):
    seen.append((sentence.text, sentence.is_claim, [value.text for value in sentence.anchors]))
    return ()


check_text("It costs $49 per month.", context=context, checks=DEFAULT_CHECKS.plus(look))
assert seen == [("It costs $49 per month.", True, ["$49 per month"])]

# --- SentenceAnnotation
from streamguard import SentenceAnnotation

with guard_sync(iter(["It costs $59. ", "It is new."]), context=context, live=True) as stream:
    live = [item for item in stream if isinstance(item, SentenceAnnotation)]
assert [item.index for item in live] == [0, 1]
assert live[0].findings[0].value == "$59"

# --- StreamGuard
machine = StreamGuard(context, policy="moderate")
found = [finding for piece in ["It costs $5", "9. Yes."] for finding in machine.feed(piece)]
assert machine.close().findings[: len(found)] == tuple(found)

# --- SyncGuardedStream
from streamguard import SyncGuardedStream

stream: SyncGuardedStream[str] = guard_sync(iter(["It costs $49."]), context=context)
with stream:
    assert list(stream.items()) == ["It costs $49."]
assert stream.annotation.id == stream.id

# --- Verdict
from streamguard import Verdict

assert Verdict is Score

# --- Verifier
from streamguard import Verifier

assert Verifier is Scorer

# --- __version__
import streamguard

assert streamguard.__version__.count(".") == 2

# --- check_text
result = check_text("It costs $59 per month.", context=context, policy="strict")
assert result.status == "REFUSE"

# --- guard
findings = []


async def main():
    async with guard(model(), context=context, on_finding=findings.append) as stream:
        async for piece in stream.items():
            print(piece, end="")
    return stream.result


assert asyncio.run(main()).status == "PASS"
assert findings == []

# --- guard_sync
with guard_sync(iter(["It costs ", "$59."]), context=context) as stream:
    for piece in stream.items():
        print(piece, end="")
assert stream.result.status == "REFUSE"

# --- hallucination_markers
from streamguard import hallucination_markers

markers = hallucination_markers("John Smith paid $5 on 3 May 2024.", ["Jane Doe paid $4."])
assert markers.names == ("John Smith",) and markers.numbers == ("$5",)

# --- is_refusal
from streamguard import is_refusal

assert is_refusal("I'm sorry, but I don't have information about that.")
assert not is_refusal("The hall holds 300 people.")

# --- jsonl_sink
from pathlib import Path
from tempfile import TemporaryDirectory

from streamguard import jsonl_sink

with TemporaryDirectory() as folder:
    file = Path(folder) / "results.jsonl"
    with guard_sync(iter(["It costs $49."]), context=context, sinks=[jsonl_sink(file)]) as stream:
        list(stream.items())
    assert json.loads(file.read_text())["result"]["status"] == "PASS"

# --- refusal_message
from streamguard import refusal_message

assert "prices" in refusal_message("prices")
assert is_refusal(refusal_message())

# --- semantic_similarity
from streamguard import semantic_similarity


def embed(texts):  # any function from texts to vectors: an embedding model's
    return [[float("cost" in text), 1.0] for text in texts]


assert semantic_similarity("It costs $49.", ["It costs $49 per month."], embed) > 0.99

# --- validate
assert validate(given, policy="moderate").total_claims == 1
