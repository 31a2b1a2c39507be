"""`streamguard proxy`: a reverse proxy in front of any server whose answers stream."""

from __future__ import annotations

import argparse
import importlib
import json
import logging
import os
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType

import aiohttp
from aiohttp import web
from aiohttp.typedefs import Handler

from streamguard.core.checks.blockable import checked_block
from streamguard.core.context import Context
from streamguard.core.model.policy import PRESETS, Policy
from streamguard.core.validate import check_text
from streamguard.errors import ConfigError, lacking
from streamguard.server.headers import encoded_dots, unsafe, upstream_url
from streamguard.server.http.bodies import READ_BYTES, refused
from streamguard.server.http.connections import Connector
from streamguard.server.http.hosts import hosts_of, only_for
from streamguard.server.observe.logs import set_up
from streamguard.server.proxy.config import MAX_OPEN_STREAMS, Settings, add_arguments
from streamguard.server.proxy.exchange import PROXY, Proxy
from streamguard.server.proxy.limits import CONNECT_TIMEOUT_S
from streamguard.server.proxy.recording import Recordings
from streamguard.server.proxy.side_channel import (
    OWN,
    add_routes,
    make_inner,
    make_metrics,
    take_feedback,
)
from streamguard.server.proxy.sockets.tunnel import is_websocket, tunnelled
from streamguard.server.request_context import Policies
from streamguard.server.request_options import Forms
from streamguard.server.results.context_store import ContextStore
from streamguard.server.results.feedback import (
    FeedbackFile,
    FeedbackKeeper,
    SharedFeedback,
    checked_file,
)
from streamguard.server.results.result_store import ResultStore
from streamguard.server.results.shared import SharedResults, check_shared, shared_settings
from streamguard.server.workers.descriptors import PER_STREAM, raised_limit, streams_of
from streamguard.server.workers.serve import (
    GRACE_S,
    address,
    make_runner,
    run_until_stopped,
    serve,
    start,
)
from streamguard.server.workers.siblings import SiblingWorkers
from streamguard.server.workers.workers import Worker, run_workers
from streamguard.settings import load_policy
from streamguard.text.patterns import compile_all
from streamguard.verify.specs import named_judge, named_verifiers, readers_of
from streamguard.wire.dialect import FORMS
from streamguard.wire.found import checked_path
from streamguard.wire.requests.shown import checked_context_template

__all__ = ["PROXY", "Settings", "add_arguments", "make_app", "run"]

TOKEN_VARIABLE = "STREAMGUARD_RESULTS_TOKEN"  # noqa: S105  (a name, not a token)

_SETTINGS = web.AppKey("settings", Settings)
_WORKER = web.AppKey("worker", Worker)

_JUDGINGS = ("off", "allow", "upstream")

log = logging.getLogger("streamguard.proxy")


def make_app(settings: Settings, worker: Worker | None = None) -> web.Application:
    """Return the proxy as an application; run it with `serve.make_runner`.

    As one of several workers it also serves the others. Raises `ConfigError` for an invalid
    upstream address, or if traces are enabled and their package is missing.
    """
    upstream_url(settings.upstream)
    if settings.traces:
        _tracing()
    if settings.record is not None:
        Recordings(settings.record).close()  # a folder that cannot be written fails at the start
    check_shared(settings.shared)
    app = web.Application(middlewares=[_in_order, only_for(settings.hosts, OWN)])
    app[_SETTINGS] = settings
    app[_WORKER] = worker or Worker()
    app.cleanup_ctx.append(_proxy)
    app.on_shutdown.append(_drain)
    add_routes(app)
    app.router.add_route("*", r"/{tail:[\s\S]*}", _relay)  # a path may hold a written line break
    app.router.add_route("*", "/", _relay)
    return app


def run(args: argparse.Namespace) -> int:
    """Run the proxy until it is stopped; return the exit status.

    Raises `ConfigError` for a wrong setting.
    """
    settings = settings_of(args)
    host, port = address(args.listen)
    make_app(settings)  # a wrong setting fails before anything starts

    def work(port: int, worker: Worker) -> int:
        several = {"worker": worker.number} if worker.count > 1 else {}
        set_up(args.log_level, always=several)
        # In the process that calls them: a model's threads do not survive a fork.
        readers = named_verifiers(args.verifier, os.environ)
        for one in readers_of(readers, settings.named_judge):
            if one.notice is not None:
                log.info(one.notice)
        app = make_app(replace(shared_out(settings, worker.count), verifiers=readers), worker)
        announce = lambda _base: worker.report_listening()  # noqa: E731
        served = serve(app, host, port, "proxy", announce, parent=worker.parent)
        run_until_stopped(served, args.loop)
        return 0

    if args.workers == 1:
        return work(port, Worker())
    _warm_up()  # once, before the workers share the memory
    set_up(args.log_level)
    return run_workers(args.workers, host, port, work)


def shared_out(settings: Settings, workers: int) -> Settings:
    """Return the settings of one of `workers`: each gets its share of the limits, rounded up."""
    return replace(
        settings,
        max_results=-(-settings.max_results // workers),
        max_results_bytes=-(-settings.max_results_bytes // workers),
        max_contexts=-(-settings.max_contexts // workers),
        max_open_streams=-(-settings.max_open_streams // workers),
    )


def settings_of(args: argparse.Namespace) -> Settings:
    """Return the settings in flags and environment."""
    metrics = args.metrics_listen
    if args.judge == "off" and args.judge_share < 1.0:
        raise ConfigError("--judge-share is given without --judge")
    judge = None
    if args.judge not in _JUDGINGS:
        judge = replace(named_judge(args.judge, os.environ), share=args.judge_share)
    return Settings(
        upstream=args.upstream,
        hosts=hosts_of(address(args.listen)[0], args.allow_host),
        policies=Policies(
            checked_block(_policy(args)),
            {name: _preset(name) for name in args.allow_policy},
            {name: _of_collection(name, policy) for name, policy in args.collection_policy},
        ),
        forms=_forms(args),
        context_from=args.context_from,
        context_template=_template_in(args.context_template),
        check_paths=tuple(args.check_path),
        text=checked_path(args.text),
        require_check=args.require_check,
        store_text=args.store_text,
        judge="named" if judge is not None else args.judge,
        judge_share=args.judge_share,
        named_judge=judge,
        results_token=token_of(args.results_token),
        max_results=args.max_results,
        max_results_bytes=args.max_results_bytes,
        results_ttl_s=args.results_ttl,
        feedback=None if args.feedback is None else checked_file(args.feedback),
        record=args.record,
        max_body_bytes=args.max_body_bytes,
        max_open_streams=_open_streams(args.max_open_streams, args.workers),
        max_context_bytes=args.max_context_bytes,
        idle_timeout_s=args.idle_timeout,
        shared=shared_settings(args),
        traces=args.traces,
        metrics_listen=metrics and address(metrics, "metrics-listen"),
    )


def _policy(args: argparse.Namespace) -> Policy:
    """Return the server's own policy, overridden by the flags of holding."""
    loaded = load_policy(args.policy, assignments=_holding(args), assigned_by="--hold and --block")
    return loaded.policy


def _holding(args: argparse.Namespace) -> list[str]:
    """Return the policy settings that the flags of holding stand for."""
    block = [name.strip() for name in (args.block or "").split(",") if name.strip()]
    violation = args.on_violation or ("stop" if block else None)
    options = {"hold": args.hold, "on_violation": violation, "block": block or None}
    return [f"{name}={json.dumps(value)}" for name, value in options.items() if value is not None]


def _open_streams(requested: int | None, workers: int) -> int:
    """Return how many streams are checked at once, bounded by the limit of open files."""
    files = raised_limit()
    most = MAX_OPEN_STREAMS if files is None else streams_of(files) * workers
    if requested is None:
        return min(MAX_OPEN_STREAMS, most)
    if files is not None and requested > most:
        raise ConfigError(
            f"max-open-streams is {requested}, expected at most {most}: each of {workers} processes"
            f" may have {files} files open, {PER_STREAM} for a stream; raise the hard limit"
            " (ulimit -Hn) or the number of workers"
        )
    return requested


def _forms(args: argparse.Namespace) -> Forms:
    allowed = FORMS if args.allow_form is None else tuple(args.allow_form)
    default = None if args.form == "default" else args.form
    return Forms(default, allowed, args.max_annotation_bytes)


def _template_in(file: Path | None) -> str | None:
    if file is None:
        return None
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as exc:
        message = getattr(exc, "strerror", None) or exc
        raise ConfigError(f"context-template {file} cannot be read: {message}") from exc
    return checked_context_template(text)


def _preset(name: str) -> Policy:
    """Return a preset, modified by the environment like the server's own policy."""
    if name not in PRESETS:  # a request names presets only, never a file
        raise ConfigError(f"allow-policy is {name!r}, expected one of {', '.join(PRESETS)}")
    return load_policy(name).policy


def _of_collection(collection: str, policy: str) -> Policy:
    try:
        return checked_block(load_policy(policy).policy)
    except ConfigError as exc:
        raise ConfigError(f"collection-policy {collection}: {exc}") from exc


def token_of(option: str | None) -> str | None:
    """Return the token in a flag or the environment; an empty one is None."""
    if option is not None and not option.strip():
        raise ConfigError("results-token is empty, expected a token")
    return option or os.environ.get(TOKEN_VARIABLE) or None


async def _proxy(app: web.Application) -> AsyncIterator[None]:
    settings = app[_SETTINGS]
    timeout = aiohttp.ClientTimeout(
        total=None, connect=CONNECT_TIMEOUT_S, sock_read=settings.idle_timeout_s
    )
    session = aiohttp.ClientSession(
        connector=Connector(),
        cookie_jar=aiohttp.DummyCookieJar(),  # cookies belong to the clients
        timeout=timeout,
        auto_decompress=False,
        read_bufsize=READ_BYTES,
        skip_auto_headers=("User-Agent", "Accept", "Content-Type"),
    )
    shared = None if settings.shared is None else SharedResults(settings.shared)
    store = ResultStore(
        settings.max_results,
        settings.results_ttl_s,
        store_text=settings.store_text,
        max_bytes=settings.max_results_bytes,
        shared=shared,
    )
    if shared is not None:
        shared.warm()
    siblings = SiblingWorkers(app[_WORKER])
    contexts = ContextStore(settings.max_contexts, new_id=siblings.new_id)
    upstream = upstream_url(settings.upstream)
    app[PROXY] = Proxy(settings, upstream, session, store, contexts, siblings)
    if settings.traces:
        tracing = _tracing()
        app[PROXY].tracing = tracing.Tracing(upstream)
        if not tracing.are_kept():
            log.warning("traces go nowhere: no OpenTelemetry SDK is set up (docs/deploy.md)")
    recordings = None if settings.record is None else Recordings(settings.record)
    app[PROXY].recordings = recordings
    for name, value in settings.limits().items():
        app[PROXY].metrics.limits.set(value, name)
    _warm_up()
    keeper: FeedbackKeeper | None = None
    if settings.feedback is not None:
        keeper = FeedbackFile(settings.feedback)
    if shared is not None and shared.journal is not None:
        keeper = SharedFeedback(shared, keeper)
    feedback = None if keeper is None else take_feedback(app, app[PROXY], keeper)
    inner = make_runner(make_inner(app[PROXY], feedback))
    watched = make_runner(make_metrics(app[PROXY]))
    if own := siblings.socket_of(siblings.worker.number):
        await inner.setup()
        await web.UnixSite(inner, own).start()
    if settings.metrics_listen is not None:
        base = await start(watched, *settings.metrics_listen, shared=siblings.worker.count > 1)
        log.info("metrics", extra={"fields": {"address": base}})
    yield
    await watched.cleanup()
    await inner.cleanup()
    await siblings.close()
    await session.close()
    await store.aclose()
    if recordings is not None:
        recordings.close()


def _tracing() -> ModuleType:
    try:
        return importlib.import_module("streamguard.server.observe.tracing")
    except ImportError as exc:
        raise ConfigError(lacking("OpenTelemetry", "otel")) from exc


@cache
def _warm_up() -> None:
    """Create once a process, at start, patterns and objects that first use would create."""
    compile_all()
    context = Context(query="What does it cost?", chunks=["It costs $49 per month [C1]."])
    check_text("I'm not sure, but Jane Doe says: it costs $59 since 5 May 2024.", context=context)


async def _drain(app: web.Application) -> None:
    await app[PROXY].drain(GRACE_S)


@web.middleware
async def _in_order(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Reject a request that two peers might interpret differently, and close its connection."""
    wrong = unsafe(request.method, request.version[:2], request.headers)
    wrong = wrong or encoded_dots(request.raw_path)
    if wrong is None:
        return await handler(request)
    refusal = refused(400, wrong, "bad_request")
    request.app[PROXY].metrics.refused(refusal.status, refusal.code)
    refusal.force_close()
    return refusal


async def _relay(request: web.Request) -> web.StreamResponse:
    return await request.app[PROXY].relay(request, tunnelled if is_websocket(request) else None)
