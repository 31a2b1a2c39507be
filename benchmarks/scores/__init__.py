"""What `benchmarks/scoreboard.py` measures, a module a kind of figure.

All of it runs against the code that is imported, so that one measuring serves two versions.
"""
