"""Tests import their helpers from here: small things to ask, and servers to ask them of.

| for | files |
|---|---|
| what is asked and answered | `answers`, `frames`, `streams`, `bringing`, `held_streams` |
| servers and applications | `serving`, `asgi`, `upstreams`, `relaying`, `chatting` |
| judges and models | `judges`, `failing_judges`, `onnx_models` |
| a person's commands and files | `commands`, `terminal`, `documents`, `kept_results` |
| tables of cases | `tables`; the cases themselves are in `tests/cases/` |
"""
