"""Processes: one server until it is stopped, or several behind one address."""
