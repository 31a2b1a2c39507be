"""What an instance tells others by Redis, while it takes nothing and when it does again."""

import asyncio

import pytest

from streamguard.server.results import live as lives
from streamguard.server.results.live import Live


class Down(Exception):
    pass


class Pipeline:
    def __init__(self, redis):
        self._redis, self._done = redis, []

    def __getattr__(self, name):
        return lambda *given, **_: self._done.append((name, *given))

    async def execute(self):
        if self._redis.down:
            raise Down
        for name, key, *given in self._done:
            if name == "set":
                self._redis.kept[key] = given[0]
            elif name == "delete":
                self._redis.kept.pop(key, None)


class Redis:
    def __init__(self):
        self.down, self.kept = False, {}

    def pipeline(self, **_):
        return Pipeline(self)

    async def aclose(self):
        pass


@pytest.fixture
def redis(monkeypatch):
    made = Redis()
    package = type("Package", (), {"from_url": staticmethod(lambda *_, **__: made)})
    monkeypatch.setattr(lives, "library", lambda *_: package)
    monkeypatch.setattr(lives, "RETRY_S", 0.001)
    return made


async def settled(live):
    while live._queue:
        await asyncio.sleep(0.001)


@pytest.mark.asyncio
async def test_no_answer_whose_result_is_untold_is_told_to_run(redis, monkeypatch):
    live = Live("redis://there", 60)
    live.open("early")
    await settled(live)
    redis.down = True
    monkeypatch.setattr(lives, "MAX_QUEUED_BYTES", 1_000)
    for name in ("queued", "early"):
        live.open(name)
        live.put(name, b"x" * 2_000)
    for number in range(100):
        live.open(f"late{number}")
        live.put(f"late{number}", b"x" * 2_000)
    assert live._queued_bytes < 2_000
    redis.down = False
    await settled(live)
    assert redis.kept == {}
    live.open("next")
    live.put("next", b"result")
    await live.aclose()
    assert redis.kept == {"streamguard:next": b"result"}
