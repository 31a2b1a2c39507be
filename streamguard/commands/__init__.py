"""The commands people type, one file each: `add_arguments(parser)` and `run(args) -> int`."""
