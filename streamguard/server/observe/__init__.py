"""Metrics, logs and traces for a server's operators."""
