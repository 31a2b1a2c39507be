"""The cluster's compose file: what it mounts, names and sets is there, and what run.py runs."""

import argparse
import re
from dataclasses import replace
from pathlib import Path

import pytest

from examples.cluster.run import NGINX, Cluster
from streamguard.server.proxy.app import TOKEN_VARIABLE, add_arguments, settings_of
from streamguard.server.results.shared import LIVE_VARIABLE, SPOOL, URL_VARIABLE
from tests.test_deploy import ROOT, exec_form, last

yaml = pytest.importorskip("yaml")

FOLDER = ROOT / "examples/cluster"
COMPOSED = yaml.safe_load((FOLDER / "compose.yaml").read_text())
SERVICES = COMPOSED["services"]
PROXIES = {name: each for name, each in SERVICES.items() if name.startswith("proxy")}
UPSTREAM = "http://u/v1"
PASSWORD = "p@s/s#%41"


def filled(text):
    """Return a value as it is once the shell's variables stand in it."""
    given = {"UPSTREAM": UPSTREAM, "POSTGRES_PASSWORD": PASSWORD}
    return re.sub(r"\$\{(\w+):[?-][^}]*\}", lambda found: given.get(found[1], ""), text)


def test_what_is_mounted_built_and_waited_for_is_there():
    for service in SERVICES.values():
        assert set(service.get("depends_on", ())) <= SERVICES.keys()
        if build := service.get("build"):
            assert (FOLDER / build["context"] / "Dockerfile").samefile(ROOT / "Dockerfile")
        for mounted in service.get("volumes", ()):
            source = mounted.split(":")[0]
            if source.startswith("."):
                assert (FOLDER / source).exists()
            else:
                assert source in COMPOSED["volumes"]


def test_each_proxy_has_a_spool_of_its_own_where_the_image_may_write():
    volumes = [each["volumes"] for each in PROXIES.values()]
    assert len({tuple(each) for each in volumes}) == len(PROXIES) == 2
    assert all(each == [f"{each[0].split(':')[0]}:{last('WORKDIR')}"] for each in volumes)
    assert not Path(SPOOL).is_absolute()  # so that it is in the volume


def test_the_extras_that_a_proxy_is_built_with_are_those_that_it_needs():
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    for proxy in PROXIES.values():
        assert all(f"\nARG {name}=" in text for name in proxy["build"]["args"])
        assert {"postgres", "redis"} <= set(proxy["build"]["args"]["EXTRAS"].split(","))


def proxy_settings(words):
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return settings_of(parser.parse_args(words))


def test_each_proxy_is_set_up_as_the_plain_process_is(monkeypatch, tmp_path):
    process = Cluster(tmp_path, UPSTREAM)._proxy("one")
    plain = proxy_settings(process[process.index("proxy") + 1 :])
    command = exec_form(last("ENTRYPOINT"))
    started = command[command.index("proxy") + 1 :]
    for proxy in PROXIES.values():
        environment = {name: filled(value) for name, value in proxy["environment"].items()}
        assert environment.keys() == {URL_VARIABLE, LIVE_VARIABLE, TOKEN_VARIABLE, "PGPASSWORD"}
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        settings = proxy_settings([*started, *map(filled, proxy["command"])])
        assert settings.hosts is None  # nginx asks by a name of its own
        shared = replace(plain.shared, url=settings.shared.url, live=settings.shared.live)
        shared = replace(shared, spool=settings.shared.spool)
        assert replace(settings, hosts=plain.hosts) == replace(plain, shared=shared)


def test_the_proxies_ask_the_database_and_the_redis_that_are_there():
    made, redis = SERVICES["postgres"]["environment"], SERVICES["redis"]["command"]
    user, name = made["POSTGRES_USER"], made["POSTGRES_DB"]
    for proxy in PROXIES.values():
        asked = proxy["environment"]
        assert asked[URL_VARIABLE] == f"postgresql://{user}@postgres/{name}"
        assert filled(asked["PGPASSWORD"]) == filled(made["POSTGRES_PASSWORD"]) == PASSWORD
        assert asked[LIVE_VARIABLE] == "redis://redis:6379"
    assert redis[redis.index("--save") + 1] == ""


def test_nginx_is_set_up_as_for_plain_processes():
    command = exec_form(last("ENTRYPOINT"))
    port = command[command.index("--listen") + 1].rpartition(":")[2]
    [published] = SERVICES["nginx"]["ports"]
    there = dict(zip(("one", "two"), PROXIES, strict=True))
    plain = NGINX.format(folder="", front=0, **dict.fromkeys(there, 0))
    for name in there.values():
        plain = plain.replace("127.0.0.1:0 max_fails", f"{name}:{port} max_fails", 1)
    plain = plain.replace("listen 127.0.0.1:0;", f"listen {published.rpartition(':')[2]};")
    inside = (FOLDER / "nginx.conf").read_text().partition("    upstream")[2]
    assert inside
    assert plain.partition("    upstream")[2] == inside
