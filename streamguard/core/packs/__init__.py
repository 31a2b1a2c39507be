"""Packs: additional checks that a policy enables; none runs by default.

A policy names them in `packs`: "secrets", "pii" (or single kinds, "pii:iban"), "regex" (the
policy's `patterns`), "links" and "language". A match that the passages or the question show is no
finding, nor is one that `pack_allow` lists. A match of a `SENSITIVE` flag never stands in a
finding: its `value` is a placeholder.
"""
