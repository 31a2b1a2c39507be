"""Programs that try the package from outside; `make` starts each of them, and none is a test.

| folder | started by | tries |
|---|---|---|
| `clients` | `make test-clients` | unmodified clients, with and without the proxy |
| `faults` | `make faults` | faults of upstreams and clients through the proxy |
| `first_day` | `make test-first-day` | usual prompts through every door, in usual streams |
| `fuzz` | `make fuzz` | random cases beside independent references |
"""
