"""The upstream's own model as judge of its answers: with the request's address, key and model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import aiohttp
from aiohttp import web
from yarl import URL

from streamguard.server import headers as http
from streamguard.server.proxy.config import Settings
from streamguard.server.request_options import RequestOptions
from streamguard.verify.judge import judge_by
from streamguard.verify.judge_client import MAX_ANSWER_BYTES, read_up_to
from streamguard.verify.judge_limits import RequestLimits
from streamguard.verify.specs import readers_of
from streamguard.verify.verifier import Verifier

_CHAT = "/chat/completions"
# The headers of the request that identify its sender; no other header goes to the judge.
_CREDENTIALS = (
    "Authorization",
    "api-key",
    "x-api-key",
    "OpenAI-Organization",
    "OpenAI-Project",
)


def wants_upstream(settings: Settings, options: RequestOptions) -> bool:
    """Return whether the upstream judges the answer, within the server's settings."""
    return settings.judge in ("allow", "upstream") and (
        options.judge is True or (options.judge is None and settings.judge == "upstream")
    )


def readers_for(settings: Settings, options: RequestOptions) -> tuple[Verifier, ...]:
    """Return the verifiers of an answer, with the named judge unless the request forbids it."""
    judge = settings.named_judge if options.judge is not False else None
    return readers_of(settings.verifiers, judge)


def upstream_judge(
    session: aiohttp.ClientSession,
    upstream: URL,
    request: web.Request,
    model: str,
    share: float,
    pace: RequestLimits,
) -> Verifier:
    """Return the request's own upstream as a verifier; only the request keeps the key.

    The circuit breaker is per request too, since another key's failures say nothing. One `pace` is
    shared by all. The judge is asked on the request's path if that is one of Chat Completions, else
    on the corresponding one.
    """
    path, mark, query = http.without_ours(request.raw_path)[0].partition("?")
    if not path.endswith(_CHAT):
        root = next((root for root in ("/v1/", "/api/") if root in path), path)
        path = f"{path.rpartition(root)[0]}/v1{_CHAT}"
    url = http.target(upstream, path + mark + query) or upstream
    sent = {name: request.headers[name] for name in _CREDENTIALS if name in request.headers}
    if "Authorization" not in sent and "x-api-key" in sent:  # as Anthropic's own requests have it
        sent["Authorization"] = f"Bearer {sent['x-api-key']}"
    sent["Accept-Encoding"] = "identity"
    sent["Content-Type"] = "application/json"  # the session adds none by itself

    async def post(body: Mapping[str, Any]) -> tuple[int, bytes]:
        try:
            async with session.post(
                url, json=body, headers=sent, allow_redirects=False
            ) as response:
                return response.status, await read_up_to(response.content, MAX_ANSWER_BYTES)
        except aiohttp.ClientError as exc:
            raise ConnectionError from exc

    # Not by the model's name: a request may name anything, and metrics hold it.
    return judge_by(post, model, share=share, name="upstream", pace=pace)
