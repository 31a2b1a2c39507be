"""Failure modes 46 to 51: text rules."""

from tests.cases.failure_modes.fault import NORMALISE, SEGMENTER, TEXT, Fault

SITUATIONS = {
    46: "a phrase or price over the borders of pieces",
    47: "typographic signs, invisible characters, full width",
    48: "letters of another alphabet that look alike",
    49: "amounts written in several ways",
    50: "quoted refusals, code, words that begin alike",
    51: "ends of sentences, and of the answer",
}

FAULTS = (
    Fault(46, f"{TEXT}::test_mode_46_a_phrase_or_price_over_the_borders_of_pieces_is_one",
        "a piece's end decides what the next character would", SEGMENTER,
        "        return self._advance(final=False)\n",
        "        return self._advance(final=True)\n"),
    Fault(47,
        f"{TEXT}::test_mode_47_a_phrase_is_found_whatever_its_signs_and_reported_as_it_stands",
        "text is matched as it stands", NORMALISE,
        "    if text.isascii():\n        return Folded(text)\n", "    return Folded(text)\n"),
    Fault(48, f"{TEXT}::test_mode_48_letters_of_another_alphabet_are_other_letters_unless_told",
        "nobody is told", "streamguard/core/sentence.py", "if policy.fold_look_alikes else",
        "if False else"),
    Fault(49, f"{TEXT}::test_mode_49_amounts_are_compared_as_values",
        "another period makes no difference", "streamguard/values/agreement.py",
        "        if answer.period and source.period and answer.period not in (source.period,"
        " source.each):\n", "        if False:\n"),
    Fault(50, f"{TEXT}::test_mode_50_what_only_quotes_a_refusal_refuses_nothing",
        "quoted words are the speaker's own", "streamguard/core/reading/roles.py",
        "not (quotes and text.count('\"', 0, one.start) % 2)", "True"),
    Fault(51, f"{TEXT}::test_mode_51_sentences_end_where_they_end_and_the_last_needs_no_stop",
        "the last words are left out", SEGMENTER,
        "        if not self._fresh:\n            self._settle(len(self._buffer))\n", ""),
)  # fmt: skip
