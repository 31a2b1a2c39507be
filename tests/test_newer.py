"""What is said of an environment of newest releases beside the pinned ones."""

from tests.integrations.newer import newer, pinned


def test_packages_that_differ_from_their_pins_are_listed():
    pins = pinned("# a list\nAio_http==3.1 ; python_version > '3'\nanyio==4.0\nanyio==4.1\n")
    assert pins == {"aio-http": ["3.1"], "anyio": ["4.0", "4.1"]}
    assert newer(pins, {"aio-http": "3.2", "anyio": "4.0", "new": "0.1"}) == [
        "aio-http 3.2, tested with 3.1",
        "new 0.1, tested with none",
    ]
