"""A guard taken out, and the files that most faults are planted in or seen by."""

from dataclasses import dataclass

NORMALISE = "streamguard/text/normalise.py"
SEGMENTER = "streamguard/text/segmenter.py"
EXAMINER = "streamguard/examiner.py"
EXCHANGE = "streamguard/server/proxy/exchange.py"
HEADERS = "streamguard/server/headers.py"
INFLATING = "streamguard/server/http/inflating.py"
RELAY = "streamguard/server/relay/relay.py"
TAIL = "streamguard/server/relay/tail.py"
STREAMING = "streamguard/server/proxy/streaming.py"
STREAM = "streamguard/stream.py"
CHAT = "streamguard/wire/protocols/openai_chat.py"
READER = "streamguard/wire/reader.py"
SSE = "streamguard/wire/codecs/sse.py"
CHATS = "tests/test_openai_chat.py"
EVENTS = "tests/test_sse.py"
ENDINGS = "tests/test_failure_modes_endings.py"
FRAMING = "tests/test_failure_modes_framing.py"
LEAVING = "tests/test_failure_modes_leaving.py"
LOAD = "tests/test_failure_modes_load.py"
SECURITY = "tests/test_failure_modes_security.py"
TEXT = "tests/test_failure_modes_text.py"
ATTACKS = "tests/test_http_attacks.py"
INJECTED = "tests/test_faults.py::test_a_fault_is_relayed_as_it_is_and_judged_honestly"
PROXY = "tests/test_proxy.py"
RELAYED = "tests/test_relay.py"
UNREAD = "tests/test_unread.py"
WRAPPER = "tests/test_stream.py"


@dataclass(frozen=True, slots=True)
class Fault:
    """A guard taken out: in `file`, the one place that reads `old` becomes `new`.

    `what` says in words what is missing then; `test` must fail.
    """

    mode: int
    test: str
    what: str
    file: str
    old: str
    new: str
