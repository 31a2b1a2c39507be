"""What an instance tells others by Redis, while it takes nothing and when it does again."""

import asyncio
import zlib

import pytest

from streamguard.errors import ConfigError
from streamguard.server.results import live as lives
from streamguard.server.results.live import Live
from streamguard.server.results.results import _followed


class Down(Exception):
    pass


class Redis:
    """A server in memory, its client, a pipeline of it and who listens to it."""

    def __init__(self):
        self.down, self.kept = False, {}
        self.lists, self.read = {}, 0
        self.changed = asyncio.Event()

    def pubsub(self):
        return self

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        pass

    async def subscribe(self, key):
        pass

    async def get_message(self, **_):
        await self.changed.wait()
        self.changed.clear()
        return {}

    async def get(self, key):
        return self.kept.get(key)

    async def lrange(self, key, first, _last):
        found = self.lists.get(key, [])[first:]
        self.read += len(found)
        return found

    def pipeline(self, **_):
        return Pipeline(self)

    async def aclose(self):
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
            elif name == "rpush":
                self._redis.lists.setdefault(key, []).append(given[0])
            elif name == "publish":
                self._redis.changed.set()


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


@pytest.mark.asyncio
async def test_who_follows_an_answer_reads_each_sentence_once(redis):
    """Also where one was told twice, as Redis answered late, and another not at all."""
    live = Live("redis://there", 60)
    live.open("a")
    await settled(live)
    told = [1, 2, 3, 2, 3, 5, *range(6, 50)]
    followed = _followed(live, "a", 1)
    seen = []
    for number in told:
        live.say("a", number, "{}")
        await settled(live)
        if number > max(seen, default=1):
            seen.append(int((await anext(followed)).split()[1]))
    live.put("a", zlib.compress(b"{}"))
    assert (await anext(followed)).startswith(b"id: 50\nevent: streamguard.result\n")
    assert await anext(followed, None) is None
    assert seen == [2, 3, 5, *range(6, 50)]
    assert redis.read == len(told)
    await live.aclose()


def test_an_address_that_cannot_be_read_is_refused_without_its_password(monkeypatch):
    def from_url(url, **_):
        raise ValueError(f"Port could not be cast to integer value as {url!r}")

    package = type("Package", (), {"from_url": staticmethod(from_url)})
    monkeypatch.setattr(lives, "library", lambda *_: package)
    with pytest.raises(ConfigError, match=r"live is 'redis://h:a', expected redis://HOST") as seen:
        Live("redis://u:pa/ss@h:a?db=1", 60)
    assert seen.value.__suppress_context__
