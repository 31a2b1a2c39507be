"""Data in, checkpoint out: `python -m streamguard_reader data | train | export | judge`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from streamguard.errors import ConfigError
from streamguard_reader.records import SOURCES, write_source


def main(given: Sequence[str] | None = None) -> int:
    """Run one step; return the exit status."""
    options = _parser().parse_args(given)
    try:
        options.step(options)
    except ConfigError as wrong:
        print(f"streamguard_reader: {wrong}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="streamguard_reader", description=__doc__)
    steps = parser.add_subparsers(required=True)
    data = steps.add_parser("data", help="read labelled rows into claims")
    data.add_argument("data", type=Path)
    data.add_argument("folder", type=Path)
    data.add_argument("--sources", default="exercises,everyday,held_out,ragtruth")
    data.add_argument("--most", type=int, default=0, help="rows of each source, 0 for all")
    data.set_defaults(step=_data)
    train = steps.add_parser("train", help="train, or go on training")
    train.add_argument("config", type=Path)
    train.add_argument("folder", type=Path, help="what `data` wrote")
    train.add_argument("run", type=Path, help="where the checkpoints go")
    train.add_argument("--minutes", type=float, default=0, help="of this run; 0 for no limit")
    train.add_argument("--bases", type=Path, default=Path("build/reader/bases"))
    train.set_defaults(step=_train)
    export = steps.add_parser("export", help="write a checkpoint as an int8 ONNX model")
    export.add_argument("run", type=Path)
    export.add_argument("model", type=Path)
    export.add_argument("--bases", type=Path, default=Path("build/reader/bases"))
    export.set_defaults(step=_export)
    judge = steps.add_parser("judge", help="figures of an exported model on what is left out")
    judge.add_argument("model", type=Path)
    judge.add_argument("folder", type=Path)
    judge.add_argument("--most", type=int, default=0, help="claims of each source, 0 for all")
    judge.add_argument("--scores", type=Path, help="figures of these risks by claim instead")
    judge.set_defaults(step=_judge)
    return parser


def _data(options: argparse.Namespace) -> None:
    for name in options.sources.split(","):
        if name not in SOURCES:
            raise ConfigError(f"source is {name!r}, expected some of {sorted(SOURCES)}")
        count = write_source(name, options.data, options.folder, most=options.most)
        print(f"{name}: {count} claims", flush=True)


def _train(options: argparse.Namespace) -> None:
    from streamguard_reader.settings import read_training
    from streamguard_reader.training import train

    state = train(
        read_training(options.config), options.folder, options.run, options.bases,
        minutes=options.minutes, say=print,
    )  # fmt: skip
    print(f"step {state.step}, best {state.best:.3f}")


def _export(options: argparse.Namespace) -> None:
    from streamguard_reader.exporting import export

    print(export(options.run, options.model, options.bases))


def _judge(options: argparse.Namespace) -> None:
    from streamguard_reader.judging import judge, page

    print(page(judge(options.model, options.folder, most=options.most, scores=options.scores)))


if __name__ == "__main__":
    sys.exit(main())
