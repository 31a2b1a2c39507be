"""Keys, tokens and passwords: by the forms of services, and by the name that stands beside them.

A kind is looked for only where its fixed letters stand, so that a sentence without any costs one
search of each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from streamguard.core.packs.found import FoundSpans, PackMatch, entropy
from streamguard.core.packs.services import PLACEHOLDERS, RANDOM, SERVICES, Kind
from streamguard.text.patterns import lazy_re

# The value of a password in an example: no secret, whoever wrote it.
_STAND_IN = lazy_re(
    r"(?i)(?:my|the|some|db|user|root|admin|new|old|test)?[-_]?"
    r"(?:user(?:name)?|pass(?:word|wd|phrase)?|pwd|pw|secret|token|(?:api[-_]?)?key|guest"
    r"|postgres|changeme|change[-_]me|test|example|credentials?)[-_]?(?:here|123)?"
)
# What a sentence says of passwords in general: "the password is SHA-256 hashed".
_TERM = lazy_re(
    r"(?i)(?:sha|aes|base|bcrypt|argon|md|rsa|utf|rfc|pbkdf|oauth)[-_ ]?[0-9]|[0-9]fa\b"
    r"|[0-9]{1,4}[- ]?(?:char|digit|letter|sign|word|second|minute|hour|day|month|year|bit|byte)"
)
_NAMES_ONLY = lazy_re(
    r"[A-Za-z_]{1,64}(?:\.[A-Za-z_][A-Za-z0-9_]{0,64}){1,16}"
)  # settings.API_KEY_2


def is_password(match: str) -> bool:
    """Return whether it looks chosen: letters and digits, or letters of both cases and a sign."""
    if PLACEHOLDERS.search(match) or _STAND_IN.fullmatch(match) or _TERM.match(match):
        return False
    inner = match[1:]
    lower, upper = any(map(str.islower, match)), any(map(str.isupper, inner))
    digit, sign = any(map(str.isdigit, match)), any(not each.isalnum() for each in inner[:-1])
    is_mixed = (digit and (lower or upper)) or (lower and upper and sign)
    return is_mixed and len(set(match)) >= 5 and not _NAMES_ONLY.fullmatch(match)


def _is_assigned(match: str) -> bool:
    return len(match) >= 16 and entropy(match) >= RANDOM + 0.2 and is_password(match)


def _is_written_out(match: str) -> bool:
    """Return whether a password in an address stands there itself, not a variable or a mask."""
    return match[0] not in "${<*%[" and len(set(match)) > 2 and not _STAND_IN.fullmatch(match)


# What stands between a name and its value, in prose and in settings: "is", ":", "=", quotes.
_SET = (
    r"[\"'`*\])]{0,3}\s{0,3}(?:is|was|ist|lautet|est|es|è|é|to|:=|=>|:|=|：|は|是)"
    r"\s{0,3}[\"'`*]{0,3}"
)
_LINE = r"(?:\s{1,4}|\\r?\\n)"  # in JSON the break of a line is written out
_END = rf"(?:{_LINE}?-----END [A-Z0-9 ]{{5,40}}-----)"
_HEAD = r"(?:Proc-Type|DEK-Info|Version|Comment): ?[^\n]{1,80}"
_BODY = rf"(?:{_LINE}(?:[A-Za-z0-9+/=]{{16,2000}}|{_HEAD}))"
_TAIL = rf"(?:{_LINE}[A-Za-z0-9+/=]{{1,80}}(?={_END}))?{_END}?"
# Its first line alone is one where nothing follows yet: the next sentence may hold the rest.
_PEM = lazy_re(
    r"-----BEGIN (?:[A-Z0-9]{2,10} ){0,2}PRIVATE KEY(?: BLOCK)?-----"
    rf"(?:{_BODY}{{1,400}}{_TAIL}|\s{{0,9}}\Z)"
)
_KEY_LINES = lazy_re(rf"[A-Za-z0-9+/=]{{32,2000}}{_BODY}{{0,400}}{_TAIL}")
_LAST_LINES = lazy_re(rf"(?:[A-Za-z0-9+/=]{{4,80}}{_BODY}{{0,400}})?{_TAIL}[\s`]{{0,9}}")
_IN_URL = lazy_re(r"[a-z][a-z0-9+.\-]{1,15}://[^\s/:@]{0,64}:([^\s/@:]{3,128})@[A-Za-z0-9\[]")
_IN_COMMAND = lazy_re(
    r"(?<![^\s`])(?:(?:-u|--user)[ =]{1,2}[\"']?[^\s:\"']{1,64}:|sshpass\s{1,2}-p\s{0,2}[\"']?)"
    r"([^\s\"'$<{][^\s\"'`]{5,127})"
)
_PASSWORD = lazy_re(
    r"(?i)(?:password|passwd|pwd|passphrase|passcode|passwort|kennwort|mot de passe|contraseña"
    r"|senha|wachtwoord|hasło|пароль|パスワード|密码|\bparola|(?<![a-z])pass)(?![a-z0-9])"
    + _SET
    + r"([^\s\"'`,;()<>{}$][^\s\"'`,;()<>{}]{5,63}?)(?=[\"'`*,;()<}]|[.!?。]?(?:\s|\Z))"
)
_IN_XML = lazy_re(r"(?i)<(?:password|passwd|pwd|secret|token|api-?key)>([^\s<>]{6,200})</")
_ASSIGNED = lazy_re(
    r"(?i)(?:api[_ \-]?key|secret[_ \-]?(?:access[_ \-]?)?(?:key(?:[_ \-]?base)?)?"
    r"|(?:access|auth|bearer|encryption|encrypt|signing|private|master|licen[cs]e|account|shared"
    r"|session|service|app|subscription|deploy|admin|write|read|server)[_ \-]?key"
    r"|token|credentials?|schlüssel)\b"
    + _SET
    + r"([A-Za-z0-9_\-+/.=]{16,200})(?![A-Za-z0-9_\-+/=])"
)
_FLAG = lazy_re(
    r"(?i)(?<![^\s`])--?(?:[a-z0-9]{1,20}-){0,2}(?:token|key|secret)[ ]{1,2}[\"']?"
    r"([A-Za-z0-9_\-+/.=]{16,200})(?![A-Za-z0-9_\-+/=])"
)
_BEARER = lazy_re(
    r"(?i)authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:bearer|basic|token|apikey)\s{1,3}"
    r"([A-Za-z0-9_\-+/.=]{16,400})"
)
_AWS_SECRET = lazy_re(
    r"(?i)(?:aws.{0,20}?(?:secret|key)|secret_?access_?key)[^A-Za-z0-9/+]{1,12}"
    r"([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
)

KINDS: tuple[Kind, ...] = (
    *SERVICES,
    Kind("aws_secret_key", ("aws", "secret"), _AWS_SECRET, any_case=True),
    Kind("private_key", ("PRIVATE KEY",), _PEM, bool),
    Kind("password_in_url", ("://",), _IN_URL, _is_written_out),
    Kind("password_in_command", ("-u", "sshpass"), _IN_COMMAND, is_password),
    Kind(
        "password",
        (
            "pass",
            "pwd",
            "passwort",
            "kennwort",
            "contraseña",
            "senha",
            "wachtwoord",
            "hasło",
            "parola",
            "пароль",
            "パスワード",
            "密码",
        ),
        _PASSWORD,
        is_password,
        any_case=True,
    ),
    Kind("password", ("</",), _IN_XML, is_password),
    Kind(
        "assigned_secret",
        ("secret", "token", "key", "credential", "schlüssel"),
        _ASSIGNED,
        _is_assigned,
        any_case=True,
    ),
    Kind("assigned_secret", ("token ", "key ", "secret "), _FLAG, _is_assigned),
    Kind("bearer_token", ("authorization",), _BEARER, any_case=True),
)
NAMES = tuple(dict.fromkeys(kind.name for kind in KINDS))


def search(text: str) -> Iterator[PackMatch]:
    """Yield the secrets of `text`; of two in one place the first of the table alone."""
    lowered = text.lower()
    places = FoundSpans()
    for kind in KINDS:
        searched = lowered if kind.any_case else text
        if not any(letters in searched for letters in kind.letters):
            continue
        for match in kind.form.finditer(text):
            start, end = match.span(min(1, kind.form.groups))
            secret = text[start:end]
            if kind.test(secret) and places.take(start, end):
                shown = f"{secret[: kind.public]}… ({end - start} characters)"
                yield PackMatch(start, end, kind.name, shown)


class KeyBody:
    """A search for the lines of a private key whose first line stands in an earlier sentence.

    It is given the sentences of one answer in their order.
    """

    def __init__(self) -> None:
        self._is_open = False

    def __call__(self, text: str) -> Iterator[PackMatch]:
        """Yield the part of a sentence that is such lines: all of it, or its beginning."""
        if not text.strip():
            return
        lines = self._lines_of(text) if self._is_open else None
        end = 0 if lines is None else lines.end()
        if end:
            yield PackMatch(0, end, "private_key", f"… ({end} characters)")
        began, ended = text.rfind("-----BEGIN "), text.rfind("-----END ")
        is_whole = end > 0 and not text[end:].strip()
        self._is_open = (is_whole and ended < 0) or (
            began > ended and "PRIVATE KEY" in text[began:]
        )

    def _lines_of(self, text: str) -> re.Match[str] | None:
        at = len(text) - len(text.lstrip())
        return _LAST_LINES.fullmatch(text, at) or _KEY_LINES.match(text, at)
