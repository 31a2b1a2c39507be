"""The demo: recorded answers stream through replay and proxy, each with its findings."""
