"""The machine: fed piece by piece, it judges each sentence as it settles, and closes once."""
