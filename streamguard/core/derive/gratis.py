"""What costs nothing, said another way: "at no extra cost" and "included in the price"."""

from __future__ import annotations

import re

from streamguard.core.anchors.value import ZERO
from streamguard.core.derive.statement import Derivation, Statement

_COSTS = r"(?:charges?|costs?|fees?|surcharges?|payment|paying)"
_GRATIS = re.compile(
    r"(?<![\w-])(?:(?:without|no)[ ](?:an?[ ]|any[ ])?(?:extra[ ]|additional[ ]|further[ ])?"
    rf"{_COSTS}|(?<!feel )free(?![ ]to(?!\w)|-)|gratis|complimentary|waived|covered by|on the house"
    r"|included|inclusive|(?:price|fee|fare|rate|ticket|admission)s? includes?"
    r"|(?:not|never) charged|(?:do|does) not pay|(?:don't|doesn't) pay"
    r"|(?:costs?|pays?) nothing)(?!\w|[ ](?:until|till|before|more|less|but)(?!\w))"
)
_DENIED = re.compile(r"(?<!\w)(?:not|n't|never|nothing is|isn't|aren't)[ ]$")
_BEFORE = 12  # characters before it in which it is denied


def gratis(said: Statement) -> Derivation | None:
    """Return the price of nothing where the best window says in any way that it is asked for."""
    if said.anchor.kind != "amount":
        return None
    for found in _GRATIS.finditer(said.passage):
        start = found.start()
        if not _DENIED.search(said.passage, max(0, start - _BEFORE), start):
            return Derivation(found[0], (), ZERO)
    return None
