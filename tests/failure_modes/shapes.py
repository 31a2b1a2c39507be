"""Failure modes 14 to 20: the shapes of frames."""

from tests.failure_modes.fault import CHAT, CHECKING, RELAY, SHAPES, Fault

SITUATIONS = {
    14: "several choices, interleaved",
    15: "tool calls, empty content, reasoning, refusals",
    16: "a usage chunk without choices, with zeros",
    17: "odd shapes, lone surrogates, absurd choice numbers",
    18: "broken JSON between good events",
    19: "end signs: doubled, unfinished, in the text, with content behind",
    20: "an answer in one piece",
}

FAULTS = (
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
)
