"""Random bytes that look like event streams, and random cuts."""

FIELDS = (b"data", b"data", b"data", b"event", b"id", b"retry", b"x", b"Data", b"", b" data")
COLONS = (b": ", b": ", b":", b"", b":  ", b" :", b"::")
VALUES = (
    b"a", b"", b" ", b"b:c", b"\0", b"1\x002", b"7", b"3000", b"99999999999999999999", b"1 ", b"+1",
    "é".encode(), "🎉".encode(), "\u2028".encode(), "\u0085".encode(), b"\x0b", b"\x0c", b"\x1c",
    "３".encode(), b"\xff", b"\xc3", b"\xe2\x80", b"\xf0\x9f", b"\x80", b"\xef\xbb\xbf", b"[DONE]",
    b'{"a":1}', b"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
)  # fmt: skip
ENDS = (b"\n", b"\n", b"\n", b"\n\n", b"\n\n", b"\r\n", b"\r\n\r\n", b"\r", b"\r\r", b"\n\r", b"")
STARTS = (b"", b"", b"", b"\xef\xbb\xbf", b"\xef\xbb\xbf\xef\xbb\xbf", b"\xef\xbb", b"\xef", b"\n")
SIZES = (0, 1, 1, 1, 2, 2, 3, 4, 5, 8, 13, 40)


def stream(rng):
    count = int(rng.random() * 12)
    choose = rng.choices
    fields, colons = choose(FIELDS, k=count), choose(COLONS, k=count)
    values, ends = choose(VALUES, k=count), choose(ENDS, k=count)
    rows = zip(fields, colons, values, ends, strict=True)
    return choose(STARTS)[0] + b"".join([part for row in rows for part in row])


def cut(rng, raw):
    """Return pieces that join to `raw`, empty ones among them."""
    if rng.random() < 0.2:
        return [raw[at : at + 1] for at in range(len(raw))]
    found, at = [], 0
    sizes = rng.choices(SIZES, k=max(2, len(raw)))
    for size in sizes:
        if at >= len(raw):
            break
        found.append(raw[at : at + size])
        at += size
    return [*found, raw[at:]]
