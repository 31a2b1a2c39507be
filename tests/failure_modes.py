"""The failure modes of streaming middleware: their tests, and a fault that each of them sees.

`scripts/mutate_modes.py` plants the faults, `docs/failure_modes.md` shows the table.
"""

from dataclasses import dataclass

FRAMING = "tests/test_failure_modes_framing.py"
SSE = "streamguard/wire/sse.py"
READER = "streamguard/wire/reader.py"
CHAT = "streamguard/wire/openai_chat.py"
RELAY = "streamguard/server/relay.py"
EXCHANGE = "streamguard/server/exchange.py"
STREAMING = "streamguard/server/streaming.py"
HEADERS = "streamguard/server/headers.py"
CHECKING = "streamguard/server/checking.py"


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


SITUATIONS = {
    1: "a CRLF cut between CR and LF",
    2: "line ends of a bare CR, one as the last byte",
    3: "separators of other alphabets inside JSON",
    4: "a UTF-8 character cut by a piece",
    5: "bytes that are no UTF-8",
    6: "byte order marks: at the start, twice, later",
    7: "comments that keep the connection alive",
    8: "JSON over several `data` lines, fields of every kind",
    9: "a wrong charset, a wrong content type",
    10: "empty pieces, an empty body, a lone end sign",
    11: "a line without end",
    12: "an event of ten megabytes",
    13: "a compressed body, whole, cut, or a bomb",
}

FAULTS = (
    Fault(
        1,
        f"{FRAMING}::test_mode_01_crlf_cut_between_cr_and_lf_is_one_line_break",
        "the annotation waits for no LF that belongs to the frame before",
        RELAY,
        'lead = b"\\n" if frame.startswith(b"\\n") else b""',
        'lead = b""',
    ),
    Fault(
        1,
        "tests/test_sse.py::test_a_cr_as_last_byte_dispatches_at_once_and_exactly_once",
        "an LF behind the CR of a blank line is a line of its own",
        SSE,
        "self._skip_lf = end == len(piece) and piece[-1] == _CR",
        "self._skip_lf = False",
    ),
    Fault(
        2,
        f"{FRAMING}::test_mode_02_a_frame_that_ends_with_a_bare_cr_goes_on_at_once_and_once",
        "a blank line of bare CRs is none",
        SSE,
        'rb"\\n\\n|[\\n\\r]\\r\\n?"',
        'rb"\\n\\n|\\r\\n\\r\\n"',
    ),
    Fault(
        3,
        f"{FRAMING}::test_mode_03_separators_of_other_alphabets_are_ordinary_characters",
        "a line ends at U+2028 as well",
        SSE,
        '_LINE_END = re.compile(rb"\\r\\n|\\n|\\r")',
        '_LINE_END = re.compile(rb"\\r\\n|\\n|\\r|\\xe2\\x80\\xa8")',
    ),
    Fault(
        4,
        f"{FRAMING}::test_mode_04_a_character_that_a_piece_cuts_is_one_character",
        "pieces are decoded one by one",
        SSE,
        "        if not piece:\n            return []\n        at = 0\n",
        '        piece = piece.decode(errors="replace").encode()\n'
        "        if not piece:\n            return []\n        at = 0\n",
    ),
    Fault(
        5,
        f"{FRAMING}::test_mode_05_bytes_that_are_no_utf8_are_relayed_and_read_as_replacements",
        "bytes that are no UTF-8 raise",
        SSE,
        'lines[6:-1].decode(errors="replace")',
        "lines[6:-1].decode()",
    ),
    Fault(
        6,
        f"{FRAMING}::test_mode_06_every_byte_order_mark_is_relayed_and_only_the_first_ignored",
        "a byte order mark is a part of the first field's name",
        SSE,
        "at = self._leave_out(piece, _BOM)",
        "at = 0",
    ),
    Fault(
        7,
        f"{FRAMING}::test_mode_07_a_comment_goes_on_at_once_and_is_never_text",
        "a comment is read as data",
        SSE,
        'if name == b"data":',
        'if name in (b"data", b""):',
    ),
    Fault(
        8,
        f"{FRAMING}::test_mode_08_json_over_several_lines_and_fields_of_every_kind",
        "only the last `data` line counts",
        SSE,
        'joined = "\\n".join(data) if data else None',
        "joined = data[-1] if data else None",
    ),
    Fault(
        9,
        f"{FRAMING}::test_mode_09_a_wrong_charset_is_kept_and_the_text_is_utf8",
        "the content type is compared with its parameters",
        EXCHANGE,
        "if upstream.content_type in STREAM_TYPES:",
        'if upstream.headers["Content-Type"] in STREAM_TYPES:',
    ),
    Fault(
        9,
        f"{FRAMING}::test_mode_09_a_wrong_content_type_passes_untouched_and_is_marked_skipped",
        "every answer is taken for an event stream",
        EXCHANGE,
        "if upstream.content_type in STREAM_TYPES:",
        "if True:",
    ),
    Fault(
        10,
        f"{FRAMING}::test_mode_10_an_empty_body_is_incomplete_and_a_lone_end_sign_an_end",
        "an answer without choices has ended in all of them",
        CHAT,
        "return self.done or (self.ending and self._seen <= self._finished)",
        "return self.done or self._seen <= self._finished",
    ),
    Fault(
        11,
        f"{FRAMING}::test_mode_11_a_line_without_end_goes_on_and_is_never_collected",
        "an unfinished event is collected whatever its length",
        SSE,
        "if len(self._pending) - self._lead > self._max or (self._oversized and self._pending):",
        "if False:",
    ),
    Fault(
        12,
        f"{FRAMING}::test_mode_12_an_event_of_ten_megabytes_goes_on_and_the_result_says_so",
        "nobody is told of an event that was not read",
        CHECKING,
        'self._guards.report_limit("an event over the size that is parsed")',
        "pass",
    ),
    Fault(
        13,
        f"{FRAMING}::test_mode_13_compressed_though_not_asked_for_is_relayed_decoded",
        "the client's Accept-Encoding goes on",
        HEADERS,
        'sent["Accept-Encoding"] = "identity"',
        'sent["Accept-Encoding"] = headers.get("Accept-Encoding", "")',
    ),
)


def table():
    """Return the table of `docs/failure_modes.md`: every mode, its tests, the faults they see."""
    lines = ["| mode | situation | test | what was taken out |", "|---|---|---|---|"]
    for fault in FAULTS:
        test = fault.test.removeprefix("tests/").replace("::", "`<br>`")
        lines.append(f"| {fault.mode} | {SITUATIONS[fault.mode]} | `{test}` | {fault.what} |")
    return "\n".join(lines) + "\n"
