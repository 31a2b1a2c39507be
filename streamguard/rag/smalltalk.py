"""Questions that need no retrieval: greetings, thanks, and the list of documents."""

from __future__ import annotations

from collections.abc import Sequence

from streamguard.text.normalise import fold
from streamguard.text.patterns import lazy_re

_MAX_CHARS = 120  # longer is a question of its own; guess
_MAX_LISTED = 50  # sources named in an answer, the rest is counted; guess

_HELLO = (
    r"(?:hello|hi|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day)"
    r"|hallo|guten (?:morgen|tag|abend)|bonjour|bonsoir|salut|hola|buenos dias|ciao|buongiorno|ola"
    r"|hej)"
)
_ADDRESSED = r"(?: (?:there|again|all|everyone|assistant|bot|team|zusammen))?"
_HOW = r"(?: (?:how are you(?: doing)?(?: today)?|nice to meet you|how is it going))?"
_GREETING = lazy_re(rf"{_HELLO}(?: {_HELLO})?{_ADDRESSED}{_HOW}")

_THANKS = lazy_re(
    r"(?:(?:ok|okay|great|perfect|good|super) )?(?:many thanks|thanks|thank you|thx|danke|merci"
    r"|gracias|grazie)(?: (?:so|very) much| a lot| again| you| schön| sehr| beaucoup)?"
    r"(?: (?:that|this) (?:helps|helped|is helpful|was helpful|is all|was all))?"
)

_KINDS = r"(?:documents?|docs|documentation|files?|sources?|materials?)"
_HAVE = (
    r"(?:(?:do|can) you (?:have|know|use|see|access|search|read|hold|work with)"
    r"(?: access to| about| from)?"
    r"|have you (?:got|read|indexed)|are you (?:based on|using|trained on)"
    r"|are (?:available|there|indexed|loaded|uploaded|in (?:here|the collection|the index)))"
)
_THE = r"(?:(?:a list of )?(?:all )?(?:of )?(?:the|your|available|all|indexed|uploaded) )"
_WHAT = rf"(?:what|which)(?: kinds? of| types? of|(?: are)? the)? {_KINDS} {_HAVE}"
_LIST = (
    rf"(?:can you |could you )?(?:list|show(?: me)?|name|give me|tell me) {_THE}{{1,3}}{_KINDS}"
    rf"(?: you have| available| names)?"
)
_ABILITY = (
    rf"what are your {_KINDS}|do you have any {_KINDS}|what do you know(?: about)?"
    r"|what can i ask(?: you)?|what can you (?:answer|help(?: me)? with)"
)
_GERMAN = r"welche (?:dokumente|dateien|quellen|unterlagen) (?:hast du|haben sie|gibt es|kennst du)"
_TAIL = r"(?: available| here| access to| indexed| right now| please| there| about)?"
_ASKS = lazy_re(rf"(?:please )?(?:{_WHAT}|{_LIST}|{_ABILITY}|{_GERMAN}){_TAIL}")
_SIGNS = lazy_re(r"[^\w\s']+|_")


def is_greeting(text: str) -> bool:
    """Return whether `text` greets and asks nothing: "Hello", "Good morning, how are you?"."""
    plain = _plain(text)
    return plain is not None and _GREETING.fullmatch(plain) is not None


def is_thanks(text: str) -> bool:
    """Return whether `text` thanks and asks nothing: "Thanks", "Thank you, that helps"."""
    plain = _plain(text)
    return plain is not None and _THANKS.fullmatch(plain) is not None


def asks_for_documents(text: str) -> bool:
    """Return whether `text` asks for the list of documents, alone or after a greeting.

    "What documents do you have?" does; "What documents do I need for a passport?" does not.
    """
    plain = _plain(text)
    if plain is None:
        return False
    greeting = _GREETING.match(plain)
    asked = plain[greeting.end() :].strip() if greeting else plain
    return _ASKS.fullmatch(asked) is not None


def is_small_talk(text: str) -> bool:
    """Return whether `text` needs no retrieval."""
    return is_greeting(text) or is_thanks(text) or asks_for_documents(text)


def greeting_answer(sources: Sequence[str]) -> str:
    """Return the answer to a greeting, with possible subjects to ask about."""
    if not sources:
        return "Hello! There are no documents here yet, so there is nothing I could answer from."
    count = len(set(sources))
    noun = "document" if count == 1 else "documents"
    return f"Hello! Ask me anything about the {count} {noun} I have. I answer from them alone."


def thanks_answer(_sources: Sequence[str]) -> str:
    """Return the answer to thanks."""
    return "You are welcome."


def documents_answer(sources: Sequence[str]) -> str:
    """Return the sorted list of the collection's sources; a long one is cut, with the total."""
    names = sorted(set(sources))
    if not names:
        return "I have no documents yet."
    lines = [f"I have {len(names)} {'document' if len(names) == 1 else 'documents'}:"]
    lines += [f"- {name}" for name in names[:_MAX_LISTED]]
    if len(names) > _MAX_LISTED:
        lines.append(f"- and {len(names) - _MAX_LISTED} more")
    return "\n".join(lines)


def _plain(text: str) -> str | None:
    """Return the folded words of a short text without punctuation; None for a long one."""
    if len(text) > _MAX_CHARS:
        return None
    return " ".join(_SIGNS.sub(" ", fold(text).text.casefold()).split())
