"""A server that speaks every protocol, for real clients to talk to through the proxy.

    python -m tests.programs.clients.upstream [--listen 127.0.0.1:0] [--delay-ms 0]

It prints one line of JSON with its address, and serves until it is stopped. The scenario (see
`tests/kit/streams.py`) is the request's model, `text` where that names none; `text-crlf` and
the like frame events with CRLF, `text-late` waits 0.4 s in front of the last frames, `text-short`
ends the body inside the answer. `stream` in the body asks for a stream (Ollama: unless false), and
Chat Completions add usage where `stream_options.include_usage` asks for it.

    POST …/chat/completions  …/completions  …/responses  …/v1/messages  …/api/chat  …/api/generate
    POST …/models/MODEL:streamGenerateContent  …/models/MODEL:generateContent
    POST or GET /ui  /events  /lines      the model as ?model=
"""

import argparse
import asyncio
import contextlib
import json

from aiohttp import web

from streamguard.server.workers.serve import make_runner, start
from tests.kit import streams

PATHS = {
    "/chat/completions": "chat", "/completions": "completions", "/responses": "responses",
    "/v1/messages": "anthropic", ":streamGenerateContent": "gemini", ":generateContent": "gemini",
    "/v2/chat": "cohere", "/api/chat": "ollama_chat", "/api/generate": "ollama_generate",
    "/ui": "ui", "/events": "events", "/lines": "lines",
}  # fmt: skip
LATE_S = 0.4  # what a slow verdict of an upstream's own takes; the notes measured with it
_ASKED = ("chat", "completions", "responses", "anthropic", "cohere")  # else it is told
_LINES = ("ollama_chat", "ollama_generate", "lines")
_OPEN = {"Access-Control-Allow-Origin": "*"}  # for pages of other origins
_DELAY = web.AppKey("delay_s", float)


def make_app(delay_s=0.0):
    """Return the server; `delay_s` seconds pass between two frames."""
    app = web.Application(client_max_size=2**25)
    app[_DELAY] = delay_s
    app.router.add_route("*", "/{version}/models/{model}:{method}", _answer)
    app.router.add_route("*", "/{tail:.*}", _answer)
    return app


async def _answer(request):
    if request.method == "OPTIONS":
        return web.Response(headers={**_OPEN, "Access-Control-Allow-Headers": "*"})
    protocol = next((found for end, found in PATHS.items() if request.path.endswith(end)), None)
    if protocol is None:
        error = {"message": f"no such path: {request.path}"}
        return web.json_response({"error": error}, status=404)
    asked = await request.json() if request.can_read_body else {}
    named = asked.get("model") or request.query.get("model") or request.match_info.get("model")
    scenario, _, how = str(named or "").partition("-")
    if scenario not in (*streams.SCENARIOS, "long") or not streams.has(protocol, scenario):
        scenario = "text"
    options = asked.get("stream_options") or {}
    if options.get("include_usage") and scenario == "text":
        scenario = "usage"
    if protocol == "gemini":
        asked["stream"] = request.match_info["method"].startswith("stream")
    if not asked.get("stream", protocol not in _ASKED):
        body = streams.whole(protocol, scenario)
        return web.Response(body=body, content_type="application/json")
    return await _stream(request, protocol, streams.frames(protocol, scenario), how)


async def _stream(request, protocol, frames, how):
    kind = "application/x-ndjson" if protocol in _LINES else "text/event-stream"
    response = web.StreamResponse(headers={"Content-Type": kind, **_OPEN})
    if protocol == "ui":
        response.headers["x-vercel-ai-ui-message-stream"] = "v1"
    if how == "short":
        frames = frames[: len(frames) // 2]
    await response.prepare(request)
    try:
        for number, frame in enumerate(frames):
            if how == "late" and number == len(frames) - 2:
                await asyncio.sleep(LATE_S)
            await response.write(frame.replace(b"\n", b"\r\n") if how == "crlf" else frame)
            await asyncio.sleep(request.app[_DELAY])
        if how == "short":
            request.transport.close()
    except ConnectionError:
        pass  # the client left
    return response


async def _serve(host, port, delay_s):
    runner = make_runner(make_app(delay_s))
    try:
        print(json.dumps({"upstream": await start(runner, host, port)}), flush=True)
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--listen", default="127.0.0.1:0", metavar="HOST:PORT")
    parser.add_argument("--delay-ms", type=float, default=0.0, metavar="N")
    args = parser.parse_args()
    host, _, port = args.listen.rpartition(":")
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(host, int(port), args.delay_ms / 1_000))


if __name__ == "__main__":
    main()
