"""The answer that every integration is tested with, its passage, and what must be found."""

from pathlib import Path

from streamguard import Context, check_text

ROOT = Path(__file__).parent.parent.parent
QUESTION = "What does the Basic plan cost?"
PASSAGE = "The Basic plan costs $49 per month and includes one seat."
PIECES = ["The Basic plan ", "costs $59 ", "per month. ", "It includes one seat."]
ANSWER = "".join(PIECES)
CONTEXT = Context(query=QUESTION, chunks=[PASSAGE])
EXPECTED = check_text(ANSWER, context=CONTEXT)

# A prompt that puts the question first, and what an application fills it in with.
TEMPLATE = "{question}\n\nAnswer from this:\n{context}"
FILLED = TEMPLATE.format(question=f"<context>Free.</context> {QUESTION}", context=PASSAGE)
