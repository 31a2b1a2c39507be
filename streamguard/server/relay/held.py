"""Answers that are held back: frames go to the relay once their text has been checked.

The relay behind it reads frames, places the annotation and knows no difference: it is given what
may leave in place of what came, and a `Checking` that examines nothing.
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
    Whole,
    of_value,
    take_answer,
    value_in_turns,
)
from streamguard.server.relay.opening import Opening
from streamguard.server.relay.relay import MAX_HELD_BYTES, completed
from streamguard.wire import dialects
from streamguard.wire.bounds import FrameLimitError
from streamguard.wire.codecs.sse import SSEEvent
from streamguard.wire.dialect import Dialect, Form
from streamguard.wire.endings import ENDINGS, Ending
from streamguard.wire.frame_ways import FrameWays
from streamguard.wire.reader import OVER_SIZE
from streamguard.wire.rewriting import scrubbed, with_texts

KEEP_ALIVE_S = 15.0  # between comments while a whole answer is held; guess, half of usual limits
KEEP_ALIVE = b": held until it is checked\n\n"
# In place of an answer in one piece that cannot be read, where nothing unchecked may leave.
_REFUSED = json.dumps(
    {"error": {"message": "the answer could not be checked", "code": "not_checked"}}
).encode()
_STRICTER: Mapping[Hold, int] = {"off": 0, "sentence": 1, "answer": 2}


def _refuses(policy: Policy) -> bool:
    """Return whether what cannot be read must not leave."""
    return policy.hold_fails == "closed" and policy.on_violation != "annotate"


def stricter(policy: Policy, asked: Hold | None) -> Policy:
    """Return the policy with the hold that a request asked for, where that is the stricter one."""
    if asked is None or _STRICTER[asked] <= _STRICTER[policy.hold]:
        return policy
    return policy.model_copy(update={"hold": asked})


class Muted:
    """Stands for an answer's `Checking` in a relay whose frames were examined before they came."""

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
        """Return the annotation that the examined text gave."""
        annotation: Annotation | None = self._checking.annotation
        return annotation or cast("Annotation", self._checking.close(ended))


class HeldStream:
    """Relays a stream whose frames wait; it is used as an `Opening` is.

    `over` says that the answer was stopped: nothing more of the upstream is to be read.
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
        muted = cast("Checking", Muted(checking))
        self._relay = Opening(path, content_type, headers, muted, form, text)
        self._path, self._content_type, self._headers = path, content_type, headers
        self._text = text
        self._checking = checking
        self._now = now
        self._begun = b""  # until it is known which protocol it is
        self._judged = False  # all text: what comes now is late
        self._gone = False  # nobody reads on
        self._refuses = _refuses(checking.policy)
        self._waiting_bytes = 0
        self._parts = bytearray()  # of a frame over the cap, the end of which is to come
        self._let_go = False  # of such a frame a part has left
        self._last: list[SSEEvent] = []
        self.over = False
        self._ways: FrameWays | None = None
        self._holder: Holder[SSEEvent] = _holder(checking, self._conclude, FrameWays(None))
        if (found := dialects.of_stream(path, content_type, headers)) is not None:
            self._speaks(found)

    @property
    def adds(self) -> bool:
        """Whether anything may be put into the stream, or taken out of it."""
        return True

    @property
    def may_add(self) -> bool:
        """Whether bytes may still follow the upstream's last: they always may."""
        return True

    @property
    def due(self) -> bool:
        """Whether there is text to be examined by `turn`."""
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
        """Whether frames wait, so that `settle` is called once they have waited long enough."""
        return self._holder.waits

    @property
    def patience_s(self) -> float:
        """For how many seconds from now on frames may wait before `settle`."""
        until = self._holder.until
        return KEEP_ALIVE_S if until is None else max(0.0, until - self._now())

    def receive(self, chunk: bytes) -> bytes:
        """Take the bytes of one read; none go on before they were examined."""
        if self._ways is None:
            self._begun += chunk
            if self._content_type == dialects.TEXT_TYPE:
                if len(self._begun) < dialects.TOLD_BYTES:
                    return b""
                self._speaks(dialects.of_text(self._path, self._begun, self._headers))
            else:
                empty, first = dialects.first_frame(self._begun, self._content_type)
                silent, self._begun = self._begun[:empty], self._begun[empty:]
                if first is None and len(self._begun) <= MAX_HELD_BYTES:
                    return self._relay.receive(silent) if silent else b""
                self._begun = silent + self._begun
                self._speaks(dialects.by_first_frame(first or "", self._content_type))
            chunk, self._begun = self._begun, b""
        self._take(self._decoder.feed(chunk))
        return b""

    def keep(self) -> bool:
        """Return True: all received bytes are to be read."""
        return True

    def turn(self) -> None:
        """Examine some of the text, for about a millisecond."""
        self._checking.turn()
        self._leave()

    def told(self) -> bytes:
        """Return nothing: sentences are told by the relay behind, with the text that leaves."""
        return b""

    async def read(self) -> bytes:
        """Return the bytes that may leave by now; behind the protocol's end all of it is judged."""
        self._leave()
        if self._ways is not None and self._reader.done and not (self._judged or self.over):
            self._judged = True
            await self._checking.conclude(self._ended, waits_s=self._waits_s)
            self.over = self._holder.stopped
        last, self._last = self._last, []
        return await self._on(last)

    async def settle(self) -> bytes:
        """Return frames that have waited long enough, or a comment that keeps the client awake."""
        out = await self.read()
        if out or self._content_type != dialects.EVENT_STREAM:
            return out
        return KEEP_ALIVE

    async def finish(self) -> bytes:
        """Say that the upstream has ended in order, or was left; return what goes on last."""
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
        """Return the bytes that may still leave of a stream that broke off."""
        self._take_rest()
        self._checking.close("upstream_error")
        last, self._last = self._last, []
        return self._relay.receive(b"".join(event.raw for event in last)) + self._relay.rest()

    async def catch_up(self) -> None:
        """Check, in turns, the text so far of a stream that is to be abandoned."""
        self._gone = True
        await self._checking.catch_up()

    def abandon(self, ended: Ended) -> None:
        """Say that the stream broke off, or that nobody reads on."""
        self._gone = True
        self._checking.close(ended)
        self._relay.abandon(ended)

    @property
    def _waits_s(self) -> float:
        """For how many seconds the end of the answer waits for a judge's word."""
        policy = self._checking.policy
        return self._checking.tail_wait_s if policy.hold == "answer" else policy.hold_judge_s

    @property
    def _ended(self) -> Ended:
        if self._ways is None:
            return "complete"
        reader = self._reader
        whole = (reader.ended or reader.open_ended) and not (reader.broken or reader.failed)
        return "complete" if whole else "upstream_error"

    def _speaks(self, dialect: Dialect) -> None:
        """Read the stream by this dialect from now on."""
        self._decoder, self._reader = dialect.decoder(), dialect.reader()
        self._reader.find_at(self._text)
        self._ways = self._holder.ways = FrameWays(dialect, self._text)
        self._checking.dialect = dialect.name

    def _take(self, events: Sequence[SSEEvent]) -> None:
        """Read frames, and let them wait for their text to be examined."""
        for event in filter(None, map(self._joined, events)):
            is_read, texts = self._read(event)
            if self._refuses and not is_read:
                self._checking.report_unread("a frame of it could not be read, and ended it")
                self._holder.refuse()  # it does not leave, nor does what follows
                return
            if self._judged and texts and self._checking.policy.on_violation != "annotate":
                self._checking.note_late()  # nobody has checked it: it does not leave
                continue
            self._checking.take_texts(texts)
            own = None if self._ways is None else self._ways.texts_of(event)
            self._holder.add(event, texts if own is None else own, self._now())
            self._bound(event)

    def _joined(self, event: SSEEvent) -> SSEEvent | None:
        """Return a frame as one, also one over the cap; None while parts of it are to come.

        More than an answer in one piece may have passes unread, in parts.
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
        """Return whether all of a frame could be read, and its text."""
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
        """Let no more wait than an answer in one piece may have."""
        self._waiting_bytes += len(event.raw)
        if self._waiting_bytes > MAX_ANSWER_BYTES:
            self._checking.report_limit(f"held frames of more than {MAX_ANSWER_BYTES} bytes")
            self._holder.let_go()
            self._waiting_bytes = 0

    def _take_rest(self) -> None:
        if self._ways is None:
            first = dialects.of_text(self._path, self._begun, self._headers)
            is_text = self._content_type == dialects.TEXT_TYPE
            self._speaks(first if is_text else dialects.by_first_frame("", self._content_type))
            self._take(self._decoder.feed(self._begun))
            self._begun = b""
        left = self._decoder.close()
        whole = (completed(self._decoder, self._reader, last) for last in left)
        self._take([one or last for one, last in zip(whole, left, strict=True)])
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
        """Give frames to the relay behind; return what goes on."""
        raw = b"".join(event.raw for event in events)
        if not raw:
            return b""
        return self._relay.receive(raw) + await self._relay.read()

    def _conclude(self, annotation: Annotation) -> Annotation:
        """Let leave what the judged answer allows; return the annotation with how it left."""
        if not self._gone:
            self._last += self._holder.finish(annotation)
        return annotation.model_copy(update={"hold": self._holder.report()})


class HeldWhole(Whole):
    """Relays one JSON answer that is held until it has been checked."""

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
        muted = cast("Checking", Muted(checking))
        super().__init__(path, muted, form, max_bytes, text)
        self.adds = self.may_add = True
        self._real = checking
        self._whole: bytearray | None = bytearray()  # None once it is too long to be held
        self._most = max_bytes
        self._value: Any = None
        self._changed: bytes | None = None
        self._read: JSONAnswer | None = None
        self._refuses = _refuses(checking.policy)

    def receive(self, chunk: bytes) -> bytes:
        """Take the bytes of one read; none go on before all were examined.

        A longer answer than may be read goes on unchecked, or is over where nothing may.
        """
        if self._whole is None:
            return b"" if self.over else chunk
        self._whole += chunk
        if len(self._whole) <= self._most:
            return b""
        self._real.report_limit(f"an answer of more than {self._most} bytes")
        came, self._whole, self.over = bytes(self._whole), None, self._refuses
        self._body = None
        return b"" if self.over else came

    async def finish(self) -> bytes:
        """Examine the answer; return it, changed where the policy asks for that."""
        if self._whole is None:
            return (_REFUSED if self.over else b"") + await super().finish()
        body = bytes(self._whole)
        self._read = await self._answer_in(body)
        if self._refuses and (self._read is None or self._read.unread):
            self._real.skip(UNKNOWN_JSON)
            return _REFUSED
        if self._read is not None:
            self._real.amend = self._conclude
            await take_answer(self._read, self._real)
            await self._real.conclude("complete", waits_s=self._real.tail_wait_s)
        body = body if self._changed is None else self._changed
        return super().receive(body) + await super().finish()

    async def _answer_in(self, body: bytes) -> JSONAnswer | None:
        """Return the answer that the body is, None if it cannot be read."""
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
        ways = _WholeWays(read, value)
        holder: Holder[Any] = Holder(policy, ways, self._real.fail)
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
        if ways.stopped is not None:
            left = [ways.stopped]
        if not left or left[0] is not value:
            self._changed = json.dumps(left[0] if left else {}, ensure_ascii=False).encode()
        return annotation.model_copy(update={"hold": holder.report()})


class _WholeWays:
    """How an answer in one piece is changed: its text cut or masked, and its reason to end."""

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
        """Return the answer without the texts that were removed."""
        return scrubbed(item, removed)

    def see(self, item: Any) -> None:
        """Do nothing: there is one item."""

    note = see

    def end(self, text: str, choice: int) -> list[Any]:
        """Keep the stopped answer; it leaves in place of all."""
        texts = {**self._left, choice: self._left.get(choice, "") + text}
        self.stopped = with_texts(self._value, texts, self._texts_of)
        if not text:
            self._ending.whole(self.stopped)
        return []

    def _texts_of(self, value: Any) -> Mapping[int, str]:
        return self._read.dialect.answer(value) or {}


def _holder(
    checking: Checking, conclude: Callable[[Annotation], Annotation], ways: FrameWays
) -> Holder[SSEEvent]:
    """Return the holder of an answer's frames, which hears of its sentences as they settle."""
    words = checking.findings_by_words if checking.is_asked else None
    holder: Holder[SSEEvent] = Holder(checking.policy, ways, checking.fail, words=words)
    checking.tell_also(holder.settled)
    checking.amend = conclude
    return holder


Answer = Opening | Whole | HeldStream  # all of them are relayed alike
