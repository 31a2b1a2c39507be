"""A server for LiteLLM's generic guardrail API: nothing is installed in its proxy.

    web.run_app(make_app(sinks=[jsonl_sink("verdicts.jsonl")]), host="127.0.0.1", port=8600)

In the proxy's `config.yaml`; both modes are needed, since the first sends the question and the
second the answer:

    guardrails:
      - guardrail_name: streamguard
        litellm_params:
          guardrail: generic_guardrail_api
          mode: [pre_call, post_call]
          api_base: http://127.0.0.1:8600
          unreachable_fallback: fail_open
          streaming_end_of_stream_only: true
          default_on: true
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, Unpack

from aiohttp import web
from anyio import to_thread
from anyio.lowlevel import checkpoint

from streamguard.core.context import Context
from streamguard.errors import DecodeError
from streamguard.integrations.options import KEY, Options, as_data
from streamguard.integrations.streams import judged
from streamguard.wire.codecs.json_turns import reading
from streamguard.wire.fields import items
from streamguard.wire.requests.shown import context_of

PATH = "/beta/litellm_basic_guardrail_api"
MAX_REMEMBERED = 1_000  # contexts of calls that still run; guess: calls at once on one proxy
MAX_REMEMBERED_BYTES = 64 * 2**20  # of the requests that show them; guess, a few hundred books
MAX_BODY_BYTES = 16 * 2**20  # guess: a few long documents


def make_app(
    *, max_remembered: int = MAX_REMEMBERED, **options: Unpack[Options]
) -> web.Application:
    """Return a server that judges every answer and never intervenes (`action: NONE`).

    The verdict goes to `sinks`, and into the answer under the key `streamguard`; LiteLLM does not
    pass it on to its own client. `max_remembered`: number of running calls whose context is kept,
    with `MAX_REMEMBERED_BYTES` of requests in total; an answer without a kept request, or without a
    call id, is judged without context. The other options are those of `guard`.
    """
    asked: OrderedDict[str, tuple[Context, int]] = OrderedDict()

    async def check(request: web.Request) -> web.Response:
        try:
            body = await _parsed(sent := await request.read())
        except DecodeError as exc:
            raise web.HTTPBadRequest(text=str(exc)) from exc
        if not isinstance(body, Mapping):
            raise web.HTTPBadRequest(text=f"the body is a {type(body).__name__}, not an object")
        call = body.get("litellm_call_id")
        if body.get("input_type") == "request":
            if call and isinstance(call, str):
                # Beside the loop: a prompt may hold whole documents.
                messages = body.get("structured_messages")
                asked[call] = (await to_thread.run_sync(context_of, messages), len(sent))
                remembered = sum(size for _, size in asked.values())
                while len(asked) > max_remembered or remembered > MAX_REMEMBERED_BYTES:
                    remembered -= asked.popitem(last=False)[1][1]
            return web.json_response({"action": "NONE"})
        context = asked[call][0] if isinstance(call, str) and call in asked else None
        annotations = [
            as_data(await judged(text, context, options))
            for text in items(body, "texts")
            if isinstance(text, str)
        ]
        return web.json_response({"action": "NONE", KEY: annotations})

    app = web.Application(client_max_size=MAX_BODY_BYTES)
    app.router.add_post(PATH, check)
    return app


async def _parsed(body: bytes) -> Any:
    """Parse JSON in turns; raises `DecodeError` for anything else."""
    turns = reading(body)
    while True:
        try:
            next(turns)
        except StopIteration as end:
            return end.value.value
        await checkpoint()
