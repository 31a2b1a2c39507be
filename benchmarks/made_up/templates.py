"""Passages and sentences with slots, read from a text file, and the cases they make. Seeded."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from made_up.cases import Case, capital, is_held_back, make

_DISTRACTORS = 2  # passages about other things beside a case's own


@dataclass(frozen=True, slots=True)
class Template:
    """Passages and sentences with slots, all about one made-up thing.

    `slots`: names of slots, parted by blanks, and the pool that they are drawn from, each another
    member. A frame is a true sentence without a capital of its own, made false by filling
    `wrong`'s slots with those that it names; or a true and a false sentence.
    """

    kind: str
    name: str
    slots: dict[str, tuple[str, ...]] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)
    passages: list[str] = field(default_factory=list)
    frames: list[tuple[str, ...]] = field(default_factory=list)

    def fill(self, rng: random.Random) -> dict[str, str]:
        filled: dict[str, str] = {}
        for names, pool in self.slots.items():
            wanted = names.split()
            filled |= dict(zip(wanted, rng.sample(pool, len(wanted)), strict=True))
        return filled


@dataclass(frozen=True, slots=True)
class Written:
    """What a file holds; its head says how it is written."""

    templates: list[Template]
    wrappers: list[str]
    pools: dict[str, tuple[str, ...]]


def read(path: Path) -> Written:
    """Return the templates of a file; `ValueError` names a line that is none of those allowed."""
    written = Written([], [], {})
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            try:
                _take(line, written)
            except (LookupError, ValueError) as exc:
                raise ValueError(f"{path.name}, line {number}: {line!r} is no line of it") from exc
    return written


def _take(line: str, written: Written) -> None:
    mark, _, rest = line.partition(" ")
    if mark == "*":
        written.wrappers.append(rest)
    elif mark == "-":
        written.templates[-1].passages.append(rest)
    elif mark == "+":
        written.templates[-1].frames.append(tuple(rest.split(" | ")))
    elif line.startswith("["):
        kind, name = line[1:-1].split(" ")
        written.templates.append(Template(kind, name))
    else:
        left, right = line.split(" = ")
        if left == "wrong":
            slot, other = right.split(" > ")
            written.templates[-1].wrong[slot] = other
        elif left.isupper():
            written.pools[left] = pool(right)
        else:
            written.templates[-1].slots[left] = written.pools.get(right) or pool(right)


def pool(text: str) -> tuple[str, ...]:
    """Return the members: "one; two", or a range of whole numbers "10..20/5"."""
    if ".." not in text:
        return tuple(text.split("; "))
    bounds, _, step = text.partition("/")
    first, last = bounds.split("..")
    return tuple(map(str, range(int(first), int(last) + 1, int(step or 1))))


def cases_of(written: Written, *, per_frame: int, seed: int, held_back: bool) -> Iterator[Case]:
    """Yield `per_frame` cases for every frame, each with its passage and two others around it."""
    for template in written.templates:
        for at, frame in enumerate(template.frames):
            form = f"{template.name}/{at}"
            # A generator of its own for each frame: a new frame leaves the others' cases alone.
            rng = random.Random(f"{seed} {form}")
            made = 0
            while made < per_frame:
                passage, clean, answer = _told(template, frame, rng)
                if is_held_back(passage) != held_back:
                    continue
                wrapper = rng.choice(written.wrappers)
                chunks = _among_others(passage, template, written.templates, rng)
                number = chunks.index(passage) + 1
                texts = (wrapped(wrapper, text, number) for text in (clean, answer))
                yield make(template.kind, form, "written", chunks, *texts)
                made += 1


def _told(template: Template, frame: Sequence[str], rng: random.Random) -> tuple[str, str, str]:
    """Return a passage, a true sentence and a false one."""
    filled = template.fill(rng)
    passage = capital(rng.choice(template.passages).format(**filled))
    if len(frame) == 2:
        return passage, frame[0].format(**filled), frame[1].format(**filled)
    swapped = filled | {slot: filled[other] for slot, other in template.wrong.items()}
    return passage, frame[0].format(**filled), frame[0].format(**swapped)


def _among_others(
    passage: str, template: Template, templates: Sequence[Template], rng: random.Random
) -> tuple[str, ...]:
    others = [other for other in templates if other.name != template.name]
    chosen = rng.sample(others, min(_DISTRACTORS, len(others)))
    chunks = [passage]
    chunks += [capital(rng.choice(o.passages).format(**o.fill(rng))) for o in chosen]
    rng.shuffle(chunks)
    return tuple(chunks)


def wrapped(wrapper: str, sentence: str, number: int) -> str:
    """Put a sentence, which begins with a small letter, where `{s}` stands, `number` for `{n}`."""
    if wrapper.startswith("{s}"):
        sentence = capital(sentence)
    if not wrapper.endswith("{s}"):
        sentence = sentence.rstrip(".")
    return wrapper.format(s=sentence, n=number)
