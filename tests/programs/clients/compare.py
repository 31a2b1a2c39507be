"""What the proxy changed for a client: the same answer with and without it, field by field."""

SAME = ("text", "thought", "tool_args", "usage", "error")
LONG_CHARS = 140_000  # of the annotation of a long answer, at least
WITH_PASSAGES = ("chat", "responses", "anthropic", "ollama_chat")  # the rest asks without any


BLOCKED = 'The "Pro"'  # where the sentence begins that the holding proxies block
REFUSAL = "I cannot answer this based on the provided documents."


def cut(direct, proxied):
    """Return what a proxy breaks that stops the answer, or puts a refusal in place of its rest.

    Every client must read a well-formed end: the text in front, no error, and its annotation where
    it sees one.
    """
    behind = REFUSAL if proxied["route"] == "replaced" else ""
    expected = {
        choice: text.partition(BLOCKED)[0] + behind if BLOCKED in text else text
        for choice, text in direct["text"].items()
    }
    faults = []
    if proxied["text"] != expected:
        faults.append(f"text is {_short(proxied['text'])}, meant {_short(expected)}")
    if error := proxied["error"]:
        if not _meant(proxied["route"], proxied["protocol"], error):
            faults.append(f"the client fails: {_short(error)}")
        return faults
    if bool(proxied["annotation"]) != sees(proxied):
        faults.append(f"annotation {'not seen' if sees(proxied) else 'seen, against the table'}")
    return faults


# What clients say of an answer that a filter stopped, whoever stopped it.
_OF_FILTERS = ("ContentFilterFinishReasonError", "`response.completed`", "content_filter")


def _meant(route, protocol, error):
    """Say whether a client rightly says that the answer was stopped.

    The helpers of some SDKs raise where a filter ended it; an `EventSource` calls the end of a
    body without the application's own end sign, which nobody knows, an error.
    """
    by_filter = route == "stopped" and any(words in error for words in _OF_FILTERS)
    return by_filter or (protocol == "events" and "closed" in error)


def broken(direct, proxied):
    """Return what a proxied answer breaks against the direct one, as sentences."""
    if proxied["route"] in ("stopped", "replaced"):
        return cut(direct, proxied)
    faults = [
        f"{name} is {_short(proxied[name])}, without the proxy {_short(direct[name])}"
        for name in SAME
        if direct[name] != proxied[name]
    ]
    meant = direct["model"].startswith("error") or direct["model"] in proxied["fails"]
    if direct["error"] and not meant:
        faults.append(f"the client fails without the proxy too: {_short(direct['error'])}")
    if direct["finish_reason"] != proxied["finish_reason"] and not excused(direct, proxied):
        faults.append(f"finish_reason is {proxied['finish_reason']}, not {direct['finish_reason']}")
    if proxied["header"] and not proxied["id"] and not proxied["error"]:
        faults.append("no id in the headers")
    expected = sees(proxied)
    if proxied["error"]:
        return faults
    if bool(proxied["annotation"]) != expected:
        faults.append(f"annotation {'not seen' if expected else 'seen, which the table denies'}")
    elif expected and proxied["header"] and proxied["annotation"] != proxied["id"]:
        faults.append(f"annotation {proxied['annotation']}, header {proxied['id']}")
    long = proxied["model"] == "long" and proxied["protocol"] in WITH_PASSAGES
    if expected and long and proxied["annotation_chars"] < LONG_CHARS:
        faults.append(f"annotation of {proxied['annotation_chars']} characters, {LONG_CHARS} meant")
    return faults


def excused(direct, proxied):
    """Say whether the changed finish reason is the known one of a loop over the last chunk."""
    own = form_of(proxied) == "own" and proxied["model"] != "usage"
    return proxied["last_finish"] and own


def form_of(answer):
    """Return how the annotation rides on an answer's route: `own`, `attach`, `event`, or None."""
    if answer["route"] == "header":
        return None
    if answer["route"] == "event":
        return "event"
    if answer["route"] == "attach" or answer["protocol"] in (
        "responses",
        "anthropic",
        "gemini",
        "cohere",
    ):
        return "attach"
    return "own"


def sees(answer):
    """Say whether the client must see the annotation."""
    return form_of(answer) in answer["sees"] and answer["model"] not in answer["blind"]


def _short(value):
    text = repr(value)
    return text if len(text) <= 160 else f"{text[:80]} … {text[-80:]}"
