"""Sends faults through a proxy, one after the other or many at a time, and judges each."""

import asyncio
import json
import logging
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic

from tests.kit.frames import ASKED
from tests.kit.upstreams import proxy, until_gone
from tests.programs.faults.client import NoHTTPError, ask
from tests.programs.faults.judge import faults_of
from tests.programs.faults.kinds import made
from tests.programs.faults.kinds_protocol import PATHS
from tests.programs.faults.server import serving

HANG_S = 30.0  # a request that takes longer hangs, by `served_s`
CLOSE_S = 5.0  # an upstream's connection still open so long after its client's is left open
SILENCE_S = 0.25  # the proxy's limit where the fault is silence
PATIENT_S = 120.0  # and elsewhere: longer than anything takes
FORMS = (None, "chunk", "attach", "event", "header", "off")
BODY = json.dumps(ASKED).encode()


@dataclass(slots=True)
class Course:
    """Two proxies in front of one upstream that answers as each request's header says."""

    patient: str  # base URLs
    impatient: str
    over: dict[str, asyncio.Event] = field(default_factory=dict)  # the upstream's side of a case
    crashes: list[str] = field(default_factory=list)  # errors logged, or lost in a callback

    async def run(self, kind, seed):
        """Send one fault; return what is wrong as pairs of a category and a sentence."""
        name = f"{kind}:{seed}"
        over = self.over[name] = asyncio.Event()
        judged = asyncio.ensure_future(self._judged(kind, seed, name))
        if not await _ends(judged):
            return [("hang", f"no end within {HANG_S:g} s")]
        try:
            wrong = judged.result()
        except NoHTTPError as exc:
            return [("changed", str(exc))]
        try:
            async with asyncio.timeout(CLOSE_S):
                await over.wait()
        except TimeoutError:
            wrong.append(("open", f"the upstream's connection is open after {CLOSE_S:g} s"))
        del self.over[name]
        return wrong

    async def _judged(self, kind, seed, name):
        fault = made(kind, seed)
        form = FORMS[seed % len(FORMS)]
        base = self.impatient if fault.silent else self.patient
        headers = {"x-fault": name, "Content-Type": "application/json", "Connection": "close"}
        if form is not None:
            headers["x-streamguard"] = form
        if seed % 5 == 0:
            headers["x-streamguard-live"] = "1"
        turns = 20 if fault.leave is not None else 0
        got = await ask(base, BODY, headers, path=fault.path, leave=fault.leave, turns=turns)
        if fault.leave is not None and not got.status:
            self.over[name].set()  # it may have left before the request went on
        stored = await self._stored(base, got.id) if got.id else None
        return faults_of(fault, form, got, stored)

    async def _stored(self, base, id):
        path = f"/streamguard/results/{id}"
        while True:
            got = await ask(base, path=path, method="GET", headers={"Connection": "close"})
            if got.status != 202:
                return json.loads(got.body)


async def _ends(task):
    """Wait for a task; cancel it and return False where it hangs."""
    began = served_s()
    while not task.done() and (left := HANG_S - (served_s() - began)) > 0:
        await asyncio.wait([task], timeout=left)
    if task.done():
        return True
    task.cancel()
    await asyncio.wait([task])
    return False


def served_s():
    """Return a clock in seconds that stands while this process waits for a core.

    On a machine that has more to do than it can, waiting is no hang. Only Linux tells.
    """
    try:
        waited_ns = int(Path("/proc/self/schedstat").read_text().split()[1])
    except OSError:
        waited_ns = 0
    return monotonic() - waited_ns / 1e9


class Crashes(logging.Handler):
    """Collects what is logged as an error, or with a traceback."""

    def __init__(self, crashes):
        super().__init__()
        self._crashes = crashes

    def emit(self, record):
        if record.levelno >= logging.ERROR or record.exc_info:
            self._crashes.append(f"{record.name}: {record.getMessage()} {record.exc_info or ''}")


@asynccontextmanager
async def course(**settings):
    """Run the upstream and both proxies; `crashes` collects while it is open."""
    made_course = Course("", "")

    async def answer(headers, reader, writer):
        name = headers["x-fault"]
        kind, _, seed = name.partition(":")
        try:
            return await made(kind, int(seed)).play(writer, partial(until_gone, reader))
        finally:
            if name in made_course.over:
                made_course.over[name].set()

    handler = Crashes(made_course.crashes)
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, told: made_course.crashes.append(str(told)))
    logging.getLogger().addHandler(handler)
    try:
        async with AsyncExitStack() as stack:
            upstream = await stack.enter_async_context(serving(answer))
            for attribute, idle_s in (("patient", PATIENT_S), ("impatient", SILENCE_S)):
                base = await stack.enter_async_context(
                    proxy(upstream, idle_timeout_s=idle_s, check_paths=PATHS, **settings)
                )
                setattr(made_course, attribute, base)
            yield made_course
    finally:
        logging.getLogger().removeHandler(handler)
        loop.set_exception_handler(None)
