"""Random input against independent references: `python -m tests.programs.fuzz.run`.

Every part is a module with `CASE`, what one case is in words, and `case(seed)`, which raises
`AssertionError` where the two differ; the same seed makes the same case.
"""
