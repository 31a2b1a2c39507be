"""`streamguard replay`: its help; `server.chat.replay` does the work."""

from __future__ import annotations

from streamguard.server.chat.replay import add_arguments, run

__all__ = ["DESCRIPTION", "EPILOG", "add_arguments", "run"]

DESCRIPTION = """\
An OpenAI-compatible server that streams recorded answers: the one whose question is asked, else
the next in turn. For trying the proxy, for tests and benchmarks; no model, no key."""
EPILOG = """\
FILE holds one JSON object a line (.gz allowed): question, chunks (a list of texts), answer.

example:
  streamguard replay answers.jsonl --listen 127.0.0.1:8401 --split random
  streamguard proxy --upstream http://127.0.0.1:8401/v1"""
