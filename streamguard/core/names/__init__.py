"""Proper names: how they are written, and which of them the sources hold."""
