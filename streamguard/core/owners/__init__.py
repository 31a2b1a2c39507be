"""Whose a value of the passages is: the tree of owners, and how their lines grow it."""
