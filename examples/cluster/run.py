"""Two proxies behind nginx, with PostgreSQL and Redis between them, as plain processes.

    python examples/cluster/run.py --upstream https://api.openai.com/v1

It makes a database of its own in a temporary folder, prints the address that clients use, and ends
everything with Ctrl-C. PostgreSQL, Redis (or Valkey) and nginx are to be installed: Debian's
packages postgresql, redis-server and nginx-light. `compose.yaml` beside this file is the same for
containers.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

PATIENCE_S = 60.0
PROXIES = ("one", "two")
NGINX = """\
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/nginx.log;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    client_body_temp_path {folder}/nginx-body;
    proxy_temp_path {folder}/nginx-proxy;
    fastcgi_temp_path {folder}/nginx-fastcgi;
    uwsgi_temp_path {folder}/nginx-uwsgi;
    scgi_temp_path {folder}/nginx-scgi;
    upstream proxies {{
        server 127.0.0.1:{one} max_fails=1 fail_timeout=1s;
        server 127.0.0.1:{two} max_fails=1 fail_timeout=1s;
    }}
    server {{
        listen 127.0.0.1:{front};
        location / {{
            proxy_pass http://proxies;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_buffering off;
            proxy_read_timeout 600s;
            client_max_body_size 32m;
        }}
    }}
}}
"""


def missing() -> dict[str, str]:
    """Return what is not installed, by the Debian package that has it."""
    packages = {"postgres": "postgresql", "redis-server": "redis-server", "nginx": "nginx-light"}
    return {name: package for name, package in packages.items() if program(name) is None}


def program(name: str) -> str | None:
    """Return the path of a server's program, wherever Debian puts it."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    if found:
        return str(found[-1])
    names = (name, "valkey-server") if name == "redis-server" else (name,)
    places = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"
    return next(filter(None, (shutil.which(each, path=places) for each in names)), None)


class Cluster:
    """The processes by their names: postgres, redis, nginx, and the two proxies, one and two.

    `addresses` has the URL of each, `url` the one that clients use.
    """

    def __init__(self, folder: Path, upstream: str) -> None:
        self.folder = folder
        self._upstream = upstream
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        names = ("postgres", "redis", "nginx", *PROXIES)
        self.ports = dict(zip(names, _free_ports(len(names)), strict=True))
        self.addresses = {n: f"http://127.0.0.1:{self.ports[n]}" for n in ("nginx", *PROXIES)}
        self.url = self.addresses["nginx"]
        self.results = f"postgresql://postgres@127.0.0.1:{self.ports['postgres']}/postgres"
        self.live = f"redis://127.0.0.1:{self.ports['redis']}"
        self._made = False

    def start(self, name: str) -> None:
        """Start one of them, and wait until it answers."""
        command = getattr(self, f"_{name}" if name not in PROXIES else "_proxy")(name)
        who = _other_user() if name == "postgres" else {}
        with (self.folder / f"{name}.out").open("ab") as out:
            self.running[name] = subprocess.Popen(
                command, stdout=out, stderr=out, cwd=self.folder, start_new_session=True, **who
            )
        end = time.monotonic() + PATIENCE_S
        while not self._answers(name):
            if self.running[name].poll() is not None or time.monotonic() > end:
                said = (self.folder / f"{name}.out").read_text(errors="replace")[-2_000:]
                raise RuntimeError(f"{name} does not start: {said}")
            time.sleep(0.02)

    def kill(self, name: str) -> None:
        """Kill one with all of its processes, as a machine that loses its power does."""
        process = self.running.pop(name)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self) -> None:
        """End all of them, those that ask before those that are asked."""
        for name in ("nginx", *PROXIES, "redis", "postgres"):
            process = self.running.get(name)
            if process is not None and process.poll() is None:
                process.send_signal(signal.SIGINT)
        for process in self.running.values():
            with suppress(subprocess.TimeoutExpired):
                process.wait(20.0)
        for name in list(self.running):
            self.kill(name)

    def _postgres(self, _name: str) -> list[str]:
        data = self.folder / "postgres"
        if not self._made:
            data.mkdir()
            if who := _other_user():
                shutil.chown(data, **who)
            make = [_found("initdb"), "-D", str(data), "-A", "trust", "-U", "postgres"]
            subprocess.run(make, check=True, stdout=subprocess.DEVNULL, cwd=self.folder, **who)
            self._made = True
        port = str(self.ports["postgres"])
        told = ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="]
        return [_found("postgres"), "-D", str(data), "-p", port, *told]

    def _redis(self, _name: str) -> list[str]:
        port = str(self.ports["redis"])
        return [_found("redis-server"), "--bind", "127.0.0.1", "--port", port, "--save", ""]

    def _nginx(self, _name: str) -> list[str]:
        ports = {name: self.ports[name] for name in PROXIES}
        config = self.folder / "nginx.conf"
        config.write_text(NGINX.format(folder=self.folder, front=self.ports["nginx"], **ports))
        return [_found("nginx"), "-c", str(config), "-p", str(self.folder)]

    def _proxy(self, name: str) -> list[str]:
        return [
            sys.executable, "-m", "streamguard", "proxy",
            "--upstream", self._upstream,
            "--listen", f"127.0.0.1:{self.ports[name]}",
            "--results", self.results,
            "--live", self.live,
            "--results-spool", str(self.folder / f"spool-{name}"),  # each on a disk of its own
        ]  # fmt: skip

    def _answers(self, name: str) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.ports[name]), timeout=1.0) as asking:
                if name != "postgres":
                    return True
                # An SSL request: it is answered by one letter, while starting by nothing.
                asking.sendall(bytes.fromhex("0000000804d2162f"))
                return len(asking.recv(1)) == 1
        except OSError:
            return False


def _other_user() -> dict[str, Any]:
    """Return who runs PostgreSQL, which does not run as root."""
    return {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}


def _found(name: str) -> str:
    found = program(name)
    if found is None:
        raise RuntimeError(f"{name} is not installed")
    return found


def _free_ports(count: int) -> list[int]:
    with ExitStack() as stack:  # held until all are found: none is found twice
        held = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in held:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in held]


@contextmanager
def cluster(upstream: str) -> Iterator[Cluster]:
    """Run all of it in a temporary folder, in front of `upstream`."""
    with tempfile.TemporaryDirectory(prefix="cluster-") as folder, ExitStack() as stack:
        os.chmod(folder, 0o755)  # for PostgreSQL's own user  # noqa: PTH101
        made = Cluster(Path(folder), upstream)
        stack.callback(made.stop)
        for name in ("postgres", "redis", *PROXIES, "nginx"):
            made.start(name)
        yield made


def main() -> int:
    """Run it until Ctrl-C."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--upstream", metavar="URL", help="where requests go")
    parser.add_argument("--check", action="store_true", help="say what is not installed, and end")
    args = parser.parse_args()
    if lacking := missing():
        names = ", ".join(lacking)
        print(f"{names} are missing: apt-get install {' '.join(sorted(set(lacking.values())))}")
        return 1
    if args.check:
        return 0
    if args.upstream is None:
        parser.error("--upstream is missing")
    with cluster(args.upstream) as made:
        print(f"clients use {made.url}; results are in {made.results}")
        with suppress(KeyboardInterrupt):
            signal.pause()
    return 0


if __name__ == "__main__":
    sys.exit(main())
