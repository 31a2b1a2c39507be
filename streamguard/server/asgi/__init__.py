"""Guard the answers of an ASGI application: Starlette, FastAPI, Quart, Litestar and their like.

    app.add_middleware(StreamGuardMiddleware, store=store)
    app.mount("/streamguard/results", results_app(store))
    app.mount("/streamguard/feedback", feedback_app(store, FeedbackFile("feedback.jsonl")))
    app.mount("/streamguard/contexts", contexts_app(contexts))  # one given to the middleware too
    app.mount("/streamguard/metrics", metrics_app(metrics))  # likewise

A handler gives the context of its answer by `provide_context(request, context)`. Nothing here
imports asyncio or a framework: it runs wherever the server does, on trio too.
"""

from streamguard.server.asgi.context_source import ContextOf, provide_context
from streamguard.server.asgi.endpoints import contexts_app, feedback_app, metrics_app, results_app
from streamguard.server.asgi.middleware import StreamGuardMiddleware
from streamguard.server.observe.metrics import Metrics

__all__ = [
    "ContextOf",
    "Metrics",
    "StreamGuardMiddleware",
    "contexts_app",
    "feedback_app",
    "metrics_app",
    "provide_context",
    "results_app",
]
