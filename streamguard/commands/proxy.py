"""`streamguard proxy`: its help; `server.proxy.app` does the work."""

from __future__ import annotations

import argparse

from streamguard.server.proxy.config import add_arguments

__all__ = ["DESCRIPTION", "EPILOG", "add_arguments", "run"]

DESCRIPTION = """\
Stand in front of any server whose answers stream: relay everything, byte for byte, and check the
answers of these protocols, streamed or in one piece:

  OpenAI Chat Completions, Completions and Responses
  OpenAI Realtime, and Responses, over WebSocket (other WebSockets pass unchecked)
  Anthropic Messages, also on Vertex AI       Cohere (version 2)
  Gemini, as events and as a JSON array       Ollama
  UI message streams (version 1)              AG-UI, A2A (with --check-path)
  Dify, LangGraph                             text by hand (with --check-path):
                                              events, JSON lines, text/plain

The annotation rides in a frame that is ordinary for the protocol, or at the top level of a plain
JSON answer; where nothing has room for it, the result is at GET /streamguard/results/ID."""
EPILOG = """\
A request says what its answer is checked against: passages in its messages, by the marks that
people and frameworks use ([1], "Context:", <document>, "Source 1:"; docs/prompts.md), or the body
key "streamguard": {"query", "chunks", "context_template", "language", "policy", "collection"},
which is taken out before the request goes on. The header x-streamguard: off relays unchecked,
header checks without anything in-band, chunk adds a frame of our own, attach a key in a frame of
the upstream's, event a named event; each protocol has its default.

example:
  streamguard proxy --upstream https://api.openai.com/v1
  ... and in the application: OpenAI(base_url="http://127.0.0.1:8080")"""


def run(args: argparse.Namespace) -> int:
    """Run the proxy until it is stopped; raises `ConfigError` for a wrong setting."""
    from streamguard.server.proxy import app  # aiohttp takes its time: only where it serves

    return app.run(args)
