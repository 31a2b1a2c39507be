"""Metrics in Prometheus's text format, version 0.0.4."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(slots=True)
class Family:
    """One metric with a sample per combination of label values.

    Callers must keep the number of combinations small. A histogram's `buckets` are upper bounds in
    ascending order, each included in its bucket.
    """

    name: str
    help: str
    kind: Literal["counter", "gauge", "histogram"] = "counter"
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()
    _values: dict[tuple[str, ...], float] = field(default_factory=dict)
    _observed: dict[tuple[str, ...], list[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Events that have not happened yet are 0, as far as their names are known.
        if not self.labels and self.kind != "gauge":
            self._values[()] = 0.0
            self._observed[()] = [0.0] * (len(self.buckets) + 1)

    def add(self, *labels: str, by: float = 1) -> None:
        """Increase a counter's sample."""
        self._values[labels] = self._values.get(labels, 0) + by

    def set(self, value: float, *labels: str) -> None:
        """Set a gauge's sample, or that of a counter kept elsewhere."""
        self._values[labels] = value

    def observe(self, value: float, *labels: str) -> None:
        """Add one value to a histogram."""
        if labels not in self._observed:
            self._observed[labels] = [0.0] * (len(self.buckets) + 1)
        self._observed[labels][bisect_left(self.buckets, value)] += 1
        self.add(*labels, by=value)

    def text(self, always: Mapping[str, str]) -> str:
        """Return the family with all samples; each gets the labels `always`."""
        head = f"# HELP {self.name} {_escaped(self.help)}\n# TYPE {self.name} {self.kind}\n"
        return head + "".join(self._samples(always))

    def _samples(self, always: Mapping[str, str]) -> Iterator[str]:
        for values, value in self._values.items():
            labels = {**always, **dict(zip(self.labels, values, strict=True))}
            if self.kind == "histogram":
                yield from self._histogram(labels, self._observed[values], value)
            else:
                yield f"{self.name}{_labels(labels)} {_number(value)}\n"

    def _histogram(
        self, labels: Mapping[str, str], counts: Sequence[float], total: float
    ) -> Iterator[str]:
        below = 0.0
        for bound, count in zip((*self.buckets, float("inf")), counts, strict=True):
            below += count
            limited = {**labels, "le": "+Inf" if bound == float("inf") else _number(bound)}
            yield f"{self.name}_bucket{_labels(limited)} {_number(below)}\n"
        yield f"{self.name}_sum{_labels(labels)} {_number(total)}\n"
        yield f"{self.name}_count{_labels(labels)} {_number(below)}\n"


def merged(texts: Iterable[str]) -> str:
    """Return the families of several processes as one text.

    All processes must have the same families. Each family lists the samples of every process, which
    a label distinguishes.
    """
    samples: dict[str, list[str]] = {}
    for text in texts:
        head = ""
        for line in text.splitlines(keepends=True):
            if line.startswith("# HELP "):
                head = line
            elif line.startswith("# TYPE "):
                head += line
                samples.setdefault(head, [])
            else:
                samples[head].append(line)
    return "".join(head + "".join(lines) for head, lines in samples.items())


def _labels(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    inside = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())
    return f"{{{inside}}}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
