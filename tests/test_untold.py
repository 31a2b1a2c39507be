import time

import pytest

from streamguard.core.context import Context
from streamguard.core.reading.refusals import is_refusal, leading_refusal
from streamguard.core.reading.untold import texts_do_not_tell, untold_topic
from streamguard.core.validate import check_text
from streamguard.testing import feed_every_way
from tests.test_refusals import NOT_LEADING

# A whole sentence, in lower case, and what the sources do not tell of.
UNTOLD = [
    ("parking isn't mentioned.", "parking"),
    ("parking is not mentioned anywhere in the brochure.", "parking"),
    ("however, the deposit is not specified.", "the deposit"),
    ("- the price of a spare key is not stated.", "the price of a spare key"),
    ("as for bicycles, they are not mentioned.", "they"),
    ("whether dogs may come is not stated.", "whether dogs may come"),
    ("how long the repair takes is left open.", "how long the repair takes"),
    ("how the refund is paid isn't made clear.", "how the refund is paid"),
    ("the deposit goes unmentioned.", "the deposit"),
    ("the weight limit is left unspecified.", "the weight limit"),
    ("it is not stated whether dogs may come.", "dogs may come"),
    ("it isn't said how the fee is paid.", "the fee is paid"),
    ("it's not explained why the lamp blinks.", "the lamp blinks"),
    ("it is not specified in the handbook when the office opens.", "the office opens"),
    ("nothing is said about dogs.", "dogs"),
    ("nothing about dogs is mentioned.", "dogs"),
    ("there is nothing about dogs in the brochure.", "dogs in the brochure"),
    ("there are no details on spare keys.", "spare keys"),
    ("there's no mention of spare keys.", "spare keys"),
    ("there is no word on spare keys.", "spare keys"),
    ("no details on spare keys are given.", "spare keys"),
    ("no further information about spare keys is provided here.", "spare keys"),
    ("no mention is made of spare keys.", "spare keys"),
    ("no details are given about spare keys.", "spare keys"),
    ("dogs aren't covered in these pages.", "dogs"),
    ("spare keys are not dealt with in the tenants' handbook.", "spare keys"),
    ("spare keys are not listed here.", "spare keys"),
    ("the leaflet says nothing about breastfeeding.", "breastfeeding"),
    ("the house guide does not mention a lift.", "a lift"),
    ("this page doesn't say who cleans the stairs.", "who cleans the stairs"),
    ("the owner's manual gives no details on the fuse.", "the fuse"),
    ("our website is silent on discounts.", "discounts"),
    ("the brochure does not say.", ""),
    ("nothing about lifts is included in the guide.", "lifts"),
    ("they don't explain how points are counted.", "how points are counted"),
    ("it does not specify a height.", "a height"),
    ("the fee is not stated, so please check with the office.", "the fee"),
    ("it is not stated whether dogs may come, so i'd suggest asking the desk.", "dogs may come"),
    (
        "the closing times aren't listed in the brochure, so check those before you go.",
        "the closing times",
    ),
    ("it doesn't say.", ""),
    ("it does not say whether dogs may come.", "whether dogs may come"),
    ("the faq doesn't cover gift cards.", "gift cards"),
    ("the guide does not give any details on lifts.", "lifts"),
    ("the brochure leaves open who pays.", "pays"),
    ("none of the pages mentions lifts.", "lifts"),
    ("it is unclear from the leaflet whether it may be crushed.", "it may be crushed"),
    ("the exact fee is unclear from the text.", "the exact fee"),
    ("the fees are not provided in the brochure.", "the fees"),
    ("the lease makes no mention of pets.", "pets"),
    ("the terms leave open who pays.", "pays"),
    ("details of the warranty are not provided.", "the warranty"),
    ("further details are not given.", ""),
    ("the travel policy says nothing about taxis.", "taxis"),
    ("the regulations do not specify a height.", "a height"),
    ("the lease is silent about pets.", "pets"),
    ("a height is not mentioned in the regulations.", "a height"),
    ("unfortunately, the rules don't explain how points are counted.", "how points are counted"),
]

# They state something, or something more.
TOLD = [
    "breakfast is not included.",
    "dogs are not allowed.",
    "floods are not covered by the policy.",
    "floods are not covered in the policy.",
    "towels are not provided in the rooms.",
    "the policy does not cover floods.",
    "the plan does not include towels.",
    "the manual gearbox does not need oil.",
    "the guide dogs are not mentioned by name, but they may come.",
    "the guide dog does not speak of it.",
    "the text messages do not mention a price.",
    "the victim's name was not stated.",
    "his age is not mentioned in the credits.",
    "no details about you are given to advertisers.",
    "no information is shared with third parties.",
    "there is no word for snow in that language.",
    "there is nothing on the shelf.",
    "there is no charge.",
    "nothing is certain.",
    "the door is left open.",
    "the fee is not stated, but it is small.",
    "the fee is not stated so it may be paid later.",
    "the fee is not stated, and dogs pay half.",
    "parking is free and the fee for bicycles is not stated.",
    "it is not said that dogs may come.",
    "it is not clear whether coffee helps.",
    "the brochure does not say; the desk does.",
    "the fee is not stated, so pay in coins.",
    "the fee is not stated, so check whether it is over 50 euros.",
    "they do not serve meals.",
    "it does not indicate a fault.",
    "it does not address the cause.",
    "they do not discuss prices with customers.",
    "they don't tell customers about prices.",
    "there are no details for customers.",
    "the rules do not name a winner.",
    "the instructions do not say to remove the lid.",
    "maps are not included in the guide.",
    "it is unknown whether coffee helps.",
    "the shop is open.",
    "is parking not mentioned?",
    "say no more.",
]

HANDBOOK = [
    "Tenants get two keys at the desk. Copies of a key are made by the caretaker for a fee.",
    "Rubbish is collected on Tuesdays. The bins stand behind the house.",
]


@pytest.mark.parametrize(("sentence", "topic"), UNTOLD)
def test_a_sentence_says_what_the_sources_do_not_tell(sentence, topic):
    assert untold_topic(sentence) == topic


@pytest.mark.parametrize("sentence", TOLD)
def test_other_sentences_state_something(sentence):
    assert untold_topic(sentence) is None


@pytest.mark.parametrize("sentence", [text for text in NOT_LEADING if text.endswith(".")])
def test_what_is_no_refusal_at_the_start_states_something_further_on(sentence):
    assert untold_topic(sentence.lower()) is None


@pytest.mark.parametrize(
    ("sentence", "refuses"),
    [
        ("The leaflet says nothing about breastfeeding.", True),
        ("The house guide does not mention a lift.", True),
        ("Dogs aren't covered in these pages.", True),
        ("The travel policy says nothing about taxis.", False),
        ("The lease is silent about pets.", False),
    ],
)
def test_a_text_that_does_not_tell_leads_a_refusal_but_a_rule_does_not(sentence, refuses):
    assert texts_do_not_tell(sentence.lower()) is refuses
    assert (leading_refusal(sentence) is not None) is refuses
    assert is_refusal(sentence) is refuses


def checked(answer, chunks=HANDBOOK):
    return check_text(answer, context=Context(query="How many keys do I get?", chunks=chunks))


@pytest.mark.parametrize(
    "sentence",
    [
        "Parking isn't mentioned.",
        "The handbook says nothing about bicycles.",
        "It is not stated whether guests may stay overnight.",
        "No details on parking are given [C2].",
        "Pets aren't covered in these pages.",
        "The house rules do not mention balconies.",
    ],
)
def test_such_a_sentence_is_no_claim_and_refuses_nothing_of_the_answer(sentence):
    answer = f"Tenants get two keys at the desk. {sentence}"
    result = checked(answer)
    assert [each.is_claim for each in result.sentences] == [True, False]
    assert result.status == "PASS"
    assert result.refusal.extent == "none"

    def claims(pieces):
        return checked("".join(pieces)).total_claims

    assert feed_every_way(answer, claims) == 1


@pytest.mark.parametrize(
    "sentence",
    [
        "Copies of a key are not mentioned.",  # a passage speaks of them in one place
        "The handbook says nothing about rubbish.",
        "It is not stated whether parking costs 50 euros.",
        "The fee is not stated, but it is small.",
    ],
)
def test_it_is_a_claim_where_a_passage_tells_or_it_says_more(sentence):
    result = checked(f"Tenants get two keys at the desk. {sentence}")
    assert [each.is_claim for each in result.sentences] == [True, True]


def test_first_in_an_answer_a_rule_that_does_not_tell_is_the_answer():
    assert checked("The house rules do not mention balconies.").total_claims == 1


def test_without_passages_nobody_can_tell_otherwise():
    result = check_text("Two keys are given. Parking isn't mentioned.")
    assert [each.is_claim for each in result.sentences] == [True, False]


@pytest.mark.parametrize(
    "shape",
    [
        "not mentioned ",
        "it is not stated ",
        "the handbook ",
        "no details on ",
        "nothing about ",
        "whether it is not ",
        "as for it, ",
        "is not stated, so check it ",
        " " * 20 + "is not stated",
    ],
)
def test_cost_grows_with_the_text_and_no_faster(shape):
    def seconds(chars):
        text = (shape * (chars // len(shape) + 1))[:chars]
        begin = time.process_time()
        untold_topic(text)
        texts_do_not_tell(text)
        return time.process_time() - begin

    small = min(seconds(10_000) for _ in range(3))
    large = min(seconds(40_000) for _ in range(3))
    assert large < 8 * small + 0.02  # four times the text; quadratic would be sixteen times
