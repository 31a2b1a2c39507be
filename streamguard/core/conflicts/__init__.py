"""A sentence set against those of the chunks: the same words around it, something else in it."""
