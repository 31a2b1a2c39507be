"""Wrappers of other projects, each run in an environment of its own; see `bench_peers.py`."""
