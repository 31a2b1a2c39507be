"""Splits text into sentences and words."""
