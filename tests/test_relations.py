"""Answers that turn relations round, name another agent or holder, or other steps first."""

import pytest

from streamguard.core.context import Context
from tests import relation_cases as cases
from tests.answers import result_of


def found(check, answer, chunks):
    """Return the check's findings, the same under every split."""
    result = result_of(answer, Context(query="", chunks=chunks))
    assert result.errors == ()
    return [one for one in result.findings if one.check == check]


@pytest.mark.parametrize(("chunks", "answer"), cases.TURNED)
def test_a_relation_turned_round_is_a_conflict(chunks, answer):
    (one,) = found("other_role", answer, chunks)
    assert (one.flag, one.severity) == ("contradicted_claim", "warning")
    assert one.nearest.value in chunks[0]


@pytest.mark.parametrize(("chunks", "answer"), cases.NOT_TURNED)
def test_a_relation_said_in_other_words_is_none(chunks, answer):
    assert found("other_role", answer, chunks) == []
