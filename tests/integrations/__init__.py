"""The integrations against the real packages; a package that is absent skips its file."""
