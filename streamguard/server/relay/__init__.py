"""Decides which bytes of an answer pass on when, and where its annotation goes; without I/O."""
