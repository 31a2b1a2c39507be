"""Selects the API key for a server: OpenAI's key goes only to OpenAI's own host."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from urllib.parse import urlsplit

OPENAI_HOST = "api.openai.com"
OPENAI_VARIABLE = "OPENAI_API_KEY"
JUDGE_VARIABLE = "STREAMGUARD_JUDGE_KEY"
EMBEDDING_VARIABLE = "STREAMGUARD_EMBEDDING_KEY"
UPSTREAM_VARIABLE = "STREAMGUARD_UPSTREAM_KEY"

log = logging.getLogger("streamguard.keys")


def key_for(url: str, environ: Mapping[str, str], own_variable: str) -> str | None:
    """Return the key for the server at `url`, None if `environ` holds none for it.

    The key in `own_variable` goes to any server. `OPENAI_API_KEY` goes only to
    https://api.openai.com: many programs read that variable, so its owner may not have meant it for
    another server. If it is withheld, the log names the variable to set.
    """
    if own := environ.get(own_variable):
        return own
    openai = environ.get(OPENAI_VARIABLE) or None
    if openai is None or is_openai(url):
        return openai
    log.warning(
        "%s goes to %s alone: if %s needs a key, set %s",
        OPENAI_VARIABLE,
        OPENAI_HOST,
        _host(url) or "the server",
        own_variable,
        extra={"fields": {"event": "key_held_back", "variable": own_variable}},
    )
    return None


def is_openai(url: str) -> bool:
    """Return whether `url` is on OpenAI's own host, over TLS and at its usual port."""
    try:
        parts = urlsplit(url)
        return (parts.scheme, parts.hostname) == ("https", OPENAI_HOST) and not (
            parts.port not in (None, 443) or parts.username or "\\" in parts.netloc
        )
    except ValueError:  # brackets or a port that are none
        return False


def _host(url: str) -> str | None:
    """Return the host of `url` for a message, without user and password."""
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None
