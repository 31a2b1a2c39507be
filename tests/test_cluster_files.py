"""The cluster's compose file: what it mounts, names and sets is there."""

import argparse
import re
import shlex
from pathlib import Path

import pytest

from examples.cluster import run as as_processes
from streamguard.server.proxy.app import TOKEN_VARIABLE, add_arguments, settings_of
from streamguard.server.results.shared import LIVE_VARIABLE, SPOOL, URL_VARIABLE

yaml = pytest.importorskip("yaml")

FOLDER = Path(__file__).parent.parent / "examples/cluster"
COMPOSED = yaml.safe_load((FOLDER / "compose.yaml").read_text())
SERVICES = COMPOSED["services"]
DOCKERFILE = (FOLDER / "Dockerfile").read_text()
NGINX = (FOLDER / "nginx.conf").read_text()
PROXIES = {name: each for name, each in SERVICES.items() if name.startswith("proxy")}


def test_what_is_mounted_built_and_waited_for_is_there():
    for service in SERVICES.values():
        assert set(service.get("depends_on", ())) <= SERVICES.keys()
        if build := service.get("build"):
            context = (FOLDER / build["context"]).resolve()
            assert (context / build["dockerfile"]).samefile(FOLDER / "Dockerfile")
            assert (context / "pyproject.toml").exists()
        for mounted in service.get("volumes", ()):
            source = mounted.split(":")[0]
            if source.startswith("."):
                assert (FOLDER / source).exists()
            else:
                assert source in COMPOSED["volumes"]


def test_each_proxy_is_one_that_starts_and_has_a_spool_of_its_own(monkeypatch):
    volumes = [each["volumes"] for each in PROXIES.values()]
    assert len({tuple(each) for each in volumes}) == len(PROXIES) == 2
    home = re.search(r"WORKDIR (\S+)", DOCKERFILE)[1]
    assert all(each == [f"{each[0].split(':')[0]}:{home}"] for each in volumes)
    assert not Path(SPOOL).is_absolute()  # so that it is in the volume
    for proxy in PROXIES.values():
        command = [word.replace("${UPSTREAM:?where requests go}", "http://u/v1")
                   for word in proxy["command"]]  # fmt: skip
        assert command[0] == "proxy"
        parser = argparse.ArgumentParser()
        add_arguments(parser)
        for name, value in proxy["environment"].items():
            monkeypatch.setenv(name, value)
        assert proxy["environment"].keys() == {URL_VARIABLE, LIVE_VARIABLE, TOKEN_VARIABLE}
        settings = settings_of(parser.parse_args(command[1:]))
        assert settings.shared.live == "redis://redis:6379"
        assert "@postgres/streamguard" in settings.shared.url
        assert settings.hosts is None  # nginx asks by a name of its own


def test_nginx_asks_the_proxies_where_they_listen():
    ports = {shlex.split(" ".join(each["command"][-1:]))[0].rpartition(":")[2]
             for each in PROXIES.values()}  # fmt: skip
    assert ports == {"8080"}
    assert set(re.findall(r"server (\S+):8080", NGINX)) == set(PROXIES)
    [published] = SERVICES["nginx"]["ports"]
    assert f"listen {published.rpartition(':')[2]};" in NGINX


def test_nginx_is_set_up_as_for_plain_processes():
    inside = re.search(r"location / \{.*?\n +\}", NGINX, re.DOTALL)[0]
    plain = as_processes.NGINX.replace("{{", "{").replace("}}", "}")
    assert inside in plain


def test_extras_of_the_image_are_those_that_are_asked_for():
    extras = re.search(r"/src\[([\w,]+)\]", DOCKERFILE)[1].split(",")
    assert {"postgres", "redis"} <= set(extras)
