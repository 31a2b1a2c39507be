"""Values of any size that stand where a passage has another one of their kind, or of their noun."""

from functools import cache

import pytest

from streamguard import Context, StreamGuard, check_text
from streamguard.core.derive.equations import Written, counts_of_total, misreckoned
from streamguard.testing import feed_every_way
from streamguard.values import read_anchors
from tests.kit.tables import differing


@cache
def context(*chunks):
    return Context(chunks=chunks)


VALUE_CHECKS = {"unsupported_value", "unsupported_price", "contradicted_value"}


def values_of(pieces, *chunks):
    """Return the values that are warned of."""
    guard = StreamGuard(context(*chunks))
    for piece in pieces:
        guard.feed(piece)
    warnings = [one for one in guard.close().findings if one.severity == "warning"]
    return [one.value for one in warnings if one.check in VALUE_CHECKS]


def warned(answer, *chunks):
    return values_of([answer], *chunks)


# A count: its noun stands beside another number of the nearest sentence or row.
FERRY = "The night ferry carries 340 passengers and 72 cars, and has a crew of 19."
CHOIR = "The choir has 61 singers, gives 9 concerts a season and rehearses in the old mill."
RELEASE = "Release 8 adds 3 shortcuts and 7 exporters and removes the plug-in folder."
TRIAL = "The trial took in 212 patients at 14 hospitals and ran until the spring."
LIMITS = """| Setting | Meaning | Default |
|---|---|---|
| pool.size | The number of workers that one node starts. | 24 |
| pool.wait | The time to wait for a free worker. | 40s |"""
COUNTS = [
    ("The night ferry carries 340 passengers and 31 cars.", FERRY, ["31"]),
    ("The night ferry carries 510 passengers.", FERRY, ["510"]),
    ("The choir has 40 singers and gives 9 concerts a season.", CHOIR, ["40"]),
    ("The choir gives 15 concerts a season.", CHOIR, ["15"]),
    ("Release 8 adds 3 shortcuts and 11 exporters.", RELEASE, ["11"]),
    ("Release 8 adds 10 exporters.", RELEASE, ["10"]),
    ("The trial took in 380 patients at 14 hospitals.", TRIAL, ["380"]),
    ("The trial took in 212 patients at 25 hospitals.", TRIAL, ["25"]),
    ("By default one node starts 40 workers.", LIMITS, ["40"]),
    ("The mill served 480 dinners.", CHOIR, ["480"]),  # of which nobody speaks
    ("The night ferry carries 340 passengers and 72 cars.", FERRY, []),
    ("The choir has 61 singers and gives 9 concerts a season.", CHOIR, []),
    ("Release 8 adds 3 shortcuts and 7 exporters, 10 additions in all.", RELEASE, []),
    ("The trial took in 212 patients at 14 hospitals.", TRIAL, []),
    ("By default one node starts 24 workers.", LIMITS, []),
    ("About 3 in 100 passengers come with a car.", FERRY, []),
    ("The choir has some 60 singers.", CHOIR, []),
    ("Between the two there are 268 passengers more than cars.", FERRY, []),
    ("All told, with what the islands' harbours and timetables allow, 31 cars sail.", FERRY, []),
    ("Sixty-one singers make up the choir.", CHOIR, []),
]


def test_a_count_stands_beside_its_noun():
    assert not differing(COUNTS, warned)


# A named measure, or all else that a sentence says: nearly all that surrounds it is the passage's.
STUDY = "The relative risk was 1.40 (95% CI 1.1-1.8)."
SENSOR = "The probe has a mean error of 0.6 K and a response time of 90 s at 95% confidence."
YIELD = "With lime the yield rose to 6.1 t per hectare, and the share of clover fell to 22%."
TERM = "The lease of the boathouse begins on 3 March 2027 and needs 4 weeks' notice."
BUDGET = "Repairs to the weir took 37% of the fund, and its paths 18%."
MEASURES = [
    ("The relative risk was 3.15 (95% CI 1.1-1.8).", STUDY, ["3.15"]),
    ("The relative risk was 0.65 (95% CI 1.1-1.8).", STUDY, ["0.65"]),
    ("The relative risk was 2.52 (95% CI 1.1-1.8).", STUDY, ["2.52"]),  # 1.4 × 1.8, of no count
    ("The probe has a mean error of 1.9 K at 95% confidence.", SENSOR, ["1.9 K"]),
    ("With lime the yield rose to 9.4 t per hectare.", YIELD, ["9.4 t per hectare"]),
    ("With lime the share of clover fell to 9%.", YIELD, ["9%"]),
    ("The lease of the boathouse begins on 21 June 2027.", TERM, ["21 June 2027"]),
    ("The lease of the boathouse needs 9 weeks' notice.", TERM, ["9 weeks"]),
    ("Repairs to the weir took 59% of the fund.", BUDGET, ["59%"]),
    ("Its paths took 41% of the fund.", BUDGET, ["41%"]),
    ("The probe has a response time of 140 s at 95% confidence.", SENSOR, ["140 s"]),
    ("The relative risk was 1.40 (95% CI 1.1-1.8).", STUDY, []),
    ("The probe has a mean error of 0.6 K at 95% confidence.", SENSOR, []),
    ("With lime the yield rose to 6.1 t per hectare.", YIELD, []),
    ("With lime the share of clover fell to 22%.", YIELD, []),
    ("The lease of the boathouse begins on 3 March 2027.", TERM, []),
    ("The lease of the boathouse begins in March 2027.", TERM, []),
    ("Repairs to the weir took about 40% of the fund.", BUDGET, []),
    ("Repairs to the weir left 63% of the fund.", BUDGET, []),  # 37 % are the rest
    ("Weir and paths together took 55% of the fund.", BUDGET, []),
]


def test_a_value_stands_in_the_place_of_another_one():
    assert not differing(MEASURES, warned)


# Reckonings that are written out.
MISRECKONED = [
    ("720 × $3.39 = $2,140.80", True), ("720 × $3.39 = $2,440.80", False),
    ("12 + 30 + 7 = 48", True), ("12 + 30 + 7 = 49", False), ("90 - 32 - 8 = 60", True),
    ("90 − 32 − 8 = 50", False), ("7 kg × 3 = 20 kg", True), ("7 kg × 3 = 21 kg", False),
    ("1 kg / 4 = 300 g", True), ("1 kg / 4 = 250 g", False), ("£2 million ÷ 8 = £25,000", True),
    ("£2 million ÷ 8 = £250,000", False), ("10 / 3 = 3.3", False), ("10 / 3 = 3.4", True),
    # What is not read: other signs, units that do not fit, several signs, what stands before.
    ("5 × 4 + 3 = 20", False), ("(5 + 4) × 3 = 20", False), ("5 km + 4 = 12 km", False),
    ("2^5 + 4 = 12", False), ("5 kg × 4 kg = 12 kg", False), ("5 / 0 = 7", False),
    ("= 7", False), ("so 12 = 7", False), ("5-6 × 2 = 7", False), ("20% × 50 = 12", False),
    ("4 × 5 is 21", False), ("4 × 5 = about 21", False), ("4 × 5 = 20-25", False),
    ("4 kg ÷ 2 kg = 3", False), ("+ 4 + 5 = 10", False),
]  # fmt: skip


def test_a_reckoning_that_is_written_out_is_checked():
    def read(text):
        values = [Written(one.start, one.end, one) for one in read_anchors(text)]
        return misreckoned(text.lower(), values, len(values) - 1) is not None

    assert not differing(MISRECKONED, read)
    low, (five, two, seven) = "5 × 2 = 7", read_anchors("5 × 2 = 7")
    ends = [Written(0, 5, five), Written(0, 5, two), Written(8, 9, seven)]  # of a range
    assert misreckoned(low, ends, len(ends) - 1) is None


# A price for one unit, a count of such units, and what they come to.
BILLS = [
    ("Parking costs £12 a day, so four days would come to £58.", True),
    ("Parking costs £12 a day, so four days would come to £48.", False),
    ("Five nights at £40 a night come to £220 in total.", True),
    ("Five nights at £40 a night come to £200 in total.", False),
    ("Three seats at $19 each cost $67.", True), ("Three seats at $19 each cost $57.", False),
    ("At €9 per person, six people pay €60.", True),
    ("At €9 per person, six people pay €54.", False),
    ("The fee is $15 per hour; a 3-hour session is $50.", True),
    ("The fee is $15 per hour; a 3-hour session is $45.", False),
    ("Two months at £8 a month make £18", True), ("Two months at £8 a month make £16", False),
    ("At $8.40 a box, 12 boxes cost $108.80.", True),
    ("At $8.40 a box, 12 boxes cost $100.80.", False),
    # What may be more than a product: other amounts, other units, additions, limits.
    ("Entry is £5 and a boat £12 a day, so four days would come to £53.", False),
    ("Parking costs £12 a day, so four weeks would come to £58.", False),
    ("Parking costs £12 a day, so four days come to £58 with the deposit.", False),
    ("Parking costs £12 a day, so four days come to £58 plus the deposit.", False),
    ("Parking costs £12 a day, but four days never cost more than £40.", False),
    ("Parking costs £12 a day, and four days cost about £50.", False),
    ("Parking costs £12 a day and members of four days' standing pay £9.", False),
    ("At £12 a day for two people, four days cost £90.", False),
    ("Parking costs £12 a day, and the first four days cost £30.", False),
    ("Parking costs £12 a day, or four days for £40.", False),
    ("Three seats at $19 each cost EUR 67.", False),
    # Of one period and of another one.
    ("You get €15 a month, which makes €150 a year.", True),
    ("You get €15 a month, which makes €180 a year.", False),
    ("The fee is £9 per week, so £458 per year.", True),
    ("The fee is £9 per week, so £468 per year.", False),
    ("A locker is $2 a day, that is $12 a week.", True),
    ("A locker is $2 a day, that is $14 a week.", False),
    ("Parking is €30 a quarter, i.e. €90 a year.", True),
    ("Parking is €30 a quarter, i.e. €120 a year.", False),
    ("It costs €15 a month or €150 a year.", False),  # a price of its own
    ("It costs €15 a month, but €150 a year.", False),
    ("It costs €15 a month and makes €150 a week.", False),
    ("It costs €15 a week, so €60 a month.", False),  # months are of several lengths
    ("You get €15 a month, which makes about €200 a year.", False),
    ("You get about €15 a month, which makes €200 a year.", False),
    ("You get €15 a month, which makes $150 a year.", False),
    ("Parking costs £12 a day, so four crates would come to £58.", False),
]  # fmt: skip


def test_a_bill_that_is_written_in_words_is_checked():
    def read(text):
        values = [Written(one.start, one.end, one) for one in read_anchors(text)]
        return misreckoned(text.lower(), values, len(values) - 1) is not None

    assert not differing(BILLS, read)


# (sentence, what its first value is said to be all of)
TOTALS = [
    ("There are 16 vans altogether: twelve in Bow, four in Leeds and two in Hull.", [12, 4, 2]),
    ("In all 9 people came, 5 by bus and 4 by train.", []),  # no list of all
    ("A total of 30 rooms: 18 doubles, 8 singles and 4 suites.", [18, 8, 4]),
    ("We keep 30 rooms in total: 18 doubles, and 12 singles.", [18, 12]),
    ("We keep 30 rooms: 18 doubles and 8 singles.", []),  # there may be others
    ("We keep 30 rooms in total: 18 of them have 2 beds and 12 one.", []),
    ("We keep 30 rooms in total: 18 doubles and about 10 singles.", []),
    ("We keep 30 rooms in total: 18 doubles at £40 and 12 singles.", []),
    ("We keep 30 rooms in total: see page 4, 5 and 6.", []),
    ("We keep about 30 rooms in total: 18 doubles and 11 singles.", []),
]


def test_a_total_is_laid_beside_the_counts_listed_as_all_of_it():
    def read(text):
        values = [Written(one.start, one.end, one) for one in read_anchors(text)]
        return [int(one.number) for one in counts_of_total(text.lower(), values, 0)]

    assert not differing(TOTALS, read)


def test_a_wrong_total_is_a_warning_and_the_right_one_is_derived():
    vans = "The vans stand in Bow (12), in Leeds (4) and in Hull (2)."
    right = "There are 18 vans altogether: twelve in Bow, four in Leeds and two in Hull."
    assert warned(right.replace("18", "16"), vans) == ["16"]  # more than Bow and Leeds
    assert not check_text(right, context=context(vans)).findings


def test_a_wrong_bill_is_a_warning():
    allowance = "There is an allowance of €15 a month for a connection at home."
    assert warned("You get €15 a month, so €150 a year.", allowance) == ["€150 a year"]
    assert warned("You get €15 a month, so €180 a year.", allowance) == []
    context_of_quay = context("Parking costs €30 a quarter for residents.")
    assert not check_text(
        "Parking is €30 a quarter, so €120 a year.", context=context_of_quay
    ).findings
    price = "Parking on the quay is £12 a day and has to be paid at the harbour office."
    assert warned("Parking is £12 a day, so four days would come to £58.", price) == ["£58"]
    assert warned("Parking is £12 a day, so four days would come to £48.", price) == []


def test_a_wrong_result_is_a_warning():
    rent = "A rowing boat is £14 an hour."
    assert warned("A whole morning comes to 4 × £14 = £66.", rent) == ["£66"]
    assert warned("A whole morning comes to 4 × £14 = £56.", rent) == []


RECKONINGS = [
    ("4 × £14 = £66.", "4 × £14 is £56"),
    ("1 kg / 4 = 300 g", "1 kg ÷ 4 is 250 g"),
    ("£2 million ÷ 8 = £25,000", "£2 million ÷ 8 is £250,000"),
    ("At £12.50 a day, four days come to £58.", "£12.50 a day × four days is £50"),
    ("You get €150 a month, which makes €150 a year.", "€150 a month × 12 is €1,800 a year"),
    ("There are 16 vans in all: twelve in Bow and two in Hull.", "twelve + two is 14"),
    ("There are 14 vans in all: twelve in Bow and two in Hull.", None),
]


def test_the_message_names_the_right_result():
    def read(text):
        values = [Written(one.start, one.end, one) for one in read_anchors(text)]
        return misreckoned(text.lower(), values, 0 if "vans" in text else len(values) - 1)

    assert not differing(RECKONINGS, read)
    price = "Parking on the quay is £12 a day."
    result = check_text("Parking is £12 a day, so four days are £58.", context=context(price))
    (finding,) = [one for one in result.findings if one.severity == "warning"]
    assert finding.message == "“£58” is in no passage; £12 a day × four days is £48."


def test_a_number_in_letters_may_be_no_part_of_a_sum():
    fees = "Seven Doors was sold for £11,000. The premium is 25% of the first 10,000, then 20%."
    said = "£13,700: to the £11,000 come 2,500 on the first ten thousand and 200 on the rest."
    assert warned(said, fees) == []


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "chunk", "expected"), COUNTS + MEASURES)
def test_no_split_changes_what_is_warned_of(answer, chunk, expected):
    assert feed_every_way(answer, lambda pieces: values_of(pieces, chunk)) == expected
