"""Adapters for SDKs and frameworks, one per file, imported on demand."""
