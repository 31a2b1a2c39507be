"""Bytes to frames, and JSON in bytes; not one byte lost on the way."""
