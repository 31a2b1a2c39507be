"""The packs on their tables of cases: measured floors, and forms that no text can make slow."""

from re import _constants as codes
from re import _parser as parser  # what `re.compile` itself reads a pattern with

import pack_numbers
import pytest
from pack_cases import PACKS, cases_of, score

from streamguard.core.packs import found, identifiers, links, personal, secrets, services, tongue

MODULES = (found, identifiers, links, personal, secrets, services, tongue)
MOST_REPEATS = 4_000  # of one part of a form: a sentence has 2,000 characters


@pytest.mark.parametrize("pack", PACKS)
def test_a_pack_keeps_to_its_measured_floors(pack):
    told = score(pack)
    assert told.cases >= 200
    assert 0.45 <= told.near_misses / told.cases <= 0.65
    assert told.precision >= 0.97, told.rows
    assert told.recall >= 0.95, told.rows


@pytest.mark.parametrize("pack", PACKS)
def test_a_pack_holds_on_cases_that_its_forms_were_not_fitted_to(pack):
    told = score(pack, "_unseen")
    assert told.cases >= 40
    assert told.precision >= 0.97, told.rows
    assert told.recall >= 0.95, told.rows


@pytest.mark.slow
def test_the_tables_have_cases_of_every_kind_that_a_pack_has():
    found_kinds = {kind for case in cases_of("secrets") for _, _, kind in case.found()}
    untold = set(secrets.NAMES) - found_kinds
    assert untold <= {"octopus_key", "figma_token"}, untold
    personal_kinds = {kind for case in cases_of("pii") for _, _, kind in case.found()}
    assert personal_kinds == set(personal.KINDS)


def test_two_draws_of_a_table_are_the_same_text():
    assert list(cases_of("pii")) == list(cases_of("pii"))
    assert pack_numbers.luhn("7992739871") == "79927398713"
    assert pack_numbers.iban("DE", "370400440532013000") == "DE89370400440532013000"
    assert pack_numbers.ean("978030640615") == "9780306406157"


def _forms():
    """Yield every form of the packs: its name and its source."""
    for module in MODULES:
        for name, value in vars(module).items():
            if isinstance(getattr(value, "pattern", None), str):
                yield f"{module.__name__}.{name}", value.pattern
    for kind in secrets.KINDS:
        yield kind.name, kind.form.pattern
    for number in identifiers.NUMBERS:
        yield number.name, number.form.pattern
        if number.names is not None:
            yield f"names of {number.name}", number.names.pattern


def _repeats(parsed):
    """Yield how often each part of a parsed form may be repeated."""
    for op, argument in parsed:
        if op in (codes.MAX_REPEAT, codes.MIN_REPEAT):
            yield int(argument[1])
            yield from _repeats(argument[2])
        elif op is codes.BRANCH:
            for branch in argument[1]:
                yield from _repeats(branch)
        elif op is codes.SUBPATTERN:
            yield from _repeats(argument[3])
        elif op in (codes.ASSERT, codes.ASSERT_NOT):
            yield from _repeats(argument[1])


def test_every_form_repeats_its_parts_a_bounded_number_of_times():
    forms = dict(_forms())
    most = {name: max(_repeats(parser.parse(form)), default=0) for name, form in forms.items()}
    assert len(most) > 100
    assert {name: count for name, count in most.items() if count > MOST_REPEATS} == {}
