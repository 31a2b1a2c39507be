"""Recorded answers that stream through replay and proxy, each followed by its findings."""
