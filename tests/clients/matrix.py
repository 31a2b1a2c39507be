"""The matrix of clients and protocols, as a table in Markdown."""

import re

from tests.clients.compare import form_of, sees

BEGIN, END = "<!-- clients: begin -->", "<!-- clients: end -->"
TITLES = {
    "chat": "Chat Completions",
    "responses": "Responses",
    "anthropic": "Anthropic",
    "ollama_chat": "Ollama chat",
    "ollama_generate": "Ollama generate",
    "ui": "UI messages",
    "events": "plain events",
    "lines": "plain lines",
}


def table(answers):
    """Return one row per client: what it survives, and where it reads the annotation."""
    used = [name for name in TITLES if any(each["protocol"] == name for each in answers)]
    rows = ["| client | " + " | ".join(TITLES[name] for name in used) + " |"]
    rows.append("|---" * (len(used) + 1) + "|")
    for client in dict.fromkeys(answer["client"] for answer in answers):
        mine = [answer for answer in answers if answer["client"] == client]
        cells = [_cell([each for each in mine if each["protocol"] == name]) for name in used]
        rows.append(f"| {client} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def summary(answers):
    """Return the counts of answers, breaks and changed finish reasons, as one sentence."""
    default = [each for each in answers if each["route"] == "default"]
    attach = [each for each in answers if each["route"] == "attach"]
    habits = sorted({each["client"] for each in answers if each["last_finish"]})
    return (
        f"{len(answers)} answers through the proxy, {_broken(answers)} broken; in the default form"
        f" {_broken(default)} of {len(default)}, with `attach` {_broken(attach)} of {len(attach)}."
        + (
            " A loop that takes the finish reason from the last chunk of a stream without usage"
            f" reads null in the default form, not with `attach`: {'; '.join(habits)}."
            if habits
            else ""
        )
    )


def write(answers, root):
    """Put the matrix between the marks of docs/clients.md."""
    page = root / "docs" / "clients.md"
    block = f"{BEGIN}\n{table(answers)}\n\n{summary(answers)}\n{END}"
    marked = re.compile(f"{BEGIN}.*?{END}", re.DOTALL)
    page.write_text(marked.sub(lambda _: block, page.read_text()))


def _broken(answers):
    return sum(bool(each["broken"]) for each in answers)


def _cell(answers):
    """Return one cell: what breaks, or where the annotation is read."""
    if not answers:
        return ""
    if bad := _broken(answers):
        return f"breaks {bad} of {len(answers)}"
    default = next(each for each in answers if each["route"] == "default")
    if form_of(default) and sees(default):
        return "in band"
    if "attach" in default["sees"]:
        return "in band with `attach`"
    if "event" in default["sees"]:
        return "in band with `event`"
    return "header" if default["header"] else "side channel"
