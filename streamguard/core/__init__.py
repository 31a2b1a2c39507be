"""The pure part: text in, findings and one result out; no I/O, clock or randomness."""
