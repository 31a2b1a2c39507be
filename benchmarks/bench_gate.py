"""What the gate lets through on small handbooks: answerable and unanswerable questions.

    python -m benchmarks.bench_gate [--embedding NAME] [--each]

Each folder below `benchmarks/handbooks` holds `documents/` and `questions.txt`, whose lines name the
file that answers a question, or `-` where none does. `development` was read while the rules and
levels were made: its odd questions fitted them, its even ones were held back. `held_out` was
written before them and judged once.
"""
