"""Recorded answers that stream through replay and proxy, each followed by what was found."""
