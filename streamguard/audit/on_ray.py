"""Runs the parts of an audit on Ray, on a cluster or this machine."""

from __future__ import annotations

import logging
import os
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from streamguard.audit.engines import Work
from streamguard.audit.log_files import FilePart, LogFile
from streamguard.audit.part_check import Record
from streamguard.errors import ConfigError, StreamguardError, lacking

_CORES_A_READER = 32  # per reading task, far below the number it could feed; guess


def on_ray(
    sources: Sequence[LogFile],
    read: Callable[[LogFile], Iterable[FilePart]],
    work: Work,
    workers: int | None = None,
) -> Iterator[Record]:
    """Yield the record of each part as Ray's tasks finish it.

    `RAY_ADDRESS` names the cluster; without it one is started on this machine with `workers` cores.
    All machines must see the files and the audit's folder. Raises `ConfigError` if Ray is missing.
    """
    try:
        import ray
        import ray.data
        import ray.exceptions
    except ImportError as exc:
        raise ConfigError(lacking("Ray", "ray")) from exc
    if not ray.is_initialized():
        here = "RAY_ADDRESS" not in os.environ
        ray.init(num_cpus=workers if here else None, logging_level="warning", log_to_driver=False)
    # A block for each part, so that the first is checked while the second is read.
    context = ray.data.DataContext.get_current()
    context.target_max_block_size = 1
    context.enable_progress_bars = False
    # Else half of the cores are kept for the task that reads, which needs none: with two, both
    # checked a third of the time (benchmarks/bench_audit.py engines).
    context.op_resource_reservation_enabled = False
    logging.getLogger("ray.data").setLevel(logging.WARNING)

    # Errors of ours travel unchanged: Ray's own do not say which error it was.
    def rows(batch: dict[str, Any]) -> Iterator[dict[str, list[bytes]]]:
        for packed in batch["item"]:
            try:
                for part in read(_unpacked(packed)):
                    yield {"part": [pickle.dumps(part)]}
            except (StreamguardError, OSError) as exc:
                yield {"part": [pickle.dumps(exc)]}

    def check(batch: dict[str, Any]) -> dict[str, list[bytes]]:
        done: list[Record | Exception] = []
        for packed in batch["part"]:
            try:
                done.append(work(_unpacked(packed)))
            except (StreamguardError, OSError) as exc:
                done.append(exc)
        return {"record": [pickle.dumps(one) for one in done]}

    # Reading asks for no core of its own: Ray would make one task of both.
    readers = max(1, int(ray.cluster_resources().get("CPU", 1)) // _CORES_A_READER)
    files = ray.data.from_items([pickle.dumps(source) for source in sources])
    few = ray.data.TaskPoolStrategy(size=readers)
    parts = files.map_batches(rows, batch_size=1, num_cpus=0, compute=few)
    try:
        for row in parts.map_batches(check, batch_size=1).iter_rows():
            yield _unpacked(row["record"])
    except ray.exceptions.RayError as exc:
        raise StreamguardError(f"Ray gave up: {exc}") from exc


def _unpacked(packed: bytes) -> Any:
    """Return a value from another machine of the cluster; raise it if it is an error."""
    value = pickle.loads(packed)  # noqa: S301 -- our own, of a moment ago
    if isinstance(value, Exception):
        raise value
    return value
