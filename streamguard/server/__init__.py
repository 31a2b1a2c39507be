"""Servers: the reverse proxy, adapters for web applications, the chat and the replay server."""
