"""Settings of the whole suite."""

import gc
import os
import pkgutil
import signal
from importlib import import_module

import pytest
from hypothesis import settings

from streamguard.server.proxy import limits  # first: its table tells the real figures
from streamguard.server.relay import checking

try:
    import coverage
except ModuleNotFoundError:  # in the environments of the integrations nothing is counted
    coverage = None

# A busy machine is no fault of the code's: time is measured in benchmarks/, not in tests.
# The same examples in every run, so that what is covered is no matter of luck; `make test-slow`
# tries more of them, and `make fuzz` draws.
EXAMPLES = int(os.environ.get("STREAMGUARD_EXAMPLES", "20"))
settings.register_profile("streamguard", deadline=None, derandomize=True, max_examples=EXAMPLES)
settings.load_profile("streamguard")
assert limits.FIXED
# What is started in the background may have interrupts ignored, and so would all that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
checking.MAX_TAIL_WAIT_S = 600.0  # tests of the tail set their own

if os.environ.get("STREAMGUARD_TEST_LOOP") == "uvloop":  # `make test-pythons` runs them twice

    def pytest_asyncio_loop_factories():
        """Return the event loop that the tests of sockets run on."""
        uvloop = pytest.importorskip("uvloop")
        return {"uvloop": uvloop.new_event_loop}


# Counting what is reached makes code two to three times as slow. The pure rooms have tests of their
# own, so that it is not counted where the tests of a door, a store or a script only pass through
# them, nor under hypothesis, by whose luck no line should be covered.
UNCOUNTED = """
    ahead arriving asgi asgi_servers audit audit_processes audit_rows calibrate chat chat_command
    checking cli context_limits contexts dashboard demo descriptors doors embeddings
    evaluation evaluation_command examiner failure_modes_endings failure_modes_framing
    failure_modes_leaving failure_modes_load feedback followups from_results gate hosts http_attacks
    indexing inflating judge nothing_waits onnx own_endpoints pages patience portions prompts proxy
    proxy_logs quotes reading_frames recording relay replay results_command results_database
    results_journal results_shared room side_channel store stream stream_sync tail_wait train_fast
    tuning turns websockets
""".split()
PURE = tuple(f"streamguard.{room}" for room in ("core", "prompt", "text", "values", "wire"))


class Counting:
    """Whether coverage is counted now: it is interrupted, and goes on in the same figures."""

    def __init__(self):
        self.coverage = None if coverage is None else coverage.Coverage.current()
        self.on = self.coverage is not None
        if self.on:
            self.turn(False)
            while below := coverage.Coverage.current():  # a worker of xdist starts one for nothing
                below.stop()
            self.turn(True)

    def turn(self, on):
        if self.coverage is not None and on != self.on:
            (self.coverage.start if on else self.coverage.stop)()
            self.on = on


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Count what the pure rooms run when they are imported, and nothing of the tests' modules.

    What is there once all is collected stays to the end: no collection of a test visits it.
    """
    gc.disable()
    session.config.counting = counting = Counting()
    if counting.on:
        for name in PURE:
            for module in pkgutil.walk_packages(import_module(name).__path__, f"{name}."):
                import_module(module.name)
    counting.turn(False)
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item, nextitem):
    passing = item.path.stem.removeprefix("test_") in UNCOUNTED
    item.config.counting.turn(not passing and not item.get_closest_marker("hypothesis"))
    return (yield)
