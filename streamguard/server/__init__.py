"""Servers: the reverse proxy, the doors for applications, the chat and the replay server."""
