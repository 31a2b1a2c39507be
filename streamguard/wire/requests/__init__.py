"""Reads question and passages from a request."""
