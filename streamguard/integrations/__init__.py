"""Streams of SDKs and frameworks, each in a file of its own that is imported on demand."""
