"""Which packages the client matrix installs, at which versions, and which probe runs on each set.

A set is one folder and one process. The versions are the newest of their major on 2026-11-21.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class ClientSet:
    """Packages that are installed together, and the probe that drives them."""

    name: str
    probes: tuple[str, ...]
    packages: tuple[str, ...]

    @property
    def node(self):
        """Whether Node runs it."""
        return self.probes[0].endswith(".mjs")


SETS = (
    ClientSet("openai-1", ("probe_openai.py",), ("openai==1.109.1",)),
    ClientSet("openai-2", ("probe_openai.py",), ("openai==2.54.0",)),
    ClientSet(
        "python",
        (
            "probe_openai.py",
            "probe_anthropic.py",
            "probe_http.py",
            "probe_langchain.py",
        ),
        (
            "openai==3.54.0",
            "anthropic==2.12.0",
            "httpx-sse==0.4.3",
            "ollama==0.6.3",
            "langchain-openai==1.7.3",
        ),
    ),
    ClientSet(
        "node-before",
        ("probe_openai.mjs", "probe_ai.mjs"),
        (
            "openai@6.49.0",
            "ai@6.0.326",
            "@ai-sdk/openai@3.0.141",
            "@ai-sdk/anthropic@3.0.138",
            "@ai-sdk/openai-compatible@2.0.87",
            "zod@4.6.7",
        ),
    ),
    ClientSet(
        "node",
        ("probe_openai.mjs", "probe_ai.mjs", "probe_more.mjs"),
        (
            "openai@7.57.0",
            "ai@7.0.173",
            "@ai-sdk/openai@4.0.118",
            "@ai-sdk/anthropic@4.0.105",
            "@ai-sdk/openai-compatible@3.0.92",
            "zod@4.6.7",
            "@anthropic-ai/sdk@1.12.0",
            "@langchain/openai@1.6.0",
            "@langchain/core@1.4.0",
            "ollama@0.6.4",
            "eventsource@5.1.5",
            "@microsoft/fetch-event-source@2.0.1",
        ),
    ),
)
