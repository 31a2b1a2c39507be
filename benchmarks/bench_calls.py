"""Count the calls that one plain sentence of an answer makes, and how often they change rooms.

    python benchmarks/bench_calls.py [--top 30]

An answer of 20 plain sentences over four passages is checked once, so that patterns are compiled
and words are known, and then once more under `sys.setprofile`, token by token. Counts are exact and
do not depend on the machine. A call is one of a Python function, a generator that goes on included;
it changes module or room where its caller is of another one. A room is a folder under
`streamguard/core`, `text` or `values`; of `core`'s own files each is one. Counted for each sentence
are the tokens with which it settles and the close of the answer; the other tokens by themselves.
"""

import argparse
import re
import sys
from collections import Counter
from pathlib import Path
from types import FrameType

import streamguard
from streamguard.core.context import Context
from streamguard.core.machine.guard import StreamGuard

PACKAGE = Path(streamguard.__file__).parent
QUESTION = "What does the Standard membership cost, and how do I leave the club?"
PASSAGES = """
Harrow Lane Fitness has three memberships. The Off-Peak membership costs £22 a month and is valid
from Monday to Friday between 9.00 and 16.00. The Standard membership costs £34 a month and is valid
at the home club during all opening hours. The joining fee is £25.

Members may freeze their membership for one to three months in any year. The freeze fee is £5 a
month, and it is waived for members who send a note from their doctor. Requests must reach the
reception before the 20th of the month.

Every membership has a minimum term of six months. After that members may leave at any time with 30
days' notice, given in writing by e-mail or on the form at the reception. Cancellations by telephone
are not accepted.

The swimming pool is closed for cleaning on the first Tuesday of each month. Towels can be borrowed
at the reception for a deposit of £10. Lockers are emptied every night, and things that were left in
them are kept for two weeks.
"""
ANSWER = """
The Standard membership costs £34 a month. It is valid at the home club during all opening hours.
There is a joining fee of £25, which you pay once. The Off-Peak membership is cheaper and costs £22
a month. It is valid from Monday to Friday. You can freeze your membership for up to three months in
a year. The club charges £5 a month while it is frozen. Members who send a note from their doctor do
not pay this fee. Your request must reach the reception before the 20th of the month. The minimum
term is six months. After that you may leave at any time. You have to give 30 days' notice in
writing. You can send an e-mail or fill in the form at the reception. The club does not accept
cancellations by telephone. The swimming pool is closed on the first Tuesday of each month. Staff
clean the pool on that day. You can borrow towels at the reception. They ask for a deposit of £10.
Lockers are emptied every night. Things that were left in them are kept for two weeks.
"""
SENTENCES = 20
COUNTED = {"calls": "calls", "modules": "changes of module", "rooms": "changes of room"}
TOKENS = re.compile(r"\s*\S{1,6}")


class Counts:
    """Calls between `start` and `stop`, and who was called."""

    def __init__(self) -> None:
        self.calls = self.modules = self.rooms = self.pieces = 0
        self.by_room: Counter[str] = Counter()
        self.by_function: Counter[str] = Counter()
        self._files: dict[str, tuple[str, str]] = {}

    def start(self) -> None:
        sys.setprofile(self._note)

    def stop(self) -> None:
        sys.setprofile(None)
        self.pieces += 1

    def add(self, other: "Counts") -> None:
        for name in (*COUNTED, "pieces", "by_room", "by_function"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        if event != "call":
            return
        module, room = self._place(frame)
        if not module:
            return
        self.calls += 1
        self.by_room[room] += 1
        self.by_function[f"{module}.{frame.f_code.co_qualname}"] += 1
        caller = frame.f_back
        while caller is not None and not self._place(caller)[0]:
            caller = caller.f_back
        if caller is not None:
            before = self._place(caller)
            self.modules += before[0] != module
            self.rooms += before[1] != room

    def _place(self, frame: FrameType) -> tuple[str, str]:
        """Return module and room of a frame, empty outside the package."""
        name = frame.f_code.co_filename
        if name not in self._files:
            path = Path(name)
            inside = path.is_relative_to(PACKAGE)
            parts = path.relative_to(PACKAGE).with_suffix("").parts if inside else ()
            room = "/".join(parts[: 2 if parts[:1] == ("core",) else 1])
            self._files[name] = ("/".join(parts), room)
        return self._files[name]


def count() -> tuple[Counts, Counts, Counts]:
    """Return what tokens that settle nothing, those that settle a sentence, and the close call."""
    context = Context(QUESTION, [" ".join(each.split()) for each in PASSAGES.split("\n\n")])
    context.prepare()  # passages are known before the first token, more often than not
    guard, passing, settling, closing = StreamGuard(context), Counts(), Counts(), Counts()
    for piece in TOKENS.findall(" ".join(ANSWER.split())):
        counts = Counts()
        counts.start()
        guard.feed(piece)
        counts.stop()
        (settling if guard.settled() else passing).add(counts)
    closing.start()
    result = guard.close()
    closing.stop()
    assert len(result.sentences) == SENTENCES, len(result.sentences)
    return passing, settling, closing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--top", type=int, default=0, help="list the functions called most often")
    options = parser.parse_args()
    count()
    passing, settling, closing = count()
    print(f"calls per token that ends no sentence: {passing.calls / passing.pieces:.1f}")
    print(f"{'per sentence, at its end':<26}{'feed':>9}{'close':>9}{'together':>9}")
    rows = [(name, getattr(settling, name), getattr(closing, name)) for name in COUNTED]
    rooms = sorted({*settling.by_room, *closing.by_room})
    rows += [(f"  {room}", settling.by_room[room], closing.by_room[room]) for room in rooms]
    for name, fed, closed in rows:
        per = [each / SENTENCES for each in (fed, closed, fed + closed)]
        print(f"{COUNTED.get(name, name):<26}" + "".join(f"{each:>9.1f}" for each in per))
    for name, number in (settling.by_function + closing.by_function).most_common(options.top):
        print(f"{number / SENTENCES:>9.2f} {name}")


if __name__ == "__main__":
    main()
