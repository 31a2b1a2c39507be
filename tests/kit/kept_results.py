"""A results database of some answers, for tests of what is read from it."""

import asyncio
import time
import zlib

from streamguard import Context, Retrieval, RetrievedChunk
from streamguard.core.machine.choices import ChoiceGuards
from streamguard.sinks.sql.database import migrate, open_engine
from streamguard.sinks.sql.records import About, FeedbackRecord, Record, keywords_of
from streamguard.sinks.sql.writing import write_feedback, write_records

DAY_MS = 86_400_000
PASSAGE = "The Basic plan costs $10 per month. It includes one seat. [C1]"
RIGHT = "The Basic plan costs $10 per month [C1]."
WRONG = "The Basic plan costs $12 per month [C1]. It includes one seat [C1]."
REFUSAL = "I don't have enough information in the provided documents to answer that."


def id_of(number):
    return f"{number:032x}"


def record(
    number, question="What does the Basic plan cost?", text=RIGHT, *, ago=0, words=True, **about
):
    """Return what is written of one answer, made `ago` days ago; refusals had no passage."""
    chunks = [] if text == REFUSAL else [RetrievedChunk(PASSAGE, id="plans")]
    level = "insufficient" if text == REFUSAL else "high"
    retrieval = Retrieval(tuple(chunks), bool(chunks), level, len(chunks), len(chunks))
    guards = ChoiceGuards(Context(query=question, chunks=chunks, retrieval=retrieval))
    guards.feed({0: text})
    annotation = guards.close(id_of(number))
    known = {
        "model": "small",
        "collection": "plans",
        "keywords": keywords_of(question),
        "question": question,
        "sentences": tuple(
            (0, at, text[one.start : one.end]) for at, one in enumerate(annotation.result.sentences)
        ),
        "request_ms": 1.0,
        "tail_ms": 2.0,
    }
    if not words:
        annotation = annotation.without_text()
        known |= {"question": None, "sentences": ()}
    about = About(created_ms=int(time.time() * 1000) - ago * DAY_MS, **known | about)
    return Record(about, zlib.compress(annotation.to_json().encode()))


def given(number, label, sentence=None, comment=None):
    return FeedbackRecord(id_of(number), label, sentence, comment)


def fill(url, records, marks=()):
    """Write records and marks into the database of a URL."""

    async def run():
        engine = open_engine(url)
        try:
            await migrate(engine)
            await write_records(engine, records)
            await write_feedback(engine, marks)
        finally:
            await engine.dispose()

    asyncio.run(run())


def sample():
    """Return records and marks of every kind."""
    records = [record(number, ago=number % 5) for number in range(20)]
    records += [record(100 + n, text=WRONG, model="large", ago=1) for n in range(6)]
    for number, question in enumerate(
        ["How do I export an invoice?", "Can I export invoices as PDF?", "Invoice export to Excel?"]
        + ["Where is the parking garage?"] * 2
    ):
        records.append(record(200 + number, question, REFUSAL, collection="guides"))
    records.append(record(300, ago=400))
    marks = [given(100, "down"), given(101, "was_supported", 0, "page 3"), given(102, "down", 0)]
    marks += [given(1, "up"), given(200, "refusal_wrong"), given(7, "down")]
    return records, marks
