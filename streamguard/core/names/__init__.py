"""Proper names: their forms, and the sources that hold them."""
