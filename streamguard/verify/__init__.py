"""Verifiers: slow readers of settled claims, asked beside the stream and never in its way."""
