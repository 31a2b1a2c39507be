"""What the Python probes share: they run a plan and print what a client made of every answer.

Nothing of streamguard is imported here: the interpreter has the client's packages alone.
"""

import asyncio
import gc
import inspect
import json
import sys
import time
import traceback
from dataclasses import dataclass, field

PASSAGES = "Answer from these.\n[C1] The Basic plan costs $10 per month.\n[C2] Pro costs $49."
QUESTION = "What does the Basic plan cost?"
MESSAGES = [{"role": "system", "content": PASSAGES}, {"role": "user", "content": QUESTION}]
PLAN = {"type": "object", "properties": {"plan": {"type": "string"}}}
PRICE = {"type": "function", "function": {"name": "price", "parameters": PLAN}}
# What a request for a scenario asks for, beside its messages.
OPTIONS = {"choices": {"n": 2}, "tools": {"tools": [PRICE]}, "calls": {"tools": [PRICE]},
           "usage": {"stream_options": {"include_usage": True}}}  # fmt: skip
PATIENCE_S = 20.0  # an answer that is not there by then never comes


@dataclass
class Answer:
    """What a client hands on of one answer; texts and finish reasons by choice."""

    text: dict = field(default_factory=dict)
    thought: str = ""
    tool_args: str = ""
    finish_reason: dict = field(default_factory=dict)
    usage: object = None
    annotation: str | None = None
    annotation_chars: int = 0
    live: int = 0
    id: str | None = None
    error: str | None = None

    def said(self, text, choice=0):
        """Add a piece of text."""
        self.text[choice] = self.text.get(choice, "") + (text or "")

    def see(self, found):
        """Take what stands under the key `streamguard`, None where there is none."""
        if found is None:
            return
        if found["object"] == "streamguard.sentence":
            self.live += 1
        else:
            self.annotation = found["id"]
            self.annotation_chars = len(json.dumps(found))

    def see_headers(self, headers):
        """Take the id out of the response's headers."""
        self.id = headers.get("x-streamguard-id")


@dataclass(frozen=True)
class Probe:
    """A client's way to read a protocol.

    `sees` names the forms whose annotation reaches its caller: `own` frame, `attach`ed key, named
    `event`, but for the scenarios that are named `blind`. `last_finish` marks a loop that takes the
    finish reason from the last chunk, whatever it is. `header` is False where it hides the headers.
    `fails` names the scenarios that it cannot read without a proxy either.
    """

    client: str
    protocol: str
    read: object
    sees: tuple = ("own", "attach")
    blind: tuple = ()
    last_finish: bool = False
    header: bool = True
    fails: tuple = ()


def hooks(answer, awaited=False):
    """Return what lets a client of httpx see the headers of its responses."""

    def seen(response):
        answer.see_headers(response.headers)

    async def seen_later(response):
        seen(response)

    return {"response": [seen_later if awaited else seen]}


def read_chunk(chunk, answer):
    """Take a chunk of Chat Completions, as an SDK gives it."""
    answer.see(getattr(chunk, "streamguard", None))
    answer.usage = getattr(chunk, "usage", None) or answer.usage
    for choice in chunk.choices:
        delta = choice.delta
        answer.said(delta.content, choice.index)
        answer.thought += getattr(delta, "reasoning_content", None) or ""
        for call in delta.tool_calls or ():
            answer.tool_args += call.function.arguments or ""
        if choice.finish_reason:
            answer.finish_reason[choice.index] = choice.finish_reason


def read_event(event, answer):
    """Take an event of Responses, as an SDK gives it."""
    kind = getattr(event.type, "value", event.type)
    answer.see(getattr(getattr(event, "response", None), "streamguard", None))
    if kind == "response.output_text.delta":
        answer.see(getattr(event, "streamguard", None))
        answer.said(event.delta)
    elif kind == "response.reasoning_summary_text.delta":
        answer.thought += event.delta
    elif kind == "response.function_call_arguments.delta":
        answer.tool_args += event.delta
    elif kind == "response.completed":
        answer.usage = event.response.usage
        answer.finish_reason[0] = event.response.status
    elif kind == "error":
        answer.error = getattr(event, "message", None) or str(event)


def plain(value):
    """Return a model of an SDK as JSON values without what is None."""
    if hasattr(value, "model_dump"):
        value = value.model_dump(exclude_none=True)
    return json.loads(json.dumps(value, default=vars))


def run(probes):
    """Run the plan on standard input with every probe; print one line of JSON for each answer."""
    plan = json.load(sys.stdin)
    # A stream that a loop left is closed where it is collected, and where that happens inside
    # httpx's pool of connections the pool waits for itself for ever: collect in between, and look
    # at nothing twice.
    gc.disable()
    with asyncio.Runner() as runner:
        for step in plan:
            for probe in probes:
                meant = step["route"] != "event" or "event" in probe.sees
                if probe.protocol in step["protocols"] and meant:
                    print(json.dumps(_answered(probe, step, runner)), flush=True)
                    gc.collect()
                    gc.freeze()


def _answered(probe, step, runner):
    answer, begun = Answer(), time.monotonic()
    try:
        made = probe.read(step, answer)
        if inspect.iscoroutine(made):
            runner.run(asyncio.wait_for(made, PATIENCE_S))
    except Exception as error:
        answer.error = f"{type(error).__name__}: {str(error)[:200]}"
        if not step["model"].startswith("error"):
            traceback.print_exc()
    shown = {name: getattr(answer, name) for name in Answer.__dataclass_fields__}
    shown |= {"usage": plain(shown["usage"]), "took_s": time.monotonic() - begun}
    head = {name: getattr(probe, name) for name in Probe.__dataclass_fields__ if name != "read"}
    return {**head, "route": step["route"], "model": step["model"], **shown}
