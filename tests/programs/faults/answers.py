"""Random answers of a chat, frame by frame."""

from dataclasses import dataclass

from tests.kit.frames import DONE, frame, usage

SENTENCES = (
    "The Basic plan costs $10 per month. [C1] ",
    "Pro is $49 per month and includes support [C2]. ",
    "Unfortunately, I don't know more — please ask Jane Doe. ",
    "It costs $99, as of 5 May 2024! ",
    "Zoë’s café keeps “files” for 90 days… 🎉 ",
    "- Support answers within 24 hours.\n",
    "All plans include 5 projects and 20 GB. ",
    "Say \u2028 or \u0085, and data: [DONE] stays text. ",
)


@dataclass(frozen=True, slots=True)
class Answer:
    """The frames of one answer: those with text, those that finish it, and its tail."""

    opening: tuple[bytes, ...]
    finish: tuple[bytes, ...]
    tail: tuple[bytes, ...]

    @property
    def frames(self):
        return (*self.opening, *self.finish, *self.tail)

    @property
    def body(self):
        return b"".join(self.frames)


def text(rng):
    return "".join(rng.choices(SENTENCES, k=rng.randint(1, 5)))


def worded(rng, words, index=0):
    """Return the frames that bring `words` in random pieces."""
    frames, at = [], 0
    while at < len(words):
        end = at + rng.randint(1, 14)
        frames.append(frame(words[at:end], index))
        at = end
    return frames


def chat(rng, words=None):
    opening = (frame(""), *worded(rng, text(rng) if words is None else words))
    tail = (usage(), DONE) if rng.random() < 0.5 else (DONE,)
    return Answer(opening, (frame(finish="stop"),), tail)


def two_choices(rng):
    """Return a whole answer of two choices whose frames are mixed."""
    first, second = worded(rng, text(rng), 0), worded(rng, text(rng), 1)
    mixed = []
    while first or second:
        mixed.append((first if first and (not second or rng.random() < 0.5) else second).pop(0))
    return Answer(tuple(mixed), (frame(finish="stop", index=1), frame(finish="stop")), (DONE,))
