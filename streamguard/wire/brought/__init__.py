"""Reads passages, citations and calls of tools from frames."""
