"""Servers: the reverse proxy, its result store, and the replay server."""
