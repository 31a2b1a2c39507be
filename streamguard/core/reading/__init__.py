"""The role and subject of a sentence, by its words alone."""
