"""Lists of which all values are multiplied, and sums of two that are named: (passage, answer).

All self-written. The right answers follow from what they announce, of the wrong ones one value does
not.
"""

SOUP = """Leek soup (serves 4)

30 g butter
500 g leeks
350 g potatoes
1.2 l stock
150 ml cream
80 g bacon
20 g parsley
"""
CREW = "The night shift has 14 nurses, the day shift 23 and the late shift 9."
SEATS = "Council: Farmers 17 (+3), Workers 8 (-1), Reform 5 (-2)."
GRANTS = """| Club | Grant |
|---|---|
| Rowing | €4,200 |
| Chess | €900 |
| Choir | €2,600 |
"""

SCALED_RIGHT = [
    (SOUP, "Take two and a half times the amounts: 75 g butter, 875 g potatoes, 375 ml cream."),
    (
        SOUP,
        "Double the amounts: 1 kg of leeks, 700 g of potatoes, 300 ml of cream, 160 g of bacon.",
    ),
    (
        SOUP,
        "That is half of all: 250 g of leeks, 175 g of potatoes, 75 ml of cream, 10 g of parsley.",
    ),
]
SCALED_WRONG = [
    (SOUP, "Take two and a half times the amounts: 75 g butter, 875 g potatoes, 395 ml cream."),
    (
        SOUP,
        "Double the amounts: 1 kg of leeks, 700 g of potatoes, 300 ml of cream, 180 g of bacon.",
    ),
    (
        SOUP,
        "That is half of all: 250 g of leeks, 185 g of potatoes, 75 ml of cream, 10 g of parsley.",
    ),
]
SUMMED_RIGHT = [
    (CREW, "Together the night shift and the day shift have 37 nurses."),
    (CREW, "Day and late shift have 32 nurses together."),
    (SEATS, "Farmers and Reform together hold 22 seats."),
    (SEATS, "Together the Workers and Reform hold 13 seats."),
    (GRANTS, "Rowing and chess get €5,100 together."),
    (GRANTS, "Chess and the choir together get €3,500."),
]
# A table without a rule, of which the rows are no owners.
CREDITS = "Course | Year | Credits | Term\nFieldwork | 2 | 9 | II\nThesis | 2 | 24 | III"
LOOSE = CREDITS + "\n\nCredits of the first year: 6. To pass takes 70 %."
SUMMED_RIGHT.append((LOOSE, "Fieldwork and thesis to pass give 33 credits together."))
SUMMED_WRONG = [
    (CREW, "Together the night shift and the day shift have 32 nurses."),
    (SEATS, "Farmers and Reform together hold 25 seats."),
    (SEATS, "Together the Workers and Reform hold 22 seats."),
    (SEATS, "Farmers and Workers together hold 13 seats."),
    (GRANTS, "Rowing and chess get €6,800 together."),
    (GRANTS, "Chess and the choir together get €5,100."),
]
