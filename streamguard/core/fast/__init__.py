"""The scorer of the core: one linear model says how likely the passages support a sentence."""
