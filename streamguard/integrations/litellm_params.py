"""Reads the policy in a guardrail's `litellm_params`; nothing of LiteLLM is imported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from streamguard.core.model.policy import Policy, as_policy
from streamguard.errors import ConfigError
from streamguard.settings import load_policy


def policy_in(given: Any, name: str) -> Policy:
    """Return the policy under the key `policy`: a preset, a TOML file, or a table of settings.

    A table may name the `preset` that it changes; the policy is then called `name`. If it only sets
    `block`, answers are held by sentence and stopped. Raises `ConfigError` with the setting's name
    for an invalid value.
    """
    if isinstance(given, str):
        return load_policy(given).policy
    if not isinstance(given, Mapping):
        return as_policy(given)
    settings = dict(given)
    preset = settings.pop("preset", "moderate")
    if not isinstance(preset, str):
        raise ConfigError(f"policy.preset is {preset!r}, expected the name of a preset")
    if settings.get("block"):
        settings.setdefault("on_violation", "stop")
    if settings.get("on_violation", "annotate") != "annotate":
        settings.setdefault("hold", "sentence")
    return Policy.preset(preset, **{"name": name, **settings})
