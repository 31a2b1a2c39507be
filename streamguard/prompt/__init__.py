"""Reads prompts: the application's passages in its messages, and the question."""
