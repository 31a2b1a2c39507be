"""Values that no passage holds but that follow from others by a short reckoning."""
