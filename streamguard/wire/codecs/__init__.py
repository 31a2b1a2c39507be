"""Codecs: bytes to frames, and JSON in bytes; no byte is lost."""
