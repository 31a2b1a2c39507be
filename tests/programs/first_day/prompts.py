"""The prompts of `prompts.toml`: one question about two passages, put as people put it."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

ONE = "The Basic plan costs $29 per month. It includes five seats."
TWO = "The Pro plan costs $79 per month and adds single sign-on."
ASKED = "What does the Basic plan cost?"
RIGHT = "The Basic plan costs $29 per month."
WRONG = "The Basic plan costs $49 per month."
WRONG_VALUE = "$49"

_WORDS = {
    "{ONE}": ONE,
    "{TWO}": TWO,
    "{BOTH}": f"{ONE}\n\n{TWO}",
    "{SOURCES}": f'<source id="1" name="plans.md">{ONE}</source>\n'
    f'<source id="2" name="pro.md">{TWO}</source>',
    "{ASKED}": ASKED,
}


@dataclass(frozen=True)
class Prompt:
    """The application's message, where there is one, and the user's; whether it asks to cite."""

    name: str
    user: str = ASKED
    system: str | None = None
    cited: bool = False

    @property
    def messages(self):
        told = [{"role": "system", "content": self.system}] if self.system else []
        return [*told, {"role": "user", "content": self.user}]


def _filled(text):
    for name, words in _WORDS.items():
        text = text.replace(name, words)
    return text


def _read():
    told = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return tuple(
        Prompt(
            one["name"],
            _filled(one.get("user", ASKED)),
            _filled(one["system"]) if "system" in one else None,
            one.get("cited", False),
        )
        for one in told["prompt"]
    )


PROMPTS = _read()
