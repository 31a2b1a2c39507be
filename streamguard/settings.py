"""The policy in force: preset, TOML file, environment and flags, each value with its origin.

In increasing precedence: built-in default, preset, policy file, `RAG_*` variables, flags. Called
only at the entry points; nothing below them reads the environment.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streamguard.core.model.policy import PRESETS, Policy
from streamguard.errors import ConfigError

POLICY_VARIABLE = "STREAMGUARD_POLICY"
DEFAULT_PRESET = "moderate"

# Half the range of squared L2 on unit vectors, which is twice the cosine distance.
_DISTANCE_RANGES = {"squared_l2": 2.0, "cosine": 1.0, "inner_product": 1.0}
_MOST_DIGITS = 10  # of a whole number in a variable
_SWITCH = {"true": True, "yes": True, "on": True, "1": True}
_SWITCH |= {"false": False, "no": False, "off": False, "0": False}


@dataclass(frozen=True, slots=True)
class LoadedPolicy:
    """A policy, and the origin of every setting.

    Origins are `default`, `preset NAME`, the file's path, a variable's name, or `--set`.
    """

    policy: Policy
    origins: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Variable:
    """One environment variable: its setting for a metric, and its parser."""

    name: str
    setting: Callable[[str], str]
    read: Callable[[str, str], Any]


def load_policy(
    named: str | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    assignments: Sequence[str] = (),
    assigned_by: str = "--set",
) -> LoadedPolicy:
    """Return the policy in force with each value's origin, from flags, environment and file.

    `named`: a preset's name or the path of a TOML file; None takes `STREAMGUARD_POLICY`, else
    `moderate`. `assignments`: `NAME=VALUE` as on the command line, with VALUE in TOML;
    `assigned_by` names their flag. Raises `ConfigError` with the name, the value and the allowed
    ones.
    """
    environ = os.environ if environ is None else environ
    named = named or environ.get(POLICY_VARIABLE) or DEFAULT_PRESET
    layers = _preset_layer(named) if named in PRESETS else _file_layers(Path(named))
    values = {name: value for layer, _ in layers for name, value in layer.items()}
    assigned = _assigned(assignments)
    metric = str({**values, **assigned}.get("metric", Policy().metric))
    for variable, name, value in _from_environment(environ, metric):
        if variable == "RAG_CONFIDENCE_THRESHOLD":  # in the store's metric
            layers = [(_without(layer, _THRESHOLDS), origin) for layer, origin in layers]
        layers.append(({name: value}, variable))
    layers.append((assigned, assigned_by))
    return _merged(layers)


def _without(layer: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: value for name, value in layer.items() if name not in names}


def _merged(layers: Sequence[tuple[Mapping[str, Any], str]]) -> LoadedPolicy:
    values: dict[str, Any] = {}
    origins = dict.fromkeys(Policy.model_fields, "default")
    for layer, origin in layers:
        # Checked layer by layer, so that the message can say which one is wrong.
        try:
            Policy.load({**values, **layer})
        except ConfigError as exc:
            raise ConfigError(f"{origin}: {exc}") from exc
        values |= layer
        origins |= dict.fromkeys(layer, origin)
    return LoadedPolicy(Policy.load(values), origins)


def _preset_layer(name: str) -> list[tuple[dict[str, Any], str]]:
    return [({"name": name, **PRESETS[name]}, f"preset {name}")]


def _file_layers(path: Path) -> list[tuple[dict[str, Any], str]]:
    """Return the file's values, above those of the preset it names, if any."""
    values = _toml(path)
    preset = values.pop("preset", DEFAULT_PRESET)
    if not isinstance(preset, str) or preset not in PRESETS:
        allowed = ", ".join(PRESETS)
        raise ConfigError(f"{path}: preset is {preset!r}, expected one of {allowed}")
    # Results name their policy: a changed preset must not go by the preset's name.
    return [*_preset_layer(preset), ({"name": path.name, **values}, str(path))]


def _toml(path: Path) -> dict[str, Any]:
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        repr(values)  # dotted keys nest as deep as they like, and messages show values
    except FileNotFoundError as exc:
        allowed = ", ".join(PRESETS)
        raise ConfigError(
            f"policy is {str(path)!r}, expected one of {allowed}, or a TOML file that exists"
        ) from exc
    except OSError as exc:
        raise ConfigError(f"policy file {path} cannot be read: {exc.strerror}") from exc
    except (ValueError, RecursionError) as exc:  # not TOML, not UTF-8, or too deep
        raise ConfigError(f"policy file {path} is not TOML: {exc}") from exc
    return values


def _assigned(assignments: Sequence[str]) -> dict[str, Any]:
    values = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals or not name.strip():
            raise ConfigError(f"--set is {assignment!r}, expected NAME=VALUE")
        values[name.strip()] = _toml_value(text.strip())
    return values


def _toml_value(text: str) -> Any:
    """Parse a value as TOML; a bare word is a string."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):  # not TOML, too many digits, or too deep
        return text


def _from_environment(environ: Mapping[str, str], metric: str) -> list[tuple[str, str, Any]]:
    """Return (variable, setting, value) of every variable that is set and not empty."""
    return [
        (variable.name, variable.setting(metric), variable.read(text, metric))
        for variable in _VARIABLES
        if (text := environ.get(variable.name, "").strip())
    ]


def _switch(name: str) -> Callable[[str, str], bool]:
    def read(text: str, _metric: str) -> bool:
        if text.lower() not in _SWITCH:
            raise ConfigError(f"{name} is {text!r}, expected True or False")
        return _SWITCH[text.lower()]

    return read


def _threshold(text: str, metric: str) -> float:
    most = _DISTANCE_RANGES.get(metric, 1.0)
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= most:
        raise ConfigError(
            f"RAG_CONFIDENCE_THRESHOLD is {text!r}, expected 0.0 to {most} (metric {metric})"
        )
    return value


def _documents(text: str, _metric: str) -> int:
    known = int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else 0
    if known < 1:
        seen = repr(text[:80])
        raise ConfigError(f"RAG_MIN_DOCUMENTS is {seen}, expected a whole number of at least 1")
    return known


def _threshold_setting(metric: str) -> str:
    return "similarity_threshold" if metric == "similarity" else "confidence_threshold"


_VARIABLES = (
    _Variable("RAG_STRICT_MODE", lambda _: "strict_mode", _switch("RAG_STRICT_MODE")),
    _Variable("RAG_CONFIDENCE_THRESHOLD", _threshold_setting, _threshold),
    _Variable("RAG_MIN_DOCUMENTS", lambda _: "min_documents", _documents),
    _Variable(
        "RAG_VALIDATION_ENABLED",
        lambda _: "validation_enabled",
        _switch("RAG_VALIDATION_ENABLED"),
    ),
)
_THRESHOLDS = ("confidence_threshold", "similarity_threshold")
VARIABLES = (POLICY_VARIABLE, *(variable.name for variable in _VARIABLES))
