"""Characters to sentences and words."""
