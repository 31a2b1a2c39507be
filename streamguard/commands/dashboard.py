"""`streamguard dashboard`: statistics over the results of many answers."""

from __future__ import annotations

import argparse
import os
import sys

from streamguard.errors import ConfigError

DESCRIPTION = """\
Show the results that other commands keep with --results: status, flags, refusals, confidence and
added time over the days; what was warned of most; areas that need documentation, by the keywords of
questions that were refused, answered without support or retrieved with little confidence; what
people say of which check; and each result by itself."""
EPILOG = """\
examples:
  streamguard dashboard --results sqlite:///streamguard.db
  streamguard dashboard --results postgresql://user:password@host/name --listen 127.0.0.1:8091"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `streamguard dashboard`."""
    add = parser.add_argument
    add(
        "--results",
        metavar="URL",
        help="the database, as the proxy takes it (default: STREAMGUARD_RESULTS)",
    )
    add(
        "--listen",
        default="127.0.0.1:8090",
        metavar="HOST:PORT",
        help="where to listen; port 0 takes any free one (default: %(default)s)",
    )
    add(
        "--results-token",
        metavar="TOKEN",
        help="show figures and results only to whoever gives it on the page"
        " (default: STREAMGUARD_RESULTS_TOKEN; without one, anybody who reaches the address)",
    )
    add("--log-level", default="info", choices=("debug", "info", "warning", "error"))


def run(args: argparse.Namespace) -> int:
    """Serve until stopped; raises `ConfigError` for a wrong flag or a package that is missing."""
    from streamguard.rag.extras import library

    app_of = library("streamguard.server.dashboard.app", "sql").make_app
    from streamguard.server.http.hosts import hosts_of
    from streamguard.server.observe.logs import set_up
    from streamguard.server.proxy.app import token_of
    from streamguard.server.results.shared import URL_VARIABLE
    from streamguard.server.workers.serve import address, run_until_stopped, serve

    url = args.results or os.environ.get(URL_VARIABLE)
    if not url:
        raise ConfigError(f"--results is missing: name the database, or set {URL_VARIABLE}")
    host, port = address(args.listen)
    library("streamguard.sinks.sql.database", "sql").check_there(url)
    token = token_of(args.results_token)
    hosts = hosts_of(host)
    app = app_of(url, token=token, hosts=hosts)
    set_up(args.log_level)
    run_until_stopped(serve(app, host, port, "dashboard", _announce))
    return 0


def _announce(base: str) -> None:
    sys.stdout.write(f"a page to open:    {base}/dashboard/   (Ctrl-C ends it)\n")
    sys.stdout.flush()
