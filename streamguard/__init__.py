"""Annotate LLM answer streams with what the retrieved documents support."""
