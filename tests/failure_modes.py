"""The failure modes of streaming middleware: their tests, and a fault that each of them sees.

`scripts/mutate_modes.py` plants the faults, `docs/failure_modes.md` shows the table.
"""

from dataclasses import dataclass

FRAMING = "tests/test_failure_modes_framing.py"
ATTACKS = "tests/test_http_attacks.py"
SHAPES = "tests/test_failure_modes_shapes.py"
ENDINGS = "tests/test_failure_modes_endings.py"
PROXY = "tests/test_proxy.py"
LEAVING = "tests/test_failure_modes_leaving.py"
WRAPPER = "tests/test_stream.py"
STREAM = "streamguard/stream.py"
SSE = "streamguard/wire/sse.py"
READER = "streamguard/wire/reader.py"
CHAT = "streamguard/wire/openai_chat.py"
RELAY = "streamguard/server/relay.py"
EXCHANGE = "streamguard/server/exchange.py"
STREAMING = "streamguard/server/streaming.py"
HEADERS = "streamguard/server/headers.py"
INFLATING = "streamguard/server/inflating.py"
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
    14: "several choices, interleaved",
    15: "tool calls, empty content, reasoning, refusals",
    16: "a usage chunk without choices, with zeros",
    17: "odd shapes, lone surrogates, absurd choice numbers",
    18: "broken JSON between good events",
    19: "end signs: doubled, unfinished, in the text, with content behind",
    20: "an answer in one piece",
    21: "a clean end without an end sign",
    22: "an end inside an event",
    23: "a reset or a broken-off body",
    24: "an error in mid-stream",
    25: "an error before the stream",
    26: "an upstream that falls silent",
    27: "an upstream that is killed",
    28: "told to stop with open streams",
    29: "a check that raises, a store that fails",
    30: "a client that leaves before the end",
    31: "a client that leaves before the head, the first token, or later",
    32: "many clients that leave at once, by FIN, by RST, while the writer is blocked",
    33: "a cancellation at any turn of the scheduler",
    34: "`break`, and `aclose` before, after, twice, from another task",
    35: "each item asked for in a task of its own",
    36: "an exception of the source",
    37: "a wrapper that is forgotten",
    38: "an SDK's stream with a coroutine `close` and no `aclose`",
    39: "an ASGI application that listens for the disconnect",
    40: "many streams, on kept connections too",
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
    Fault(
        13,
        f"{FRAMING}::test_mode_13_a_compressed_body_that_is_cut_is_cut_for_the_client_too",
        "a compressed body may end anywhere",
        INFLATING,
        "                inflating.end()\n",
        "",
    ),
    Fault(
        13,
        f"{FRAMING}::test_mode_13_an_encoding_that_is_not_undone_passes_with_its_label_and_unread",
        "bytes in an unknown encoding are read as a stream",
        EXCHANGE,
        "if encoding and encoding not in ENCODINGS:",
        "if False:",
    ),
    Fault(
        13,
        f"{ATTACKS}::test_a_bomb_of_64_megabytes_from_upstream_takes_20_at_most",
        "what came is decoded in one step",
        INFLATING,
        "STEP_BYTES = 262_144",
        "STEP_BYTES = 1 << 40",
    ),
    Fault(
        13,
        f"{ATTACKS}::test_a_bomb_of_64_megabytes_from_a_client_takes_20_at_most",
        "a compressed request may fill the memory that a plain one may",
        EXCHANGE,
        "most = min(most, MAX_INFLATED_BYTES)",
        "pass",
    ),
    Fault(
        14,
        f"{SHAPES}::test_mode_14_interleaved_choices_have_a_text_and_a_result_each",
        "every choice counts as the first",
        CHAT,
        "yield index if type(index) is int else 0, choice",
        "yield 0, choice",
    ),
    Fault(
        15,
        f"{SHAPES}::test_mode_15_what_is_not_the_visible_answer_is_relayed_and_not_read",
        "reasoning is read as text where there is no content",
        CHAT,
        'if delta is None else delta, "content")',
        'if delta is None else delta, "content") or field(delta, "reasoning_content")',
    ),
    Fault(
        16,
        f"{SHAPES}::test_mode_16_a_usage_chunk_without_choices_keeps_its_zeros_and_its_place",
        "the tail is written anew, without its zeros",
        RELAY,
        "return self._seated(event.raw)",
        "return self._seated(event.raw.replace(b'\"cached_tokens\":0', b''))",
    ),
    Fault(
        17,
        f"{SHAPES}::test_mode_17_odd_shapes_and_lone_surrogates_crash_nothing",
        "an index may be anything",
        CHAT,
        "yield index if type(index) is int else 0, choice",
        "yield index, choice",
    ),
    Fault(
        17,
        f"{SHAPES}::test_mode_17_numbers_of_choices_allocate_nothing_by_number",
        "there is no cap on choices",
        "streamguard/core/choices.py",
        "if len(self._guards) == MAX_CHOICES:",
        "if False:",
    ),
    Fault(
        18,
        f"{SHAPES}::test_mode_18_broken_json_between_good_events_is_relayed_and_counted",
        "a frame that is no JSON is passed over in silence",
        CHECKING,
        'self.report("wire", exc)',
        "del exc",
    ),
    Fault(
        19,
        f"{SHAPES}::test_mode_19_end_signs_of_every_kind_get_one_annotation",
        "every frame of the tail gets an annotation",
        RELAY,
        "        self._passing = True\n        if itself and",
        "        if itself and",
    ),
    Fault(
        20,
        f"{SHAPES}::test_mode_20_an_answer_in_one_piece_keeps_every_field_as_it_was",
        "the answer's JSON is written anew",
        "streamguard/server/json_answer.py",
        "return with_key(body, KEY, annotation.to_json())",
        'return with_key(body.replace(b" ", b""), KEY, annotation.to_json())',
    ),
    Fault(
        21,
        f"{PROXY}::test_an_orderly_end_between_frames_is_annotated_as_incomplete",
        "an orderly end of the body is the end of the answer",
        RELAY,
        'await self._checking.conclude("complete" if ended else "upstream_error")',
        'await self._checking.conclude("complete")',
    ),
    Fault(
        22,
        f"{PROXY}::test_an_orderly_end_inside_a_frame_adds_nothing_and_stays_orderly",
        "half a frame counts as one",
        RELAY,
        "        if not whole:\n",
        "        if False:\n",
    ),
    Fault(
        23,
        f"{PROXY}::test_a_broken_upstream_breaks_the_client_and_adds_nothing",
        "the client's body ends in order",
        STREAMING,
        "        cut(request)\n",
        "        pass\n",
    ),
    Fault(
        24,
        f"{PROXY}::test_an_error_frame_is_relayed_and_nothing_is_added",
        "an error is a chunk like any other",
        CHAT,
        'return bool(field(frame, "error"))',
        "return False",
    ),
    Fault(
        25,
        f"{PROXY}::test_an_error_before_the_stream_is_unchanged",
        "every status is an answer's",
        EXCHANGE,
        "if not 200 <= upstream.status < 300:",
        "if False:",
    ),
    Fault(
        26,
        f"{PROXY}::test_an_upstream_that_falls_silent_is_left_and_the_result_says_limit",
        "an upstream may be silent for ever",
        "streamguard/server/proxy.py",
        "sock_read=settings.idle_timeout_s",
        "sock_read=None",
    ),
    Fault(
        26,
        f"{PROXY}::test_the_annotation_does_not_wait_for_an_upstream_that_never_closes",
        "the end sign is no end, only that of the body is",
        RELAY,
        'if place == "tail":',
        'if place == "never":',
    ),
    Fault(
        27,
        f"{ENDINGS}::test_mode_27_clients_of_a_killed_upstream_end_honestly_and_it_may_come_back",
        "a broken connection is an orderly end",
        "streamguard/server/bodies.py",
        'raise UpstreamError("the upstream broke off") from exc',
        'return b""',
    ),
    Fault(
        28,
        f"{ENDINGS}::test_mode_28_told_to_stop_with_open_streams_it_stores_them_and_ends",
        "open streams are waited for without end",
        EXCHANGE,
        "            task.cancel()",
        "            pass",
    ),
    Fault(
        29,
        f"{ENDINGS}::test_mode_29_a_check_that_raises_lets_every_byte_pass_and_is_listed",
        "a check that raises is passed over in silence",
        "streamguard/core/guard.py",
        "self._ledger.fail(check_name(check), exc, span)",
        "pass",
    ),
    Fault(
        29,
        f"{ENDINGS}::test_mode_29_a_store_that_fails_lets_every_byte_pass",
        "what the store raises ends the answer",
        EXCHANGE,
        '    except Exception as exc:\n        log.error("result_not_stored"',
        '    except ZeroDivisionError as exc:\n        log.error("result_not_stored"',
    ),
    Fault(
        30,
        f"{ENDINGS}::test_mode_30_what_a_client_read_before_it_left_is_checked_and_stored_once",
        "only whole answers are stored",
        EXCHANGE,
        "_store(self.store.put, annotation)",
        'annotation.state == "complete" and _store(self.store.put, annotation)',
    ),
    Fault(
        31,
        f"{LEAVING}::test_mode_31_a_client_that_leaves_in_any_phase_frees_the_upstream_at_once",
        "a handler is not told that its client has left",
        "streamguard/server/serve.py",
        "handler_cancellation=True",
        "handler_cancellation=False",
    ),
    Fault(
        32,
        f"{LEAVING}::test_mode_32_clients_that_leave_at_once_free_their_upstreams",
        "the upstream's connection is left open",
        EXCHANGE,
        "            upstream.close()",
        '            globals().setdefault("_KEPT", []).append(upstream)',
    ),
    Fault(
        33,
        f"{WRAPPER}::test_task_cancel_at_every_turn_goes_on_and_closes_once",
        "a cancellation ends in the wrapper",
        STREAM,
        "else ended_by(exc)\n        raise\n",
        'else ended_by(exc)\n        if ended != "cancelled":\n            raise\n',
    ),
    Fault(
        33,
        f"{WRAPPER}::test_cancellation_at_every_turn_closes_once_and_keeps_what_was_handed_on",
        "pieces that have gone on are not kept for the result",
        STREAM,
        "                held.append(item)\n",
        "",
    ),
    Fault(
        34,
        f"{WRAPPER}::test_close_before_the_start_closes_the_source_and_gives_a_result",
        "what never began is not closed",
        STREAM,
        "        if not self._tap.begun:\n",
        "        if False:\n",
    ),
    Fault(
        34,
        f"{WRAPPER}::test_close_while_another_task_waits_is_refused_and_harms_nothing",
        "nobody looks whether another task waits",
        STREAM,
        'if cast("AsyncGeneratorType[Any, None]", reader).ag_running:',
        "if False:",
    ),
    Fault(
        35,
        f"{WRAPPER}::test_each_item_may_be_asked_for_in_a_task_of_its_own",
        "a cancel scope stands around a `yield`",
        STREAM,
        "                yield item\n                if len(held)",
        "                with anyio.CancelScope():\n                    yield item\n"
        "                if len(held)",
    ),
    Fault(
        36,
        f"{WRAPPER}::test_error_of_the_source_goes_on_as_the_same_object_without_annotation",
        "the source's exception is wrapped",
        STREAM,
        "else ended_by(exc)\n        raise\n",
        "else ended_by(exc)\n        raise RuntimeError(str(exc)) from exc\n",
    ),
    Fault(
        37,
        f"{WRAPPER}::test_forgotten_stream_is_closed_at_once_without_a_warning",
        "the wrapper is part of a cycle",
        STREAM,
        "        self._extras = True\n\n",
        "        self._extras = True\n        self._me = self\n\n",
    ),
    Fault(
        38,
        f"{WRAPPER}::test_source_is_closed_once_by_what_it_has",
        "what `close` returns is not awaited",
        STREAM,
        "        if isawaitable(outcome):\n            await outcome\n",
        "",
    ),
    Fault(
        39,
        "tests/test_asgi.py::test_a_disconnect_reaches_the_application",
        "the application hears nothing of a disconnect",
        "streamguard/server/asgi/messages.py",
        "            self.gone = True\n",
        '            return {"type": "http.request", "body": b"", "more_body": False}\n',
    ),
    Fault(
        40,
        f"{LEAVING}::test_mode_40_streams_on_kept_connections_do_not_mix",
        "all streams share one place for their text",
        CHECKING,
        "self._gathered: dict[int, list[str]] = {}",
        'self._gathered = globals().setdefault("_SHARED", {})',
    ),
    Fault(
        40,
        "tests/test_asgi.py::test_two_hundred_answers_at_once_do_not_mix",
        "all streams share one place for their text",
        CHECKING,
        "self._gathered: dict[int, list[str]] = {}",
        'self._gathered = globals().setdefault("_SHARED", {})',
    ),
)


def table():
    """Return the table of `docs/failure_modes.md`: every mode, its tests, the faults they see."""
    lines = ["| mode | situation | test | what was taken out |", "|---|---|---|---|"]
    for fault in FAULTS:
        test = fault.test.removeprefix("tests/").replace("::", "`<br>`")
        lines.append(f"| {fault.mode} | {SITUATIONS[fault.mode]} | `{test}` | {fault.what} |")
    return "\n".join(lines) + "\n"
