"""Settings of the whole suite."""

import os

import pytest
from hypothesis import settings

from streamguard.server.proxy import limits  # first: its table tells the real figures
from streamguard.server.relay import checking

# A busy machine is no fault of the code's: time is measured in benchmarks/, not in tests.
# The same examples in every run, so that what is covered is no matter of luck; `make fuzz` draws.
settings.register_profile("streamguard", deadline=None, derandomize=True)
settings.load_profile("streamguard")
assert limits.FIXED
checking.MAX_TAIL_WAIT_S = 600.0  # tests of the tail set their own

if os.environ.get("STREAMGUARD_TEST_LOOP") == "uvloop":  # `make test-pythons` runs them twice

    def pytest_asyncio_loop_factories():
        """Return the event loop that the tests of sockets run on."""
        uvloop = pytest.importorskip("uvloop")
        return {"uvloop": uvloop.new_event_loop}
