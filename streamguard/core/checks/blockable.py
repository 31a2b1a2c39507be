"""The names that `block` may hold where no application adds checks of its own."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

from streamguard.core.checks import DEFAULT_CHECKS
from streamguard.core.model.policy import Policy
from streamguard.core.model.types import FLAGS
from streamguard.core.packs import personal, secrets
from streamguard.core.verdict.claimed import DOUBTS, VERIFIER
from streamguard.errors import ConfigError

_PACK_CHECKS: Final = ("secret", "pii", "regex", "link", "language")
_PACK_FLAGS: Final = ("personal_data", "pattern", "unknown_link", "other_language")
# Who blocks "secrets" means the pack; its findings are called otherwise.
_MEANT: Final = {"secrets": "secret", "links": "link"}
_NEAR: Final = 0.75  # likeness of a name that may have been meant; guess


def checked_block(policy: Policy) -> Policy:
    """Return the policy; `ConfigError` where `block` names what no check of this package reports.

    With a check of the application's own any name may be right: ask this only without such a check.
    """
    known = _names(policy.patterns)
    for name in policy.block:
        if name not in known and not name.startswith(VERIFIER):
            near = _MEANT.get(name) or next(iter(get_close_matches(name, known, 1, _NEAR)), None)
            expected = (
                f"did you mean {near}?" if near else f"expected some of {', '.join(_plain())}"
            )
            raise ConfigError(f"block holds {name}, which no check reports; {expected}")
    return policy


def _plain() -> list[str]:
    """Return the names of checks and flags, without the kinds of the packs' checks."""
    per_sentence = (check.__name__ for check in DEFAULT_CHECKS.per_sentence)
    names = [*per_sentence, *DOUBTS, *FLAGS, *_PACK_CHECKS, *_PACK_FLAGS, "verifier"]
    return sorted(dict.fromkeys(names))


def _names(patterns: Iterable[str]) -> list[str]:
    kinds = {"secret": secrets.NAMES, "pii": personal.KINDS, "regex": tuple(patterns)}
    of_kinds = [f"{check}:{kind}" for check, named in kinds.items() for kind in named]
    return [*_plain(), *of_kinds]
