"""Removes keys and passwords from other programs' messages before they are shown or logged."""

from __future__ import annotations

import re

from streamguard.text.patterns import lazy_re

MASK = "…"
_PART_CHARS = 4  # of a key that a server shows in part: fewer are a word of anything; guess
_KEY_CHARS = r"[\w+/=~.*-]"  # of keys, and of their middle blotted out
_SECRET = lazy_re(
    r"(?i)"
    # As makers' keys begin, however short.
    rf"\b(?:sk|pk|rk|gsk|xai|hf|nvapi|ghp|pat|glpat)[-_]{_KEY_CHARS}+|\bAIza{_KEY_CHARS}+"
    rf"|\b(?:bearer|basic)\s+(?!(?:token|auth)){_KEY_CHARS}+"
    # Behind its name: api_key=ab, "token": "cd", password is: ef.
    r"|\b(?P<named>(?:api|access|secret|auth)?[-_ ]?(?:key|token|secret|password|passwd|pwd"
    r"|authorization|credentials?)[\"']?[ ]*(?:[a-z]+[ ]*)?[:=][ ]*[\"'“]?)[^\s\"'“”,;<>()]+"
    r"|(?P<scheme>://)[^\s/@]+@"
    # Blotted out by the server itself, and long words that hold a digit.
    r"|[\w-]{0,40}\*{2}[\w*-]*|(?=[\w*-]{0,40}[\d*])[\w*-]{20,}"
)


def masked(text: str, key: str | None = None) -> str:
    """Return `text` with `…` in place of `key`, parts of it, and apparent secrets.

    A key shorter than a word is masked only as a separate word.
    """
    if key:
        written = re.escape(key)
        pattern = written if len(key) >= _PART_CHARS else rf"(?<!\w){written}(?!\w)"
        text = re.sub(f"(?i){pattern}", MASK, text)
        part = re.compile(rf"{_KEY_CHARS}{{{_PART_CHARS},}}")
        text = part.sub(lambda found: MASK if found[0].rstrip(".") in key else found[0], text)
    return _SECRET.sub(_mask, text)


def _mask(found: re.Match[str]) -> str:
    if found["named"]:
        return f"{found['named']}{MASK}"
    return f"{found['scheme']}{MASK}@" if found["scheme"] else MASK
