"""Faults of upstreams and clients, made from seeds, and what must come of each.

`kinds.KINDS` names them; `run` sends thousands of them through a proxy and counts.
"""
