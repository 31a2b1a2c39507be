"""Protocols of answers, one per file: where the text is, and how an annotation fits in."""
