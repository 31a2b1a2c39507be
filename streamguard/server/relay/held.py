"""Held answers: frames go to the relay once their text has been checked.

The relay after it reads frames and places the annotation as usual: it gets only released frames,
and a `Checking` that examines nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import monotonic
from typing import Any, cast

from streamguard.core.machine.holding import Hold
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import Annotation, SentenceAnnotation
from streamguard.core.model.types import Ended
from streamguard.errors import DecodeError
from streamguard.holder import Holder
from streamguard.server.relay.checking import Checking
from streamguard.server.relay.json_answer import (
    MAX_ANSWER_BYTES,
    UNKNOWN_JSON,
    JSONAnswer,
    JSONRelay,
    examine_answer,
    of_value,
    value_in_turns,
)
from streamguard.server.relay.opening import Opening
from streamguard.server.relay.relay import MAX_HELD_BYTES, completed
from streamguard.wire import dialects
from streamguard.wire.bounds import FrameLimitError
from streamguard.wire.codecs.sse import SSEEvent
from streamguard.wire.dialect import Dialect, Form
from streamguard.wire.endings import ENDINGS, Ending
from streamguard.wire.frame_editor import FrameEditor
from streamguard.wire.reader import OVER_SIZE
from streamguard.wire.rewriting import scrubbed, with_texts

KEEP_ALIVE_S = 15.0  # between comments while a whole answer is held; guess, half of usual limits
KEEP_ALIVE = b": held until it is checked\n\n"
# Sent in place of a complete answer that cannot be read, if nothing may pass unchecked.
_REFUSED = json.dumps(
    {"error": {"message": "the answer could not be checked", "code": "not_checked"}}
).encode()
_STRICTER: Mapping[Hold, int] = {"off": 0, "sentence": 1, "answer": 2}


def _refuses(policy: Policy) -> bool:
    """Return whether unreadable frames must not leave."""
    return policy.hold_fails == "closed" and policy.on_violation != "annotate"


def stricter(policy: Policy, hold: Hold | None) -> Policy:
    """Return the policy with the request's hold, if that is stricter."""
    if hold is None or _STRICTER[hold] <= _STRICTER[policy.hold]:
        return policy
    return policy.model_copy(update={"hold": hold})


class SilentChecking:
    """Replaces an answer's `Checking` in a relay whose frames are already examined."""

    due = full = hurries = False

    def __init__(self, checking: Checking) -> None:
        object.__setattr__(self, "_checking", checking)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._checking, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._checking, name, value)

    def take(self, choice: int, texts: Sequence[str]) -> None:
        """Do nothing: the text was examined."""

    def take_texts(self, texts: Mapping[int, str]) -> None:
        """Do nothing: the text was examined."""

    def note_late(self) -> None:
        """Do nothing: late text was noted already, and unreadable frames were reported."""

    def report(self, check: str, error: Exception) -> None:
        """Do nothing: it was reported."""

    def report_limit(self, message: str) -> None:
        """Do nothing: it was reported."""

    def turn(self) -> bool:
        """Do nothing: there is nothing to examine."""
        return True

    def close(self, ended: Ended) -> Annotation:
        """Return the annotation of the examined text."""
        annotation: Annotation | None = self._checking.annotation
        return annotation or cast("Annotation", self._checking.close(ended))


class HeldStream:
    """Relays a held stream; it is used like an `Opening`.

    `over`: the answer was stopped, so the upstream need not be read any more.
    """

    full = blocked = False

    def __init__(
        self,
        path: str,
        content_type: str,
        headers: Mapping[str, str],
        checking: Checking,
        form: Form | None,
        text: str | None = None,
        now: Callable[[], float] = monotonic,
    ) -> None:
        silent = cast("Checking", SilentChecking(checking))
        self._relay = Opening(path, content_type, headers, silent, form, text)
        self._path, self._content_type, self._headers = path, content_type, headers
        self._text = text
        self._checking = checking
        self._now = now
        self._begun = b""  # until it is known which protocol it is
        self._judged = False  # all text: anything that comes now is late
        self._gone = False  # no reader is left
        self._refuses = _refuses(checking.policy)
        self._waiting_bytes = 0
        self._parts = bytearray()  # of an unfinished frame over the cap
        self._let_go = False  # of such a frame a part has left
        self._last: list[SSEEvent] = []
        self.over = False
        self._editor: FrameEditor | None = None
        self._holder: Holder[SSEEvent] = _holder(checking, self._conclude, FrameEditor(None))
        if (found := dialects.of_stream(path, content_type, headers)) is not None:
            self._read_as(found)

    @property
    def adds(self) -> bool:
        """Whether anything may be inserted into the stream or removed from it."""
        return True

    @property
    def may_add(self) -> bool:
        """Return True: bytes may still follow the upstream's last."""
        return True

    @property
    def due(self) -> bool:
        """Whether `turn` has text to examine."""
        return self._checking.due

    @property
    def held(self) -> bool:
        """Whether frames may leave now: `read` returns them."""
        return bool(self._last)

    @property
    def leaves(self) -> bool:
        """Whether frames may leave now."""
        return bool(self._last)

    @property
    def holds(self) -> bool:
        """Whether frames wait, so that `settle` must be called after their time limit."""
        return self._holder.waits

    @property
    def patience_s(self) -> float:
        """The seconds from now for which frames may wait before `settle`."""
        until = self._holder.until
        return KEEP_ALIVE_S if until is None else max(0.0, until - self._now())

    def receive(self, chunk: bytes) -> bytes:
        """Queue the bytes of one read; none pass on before they are examined."""
        if self._editor is None:
            self._begun += chunk
            if self._content_type == dialects.TEXT_TYPE:
                if len(self._begun) < dialects.KIND_BYTES:
                    return b""
                self._read_as(dialects.of_text(self._path, self._begun, self._headers))
            else:
                empty, first = dialects.first_frame(self._begun, self._content_type)
                silent, self._begun = self._begun[:empty], self._begun[empty:]
                if first is None and len(self._begun) <= MAX_HELD_BYTES:
                    return self._relay.receive(silent) if silent else b""
                self._begun = silent + self._begun
                self._read_as(dialects.by_first_frame(first or "", self._content_type))
            chunk, self._begun = self._begun, b""
        self._take(self._decoder.feed(chunk))
        return b""

    def keep(self) -> bool:
        """Return True: all received bytes must be read."""
        return True

    def turn(self) -> None:
        """Examine some of the text, for about a millisecond."""
        self._checking.turn()
        self._leave()

    def sentence_frames(self) -> bytes:
        """Return nothing: the relay after it sends sentences, with the released text."""
        return b""

    async def read(self) -> bytes:
        """Return the released bytes; after the protocol's end the complete answer is judged."""
        self._leave()
        if self._editor is not None and self._reader.done and not (self._judged or self.over):
            self._judged = True
            await self._checking.conclude(self._ended, waits_s=self._waits_s)
            self.over = self._holder.stopped
        last, self._last = self._last, []
        return await self._on(last)

    async def settle(self) -> bytes:
        """Return frames whose time limit is over, or a comment that keeps the connection alive."""
        out = await self.read()
        if out or self._content_type != dialects.EVENT_STREAM:
            return out
        return KEEP_ALIVE

    async def finish(self) -> bytes:
        """Handle the upstream's orderly end; return the last bytes."""
        self._take_rest()
        out = await self.read()
        if not self._holder.stopped:
            await self._checking.conclude(self._ended, waits_s=self._waits_s)
        else:
            self._checking.close("blocked")
        out += await self.read()
        return out + await self._relay.finish()

    async def conclude(self) -> None:
        """Close the rest of the answer."""
        await self._relay.conclude()

    def rest(self) -> bytes:
        """Return the bytes of a broken-off stream that may still leave."""
        self._take_rest()
        self._checking.close("upstream_error")
        last, self._last = self._last, []
        return self._relay.receive(b"".join(event.raw for event in last)) + self._relay.rest()

    async def catch_up(self) -> None:
        """Check in turns the text so far, before `abandon`."""
        self._gone = True
        await self._checking.catch_up()

    def abandon(self, ended: Ended) -> None:
        """Handle a stream that broke off, or whose client left."""
        self._gone = True
        self._checking.close(ended)
        self._relay.abandon(ended)

    @property
    def _waits_s(self) -> float:
        """The seconds for which the answer's end waits for a judge's score."""
        policy = self._checking.policy
        return self._checking.tail_wait_s if policy.hold == "answer" else policy.hold_judge_s

    @property
    def _ended(self) -> Ended:
        if self._editor is None:
            return "complete"
        reader = self._reader
        complete = (reader.ended or reader.open_ended) and not (reader.broken or reader.failed)
        return "complete" if complete else "upstream_error"

    def _read_as(self, dialect: Dialect) -> None:
        """Read the stream with this dialect from now on."""
        self._decoder, self._reader = dialect.decoder(), dialect.reader()
        self._reader.find_at(self._text)
        self._editor = self._holder.editor = FrameEditor(dialect, self._text)
        self._checking.dialect = dialect.name

    def _take(self, events: Sequence[SSEEvent]) -> None:
        """Read frames and hold them until their text is examined."""
        for event in filter(None, map(self._joined, events)):
            is_read, texts = self._read(event)
            if self._refuses and not is_read:
                self._checking.report_unread("a frame of it could not be read, and ended it")
                self._holder.refuse()  # neither it nor anything after it leaves
                return
            if self._judged and texts and self._checking.policy.on_violation != "annotate":
                self._checking.note_late()  # it is unchecked, so it does not leave
                continue
            self._checking.take_texts(texts)
            own = None if self._editor is None else self._editor.texts_of(event)
            self._holder.add(event, texts if own is None else own, self._now())
            self._bound(event)

    def _joined(self, event: SSEEvent) -> SSEEvent | None:
        """Return a frame over the limit joined from its parts; None while more are expected.

        A frame larger than a complete answer may be passes unread, in parts.
        """
        if not (event.part or self._parts or self._let_go):
            return event
        self._parts += event.raw
        if event.part and len(self._parts) <= MAX_ANSWER_BYTES:
            return None
        raw = bytes(self._parts)
        self._parts.clear()
        if event.part or self._let_go:
            self._let_go = event.part
            return SSEEvent(raw, truncated=True)
        return replace(event, raw=raw, begun=False)

    def _read(self, event: SSEEvent) -> tuple[bool, Mapping[int, str]]:
        """Return whether a frame was completely readable, and its text."""
        checking, texts = self._checking, dict[int, str]()
        was_unread, is_read = self._reader.unread, not event.truncated
        if not is_read:
            checking.report_limit(OVER_SIZE)
        try:
            texts.update(checking.read(self._reader, event))
        except FrameLimitError as exc:
            checking.report_limit(str(exc))
            is_read = False
        except DecodeError as exc:
            checking.report("wire", exc)
            is_read = False
        except Exception as exc:  # fail open: a defect of ours must not end the stream
            checking.fail("wire", exc)
            is_read = False
        return is_read and (was_unread or not self._reader.unread), texts

    def _bound(self, event: SSEEvent) -> None:
        """Enforce the limit on held data, which is that of a complete answer."""
        self._waiting_bytes += len(event.raw)
        if self._waiting_bytes > MAX_ANSWER_BYTES:
            self._checking.report_limit(f"held frames of more than {MAX_ANSWER_BYTES} bytes")
            self._holder.stop_holding()
            self._waiting_bytes = 0

    def _take_rest(self) -> None:
        if self._editor is None:
            first = dialects.of_text(self._path, self._begun, self._headers)
            is_text = self._content_type == dialects.TEXT_TYPE
            self._read_as(first if is_text else dialects.by_first_frame("", self._content_type))
            self._take(self._decoder.feed(self._begun))
            self._begun = b""
        left = self._decoder.close()
        completed_last = (completed(self._decoder, self._reader, last) for last in left)
        self._take([one or last for one, last in zip(completed_last, left, strict=True)])
        if self._parts:  # it ended within such a frame, and no byte is left of that
            self._take([SSEEvent(b"", truncated=True)])
        rest = self._reader.rest()
        self._checking.take_texts(rest)
        if self._decoder.halfway:
            self._checking.report_limit(OVER_SIZE)
        if self._reader.unread:
            self._checking.report_unread("its frames hold text where none was looked for")

    def _leave(self) -> None:
        self._last += self._holder.leave(self._now())
        if not self._holder.waits:
            self._waiting_bytes = 0
        self.over = self.over or self._holder.stopped

    async def _on(self, events: Sequence[SSEEvent]) -> bytes:
        """Pass frames to the relay after it; return the bytes to send."""
        raw = b"".join(event.raw for event in events)
        if not raw:
            return b""
        return self._relay.receive(raw) + await self._relay.read()

    def _conclude(self, annotation: Annotation) -> Annotation:
        """Release frames by the verdict; return the annotation with the hold's report."""
        if not self._gone:
            self._last += self._holder.finish(annotation)
        return annotation.model_copy(update={"hold": self._holder.report()})


class HeldJSON(JSONRelay):
    """Relays one JSON answer that is held until it is checked."""

    patience_s = KEEP_ALIVE_S
    over = False

    def __init__(
        self,
        path: str,
        checking: Checking,
        form: Form | None,
        max_bytes: int,
        text: str | None = None,
    ) -> None:
        silent = cast("Checking", SilentChecking(checking))
        super().__init__(path, silent, form, max_bytes, text)
        self.adds = self.may_add = True
        self._real = checking
        self._received: bytearray | None = bytearray()  # None once it is too long to be held
        self._most = max_bytes
        self._value: Any = None
        self._changed: bytes | None = None
        self._read: JSONAnswer | None = None
        self._refuses = _refuses(checking.policy)

    def receive(self, chunk: bytes) -> bytes:
        """Queue the bytes of one read; none pass on before all are examined.

        An answer over the limit passes unchecked, or is stopped if that is forbidden.
        """
        if self._received is None:
            return b"" if self.over else chunk
        self._received += chunk
        if len(self._received) <= self._most:
            return b""
        self._real.report_limit(f"an answer of more than {self._most} bytes")
        came, self._received, self.over = bytes(self._received), None, self._refuses
        self._body = None
        return b"" if self.over else came

    async def finish(self) -> bytes:
        """Examine the answer; return it, changed if the policy requires it."""
        if self._received is None:
            return (_REFUSED if self.over else b"") + await super().finish()
        body = bytes(self._received)
        self._read = await self._answer_in(body)
        if self._refuses and (self._read is None or self._read.unread):
            self._real.skip(UNKNOWN_JSON)
            return _REFUSED
        if self._read is not None:
            self._real.amend = self._conclude
            await examine_answer(self._read, self._real)
            await self._real.conclude("complete", waits_s=self._real.tail_wait_s)
        body = body if self._changed is None else self._changed
        return super().receive(body) + await super().finish()

    async def _answer_in(self, body: bytes) -> JSONAnswer | None:
        """Return the body as an answer, None if it cannot be read."""
        try:
            self._value = await value_in_turns(body, self._real.pause)
            return of_value(self._path, self._value, self._text)
        except FrameLimitError as exc:
            self._real.report_limit(str(exc))
        except DecodeError:
            pass
        return None

    def _conclude(self, annotation: Annotation) -> Annotation:
        read = self._read
        if read is None:
            return annotation
        policy = self._real.policy
        value = self._value
        editor = _JSONAnswerEditor(read, value)
        holder: Holder[Any] = Holder(policy, editor, self._real.fail)
        holder.add(value, read.texts, 0.0)
        for result in annotation.choices or filter(None, (annotation.result,)):
            for sentence in result.sentences:
                numbers = sentence.findings
                findings = tuple(result.findings[number] for number in numbers)
                holder.settled(
                    SentenceAnnotation(
                        id=annotation.id,
                        choice=result.choice,
                        index=0,
                        sentence=sentence,
                        findings=findings,
                    )
                )
        left = holder.leave(0.0) or holder.finish(annotation)
        if editor.stopped is not None:
            left = [editor.stopped]
        if not left or left[0] is not value:
            self._changed = json.dumps(left[0] if left else {}, ensure_ascii=False).encode()
        return annotation.model_copy(update={"hold": holder.report()})


class _JSONAnswerEditor:
    """Edits a complete answer: cuts or masks its text, and sets its finish reason."""

    def __init__(self, read: JSONAnswer, value: Any) -> None:
        self._read = read
        self._value = value
        self._ending = ENDINGS.get(read.dialect.name, Ending)()
        self._left: dict[int, str] = dict.fromkeys(read.texts, "")
        self.stopped: Any = None

    def rewrite(self, item: Any, texts: Mapping[int, str]) -> Any:
        """Return the answer with these texts."""
        self._left = dict(texts)
        return with_texts(item, texts, self._texts_of)

    def scrub(self, item: Any, removed: Sequence[tuple[str, str]]) -> Any:
        """Return the answer without the removed texts."""
        return scrubbed(item, removed)

    def see(self, item: Any) -> None:
        """Do nothing: there is one item."""

    note = see

    def end(self, text: str, choice: int) -> list[Any]:
        """Keep the stopped answer, which replaces the original."""
        texts = {**self._left, choice: self._left.get(choice, "") + text}
        self.stopped = with_texts(self._value, texts, self._texts_of)
        if not text:
            self._ending.mark_stopped(self.stopped)
        return []

    def _texts_of(self, value: Any) -> Mapping[int, str]:
        return self._read.dialect.answer(value) or {}


def _holder(
    checking: Checking, conclude: Callable[[Annotation], Annotation], editor: FrameEditor
) -> Holder[SSEEvent]:
    """Return the holder of an answer's frames; it gets its sentences as they settle."""
    words = checking.findings_by_scores if checking.has_verifiers else None
    holder: Holder[SSEEvent] = Holder(checking.policy, editor, checking.fail, words=words)
    checking.add_sentence_listener(holder.settled)
    checking.amend = conclude
    return holder


Answer = Opening | JSONRelay | HeldStream  # all of them are relayed alike
