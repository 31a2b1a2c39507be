"""Tables of cases that are gone through in one test, and told row by row where one differs."""


def differing(rows, read):
    """Return the rows (arguments and what is expected of them) of which `read` says otherwise."""
    found = [(*given, expected, read(*given)) for *given, expected in rows]
    return [(*row, f"found {got!r}") for *row, got in found if got != row[-1]]
