"""Checks logged answers after the fact, and compares two policies on them."""
