"""Progress of a long command: a bar on a terminal with rich, else a line per tenth."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Step = Callable[[str, int, int], None]  # subject, number, total


@contextmanager
def progress(about: str) -> Iterator[Step]:
    """Yield a function to call before or after each step; it writes to standard error."""
    if not sys.stderr.isatty():
        yield _lines(about)
        return
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
    except ImportError:
        yield _lines(about)
        return
    columns = (
        "{task.description}",
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        "{task.fields[item]}",
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(about, total=None, item="")

        def show(item: str, number: int, of: int) -> None:
            bar.update(task, completed=number, total=of, item=item)

        yield show


def _lines(about: str) -> Step:
    tenths = 0

    def show(item: str, number: int, of: int) -> None:
        nonlocal tenths
        if number * 10 // of > tenths:
            tenths = number * 10 // of
            sys.stderr.write(f"{about}: {number} of {of}{item and f', {item}'}\n")

    return show
