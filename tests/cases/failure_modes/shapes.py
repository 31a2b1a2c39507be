"""Failure modes 14 to 20: the shapes of frames."""

from tests.cases.failure_modes.fault import CHATS, FRAMING, RELAY, RELAYED, TAIL, Fault

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
    Fault(14, f"{FRAMING}::test_mode_14_interleaved_choices_have_a_text_and_a_result_each",
        "every choice counts as the first", "streamguard/wire/fields.py",
        "yield index if type(index) is int else 0, choice", "yield 0, choice"),
    Fault(15, f"{CHATS}::test_the_text_of_a_frame_is_its_content_per_choice",
        "reasoning is read as text where there is no content", "streamguard/wire/fields.py",
        'parts_text(field(message, "content"))',
        'parts_text(field(message, "content") or field(message, "reasoning_content"))'),
    Fault(16, f"{RELAYED}::test_every_byte_goes_on_and_the_annotation_stands_before_the_tail",
        "the tail is written anew, without its zeros", TAIL,
        "raws = [event.raw for event, _ in held]",
        "raws = [event.raw.replace(b'\"cached_tokens\":0', b'') for event, _ in held]"),
    Fault(17, f"{CHATS}::test_the_text_of_a_frame_is_its_content_per_choice",
        "an index may be anything", "streamguard/wire/fields.py",
        "yield index if type(index) is int else 0, choice", "yield index, choice"),
    Fault(17, f"{FRAMING}::test_mode_17_numbers_of_choices_allocate_nothing_by_number",
        "there is no cap on choices", "streamguard/core/machine/choices.py",
        "if len(self._guards) == MAX_CHOICES:", "if False:"),
    Fault(18, f"{RELAYED}::test_a_frame_that_is_no_json_is_listed_and_the_rest_is_checked",
        "a frame that is no JSON is passed over in silence", RELAY, 'checking.report("wire", exc)',
        "del exc"),
    Fault(19, f"{RELAYED}::test_every_byte_goes_on_and_the_annotation_stands_before_the_tail",
        "every frame of the tail gets an annotation", RELAY,
        "        self._passing = True\n        out +=", "        out +="),
    Fault(20, f"{FRAMING}::test_mode_20_an_answer_in_one_piece_keeps_every_field_as_it_was",
        "the answer's JSON is written anew", "streamguard/server/relay/json_answer.py",
        "return with_key(body, KEY, self._checking",
        'return with_key(body.replace(b" ", b""), KEY, self._checking'),
)  # fmt: skip
