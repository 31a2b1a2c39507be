"""Processes: one server until it is stopped, or several that share an address."""
