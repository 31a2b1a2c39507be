import pytest

from streamguard.core.anchors import read_anchors
from streamguard.core.conflicts.reading import all_values, read
from streamguard.core.conflicts.respective import paired


def pairs(text):
    anchors = read_anchors(text)
    reading = read(text, anchors)
    found = paired(reading, all_values(reading, anchors))
    return [(" ".join(sorted(keys)), value.anchor.text) for keys, value in found]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Basic and Pro cost $10 and $49, respectively.", [("basic", "$10"), ("pro", "$49")]),
        ("Basic & Pro cost $10 & $49 respectively.", [("basic", "$10"), ("pro", "$49")]),
        (
            "Basic, Plus, and Pro cost $10, $25, and $49, respectively.",
            [("basic", "$10"), ("plus", "$25"), ("pro", "$49")],
        ),
        (
            "The Basic Plan and the Pro Plan include 3 and 5 seats, respectively.",
            [("basic plan", "3"), ("plan pro", "5")],
        ),
        (
            "Adults and children take 500 and 250 mg respectively.",
            [("adult", "500"), ("children", "250 mg")],
        ),
        (
            "Small dogs and large dogs need 1 cup and 2 cups respectively.",
            [("dog small", "1 cup"), ("larg", "2 cups")],
        ),
        ("$10 and $49 respectively for Basic and Pro", [("basic", "$10"), ("pro", "$49")]),
        ("Alder and Borne have 18 and 65 mills, in that order.", [("alder", "18"), ("born", "65")]),
        ("Basic and Pro are, respectively, $10 and $49.", [("basic", "$10"), ("pro", "$49")]),
        (
            "In 2021 and 2022 sales were $12,000 and $15,000, respectively.",
            [("#2021", "$12,000"), ("#2022", "$15,000")],
        ),
        (
            "For Basic and Pro, the price is $10 and $49 respectively.",
            [("basic", "$10"), ("pro", "$49")],
        ),
        # no cue, no list, not as many, too many, nothing that names
        ("Basic and Pro cost $10 and $49.", []),
        ("Basic and Pro are sold respectively.", []),
        ("Basic, Plus and Pro cost $10, $25 respectively.", []),
        ("Basic and Pro cost $10 respectively.", []),
        ("Basic costs $10 and $49, respectively.", []),
        ("Basic or the cost $10 and 5 kg respectively.", []),
        ("Basic, Pro cost $10 and $49, respectively.", []),
        ("It and they cost $10 and $49, respectively.", []),
        ("A and B cost " + ", ".join(f"${n}00" for n in range(1, 10)) + " respectively.", []),
        ("Basic, the plan of all who need no more, and Pro cost $1, $2 and $4 respectively.", []),
        (
            "Alder and Borne have 5-10 and 15-20 mills, respectively.",
            [("alder", "5-10"), ("born", "15-20")],
        ),
        (
            "We charge Basic and Pro users $10 and $49, respectively.",
            [("basic", "$10"), ("pro", "$49")],
        ),
        ("Costs of $10 and, as far as is known to all, $49 respectively for Basic and Pro", []),
    ],
)
def test_the_items_of_two_lists_belong_together(text, found):
    assert pairs(text) == found
