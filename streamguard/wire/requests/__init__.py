"""Reads question and sources from a request."""
