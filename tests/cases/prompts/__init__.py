"""Prompts as applications write them, each with the passages and the question that it holds."""
