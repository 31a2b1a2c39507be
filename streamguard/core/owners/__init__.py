"""Whose a value of the passages is: the tree of owners, and fillers of several side by side."""
