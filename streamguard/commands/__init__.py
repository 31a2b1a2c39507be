"""The command line's commands, one per file: `add_arguments(parser)` and `run(args) -> int`."""
