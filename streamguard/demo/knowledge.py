"""The sample knowledge base: a fictional bicycle rental, written for this purpose."""

from __future__ import annotations

from streamguard.core.model.types import RetrievedChunk

PASSAGES = {
    "prices": RetrievedChunk(
        "A day pass costs $12 and covers any number of rides until midnight. A monthly pass costs"
        " $39 per month and can be cancelled at any time. Students pay 20% less.",
        source="prices.md",
    ),
    "deposit": RetrievedChunk(
        "For cargo bikes we hold a deposit of $150 on your card. It is released within 3 days"
        " after the bike is back at a station.",
        source="deposit.md",
    ),
    "battery": RetrievedChunk(
        "Every e-bike has a battery of 500 Wh. A full charge takes 4 hours and lasts for about"
        " 80 km in eco mode. Batteries are swapped by our staff, never by riders.",
        source="e-bikes.md",
    ),
    "hours": RetrievedChunk(
        "The station at Mill Square is staffed from 7:30 to 19:00 on weekdays. On Saturdays it"
        " closes at 14:00, and on Sundays nobody is there.",
        source="stations.md",
    ),
    "stations": RetrievedChunk(
        "| Station | Staffed until | Bikes |\n|---|---|---|\n| Mill Square | 19:00 | 40 |\n"
        "| Old Port | 21:00 | 25 |",
        source="stations.md",
    ),
    "history": RetrievedChunk(
        "Harbourlight Bikes was founded in 2016 by Ingrid Solberg and Tomas Reyes in Port Ellery."
        " At the end of 2023 the fleet had 240 bikes.",
        source="about.md",
    ),
    "insurance": RetrievedChunk(
        "Theft insurance is part of the monthly pass; damage by water is not insured. After a"
        " crash you pay at most $80 for repairs.",
        source="insurance.md",
    ),
    "returns": RetrievedChunk(
        "Return the bike to any station and wait for the green light. A bike that is left"
        " elsewhere is collected for a fee of $20.",
        source="returns.md",
    ),
}
