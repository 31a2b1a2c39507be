"""The index over the retrieved chunks: built once per context, asked by every check."""
