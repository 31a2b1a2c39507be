"""The matrix of clients and protocols, as tables in Markdown."""

import re

from tests.programs.clients.compare import form_of, sees

TITLES = {
    "chat": "Chat Completions", "completions": "Completions", "responses": "Responses",
    "anthropic": "Anthropic", "gemini": "Gemini", "cohere": "Cohere", "ollama_chat": "Ollama chat",
    "ollama_generate": "Ollama generate", "ui": "UI messages", "events": "plain events",
    "lines": "plain lines",
}  # fmt: skip
_MAJOR = re.compile(r" (\d+)$")


def table(answers):
    """Return one row per client and way to use it: what breaks, or where it is read."""
    return _table(answers, lambda answer: answer["client"])


def short_table(answers):
    """Return one row per package: its versions, sync, async and helpers together.

    Loops by hand are one row; a cell that differs among what it stands for says so.
    """
    majors = {}
    for answer in answers:
        name = answer["client"].partition(", ")[0]
        if found := _MAJOR.search(name):
            majors.setdefault(name[: found.start()], set()).add(int(found[1]))

    def row(answer):
        name, _, way = answer["client"].partition(", ")
        if way.startswith("loop") or name.startswith("lines by hand"):
            return "loops by hand"
        name = _MAJOR.sub("", name)
        found = ", ".join(map(str, sorted(majors.get(name, ()))))
        return f"{name} {found}".strip()

    return _table(answers, row)


def counts(answers):
    """Return how many answers there were and how many are broken, as one sentence."""
    default = [each for each in answers if each["route"] == "default"]
    attach = [each for each in answers if each["route"] == "attach"]
    return (
        f"{len(answers)} answers through the proxy, {_broken(answers)} broken; in the default form"
        f" {_broken(default)} of {len(default)}, with `attach` {_broken(attach)} of {len(attach)}."
    )


def habits(answers):
    """Name the loops whose finish reason may change, as one sentence; empty without one."""
    found = sorted({each["client"] for each in answers if each["last_finish"]})
    if not found:
        return ""
    return (
        "A loop that takes the finish reason from the last chunk of a stream without usage reads"
        f" null in the default form, not with `attach`: {'; '.join(found)}."
    )


def write(answers, told, root):
    """Put the matrix between the marks of its page; `told`: what was run."""
    block = f"{short_table(answers)}\n\n{counts(answers)} {habits(answers)}\n\n{told}"
    page = root / "benchmarks" / "results" / "clients.md"
    page.write_text(put(page.read_text(encoding="utf-8"), block), encoding="utf-8")


def put(page, block):
    """Return the page with `block` between its marks; `ValueError` without them."""
    before, begin, rest = page.partition("<!-- clients: begin -->")
    _, end, behind = rest.partition("<!-- clients: end -->")
    if not end:
        raise ValueError("the page lacks the marks <!-- clients: begin --> … <!-- clients: end -->")
    return f"{before}{begin}\n{block}\n{end}{behind}"


def _table(answers, row):
    used = [name for name in TITLES if any(each["protocol"] == name for each in answers)]
    lines = ["| client | " + " | ".join(TITLES[name] for name in used) + " |"]
    lines.append("|---" * (len(used) + 1) + "|")
    for name in dict.fromkeys(map(row, answers)):
        mine = [answer for answer in answers if row(answer) == name]
        cells = [_cells([each for each in mine if each["protocol"] == p]) for p in used]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cells(answers):
    clients = dict.fromkeys(answer["client"] for answer in answers)
    cells = [_cell([each for each in answers if each["client"] == name]) for name in clients]
    return ", ".join(dict.fromkeys(cells))


def _cell(answers):
    """Return what breaks for one client and protocol, or where the annotation is read."""
    if bad := _broken(answers):
        return f"breaks {bad} of {len(answers)}"
    default = next(each for each in answers if each["route"] == "default")
    if form_of(default) and sees(default):
        return "in band"
    for form in ("attach", "event"):
        if form in default["sees"]:
            return f"in band with `{form}`"
    return "header" if default["header"] else "side channel"


def _broken(answers):
    return sum(bool(each["broken"]) for each in answers)
