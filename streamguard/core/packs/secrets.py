"""Keys, tokens and passwords of well-known services, by their own forms.

The forms are those that the services document and that detect-secrets and gitleaks list. A kind
is looked for only where its fixed letters stand, so that a sentence without any costs one search
of each. Where a form has a check sum, a match must pass it; where it has none, a placeholder
("ghp_xxxx…") is told from a key by its entropy.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

from streamguard.core.packs.found import Found, entropy
from streamguard.text.patterns import lazy_re

_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
# Bits per character. Random text of 20 characters has 3.7 and more, "xxxx-your-key" below 3.0.
_RANDOM = 3.0
_HEX_RANDOM = 2.6  # of 16 letters; 32 random ones have 3.2 and more
_WORDS = lazy_re(
    r"(?i)example|sample|placeholder|dummy|redacted|your[-_]|xxxx|\.\.\.|0000000|1234567"
)

Test = Callable[[str], bool]


def _is_random(match: str) -> bool:
    return entropy(match) >= _RANDOM and _WORDS.search(match) is None


def _is_random_hex(match: str) -> bool:
    return entropy(match) >= _HEX_RANDOM and _WORDS.search(match) is None


def _is_aws(match: str) -> bool:
    return entropy(match[4:]) >= _RANDOM - 0.2 and "EXAMPLE" not in match


def has_base62_sum(match: str) -> bool:
    """Check a token of GitHub's or npm's form: its last six letters are the CRC-32 of its body.

    Source: GitHub, "Behind GitHub's new authentication token formats", 2021.
    """
    body, total = match.partition("_")[2][:-6], 0
    for letter in match[-6:]:
        total = total * 62 + _BASE62.index(letter)
    return zlib.crc32(body.encode()) == total


def has_hex_sum(match: str) -> bool:
    """Check a token of Grafana's form: its last eight letters are the CRC-32 of what precedes."""
    body, _, total = match.rpartition("_")
    return f"{zlib.crc32(body.encode()):08x}" == total.lower()


def is_signed_token(match: str) -> bool:
    """Say whether a JSON Web Token's head names its algorithm (RFC 7519, section 5)."""
    head = match.partition(".")[0]
    try:
        named = json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (ValueError, binascii.Error):
        return False
    return isinstance(named, dict) and "alg" in named


def _is_password(match: str) -> bool:
    """Say whether it looks chosen: letters and digits, or letters of both cases and a sign."""
    if _WORDS.search(match) is not None or len(set(match)) < 5:
        return False
    inner = match[1:]
    lower, upper = any(map(str.islower, match)), any(map(str.isupper, inner))
    digit, sign = any(map(str.isdigit, match)), any(not each.isalnum() for each in inner[:-1])
    return (digit and (lower or upper)) or (lower and upper and sign)


def _is_assigned(match: str) -> bool:
    return len(match) >= 16 and entropy(match) >= _RANDOM + 0.2 and _is_password(match)


class Kind(NamedTuple):
    """One kind of secret: the letters that must stand in a text, its form, and a test of a match.

    Group 1 of the form is the secret where there is one, else all of the match is. `public` is as
    much of its beginning as tells the service and nothing else.
    """

    name: str
    letters: tuple[str, ...]
    form: re.Pattern[str]
    test: Test = _is_random
    public: int = 0
    any_case: bool = False  # whether `letters` are looked for in the text in lower case


def _kind(
    name: str, letters: str, form: str, test: Test = _is_random, *, public: int | None = None
) -> Kind:
    """Return a kind whose match begins and ends where its letters do."""
    first = letters.split()
    shown = len(first[0]) if public is None else public
    whole = lazy_re(rf"(?<![A-Za-z0-9_\-])(?:{form})(?![A-Za-z0-9_\-])")
    return Kind(name, tuple(first), whole, test, shown)


_W = r"[A-Za-z0-9_\-]"
# What stands between a name and its value, in prose and in settings: "is", ":", "=", quotes.
_SET = r"[\"'`*]{0,3}\s{0,3}(?:is|:=|:|=)\s{0,3}[\"'`*]{0,3}"
_PEM = lazy_re(
    r"-----BEGIN (?:[A-Z0-9]{2,10} ){0,2}PRIVATE KEY(?: BLOCK)?-----(?:\s{1,4}[A-Za-z0-9+/=]{16,})*"
)
_KEY_LINES = lazy_re(
    r"(?:[A-Za-z0-9+/=]{8,}|[A-Z][A-Za-z\-]{3,20}: \S+)(?:\s{1,4}[A-Za-z0-9+/=,\-]{4,})*"
)
_AZURE_SECRET = lazy_re(rf"(?<!{_W})({_W}{{3}}[0-9]Q~[A-Za-z0-9_~.\-]{{31,34}})(?!{_W})")
_IN_URL = lazy_re(r"[a-z][a-z0-9+.\-]{1,15}://[^\s/:@]{1,64}:([^\s/@:]{3,128})@[A-Za-z0-9\[]")
_PASSWORD = lazy_re(
    r"(?i)\b(?:password|passwd|pwd|passphrase|passcode)\b" + _SET + r"([^\s\"'`,;()<>{}$]{6,64}?)"
    r"(?=[\"'`*,;()]|[.!?]?(?:\s|$))"
)
_ASSIGNED = lazy_re(
    r"(?i)(?<![a-z0-9])(?:[a-z0-9]{1,20}[_\-]){0,3}"
    r"(?:api[_ \-]?key|secret(?:[_ \-]key)?|(?:access|auth|bearer)[_ \-]?(?:token|key)|token)\b"
    + _SET
    + r"([A-Za-z0-9_\-+/.=]{16,200})(?![A-Za-z0-9_\-+/=])"
)
_BEARER = lazy_re(
    r"(?i)authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:bearer|basic)\s{1,3}([A-Za-z0-9_\-+/.=]{16,400})"
)
_AWS_SECRET = lazy_re(
    r"(?i)aws.{0,20}?(?:secret|key)[^A-Za-z0-9/+]{1,12}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
)


def _is_written_out(match: str) -> bool:
    """Say whether a password in an address stands there itself, not a variable or a mask."""
    return match[0] not in "${<*%["


KINDS: tuple[Kind, ...] = (
    _kind("aws_access_key", "AKIA ASIA ABIA ACCA", r"A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}", _is_aws),
    _kind("github_token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{36}", has_base62_sum),
    _kind("github_token", "github_pat_", r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
    _kind(
        "gitlab_token", "glpat- gldt- glrt- glptt- glft-", rf"gl(?:pat|dt|rt|ptt|ft)-{_W}{{20,60}}"
    ),
    _kind("npm_token", "npm_", r"npm_[A-Za-z0-9]{36}", has_base62_sum),
    _kind("pypi_token", "pypi-AgEI", rf"pypi-AgEI{_W}{{50,400}}", public=5),
    _kind("openai_key", "T3BlbkFJ", rf"sk-{_W}{{16,90}}T3BlbkFJ{_W}{{16,90}}", public=3),
    _kind(
        "openai_key", "sk-proj- sk-svcacct- sk-admin-", rf"sk-(?:proj|svcacct|admin)-{_W}{{40,200}}"
    ),
    _kind("anthropic_key", "sk-ant-", rf"sk-ant-[a-z]{{2,8}}[0-9]{{2}}-{_W}{{80,120}}"),
    _kind("google_api_key", "AIza", rf"AIza{_W}{{35}}"),
    _kind("google_oauth_secret", "GOCSPX-", rf"GOCSPX-{_W}{{28}}"),
    _kind("google_oauth_token", "ya29.", rf"ya29\.{_W}{{30,400}}"),
    _kind("slack_token", "xox xapp-", r"(?:xox[bpares]|xapp)-[A-Za-z0-9\-]{20,250}", public=5),
    _kind(
        "slack_webhook",
        "hooks.slack.com",
        r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_]{30,90}",
    ),
    _kind(
        "discord_webhook",
        "discord",
        rf"https://discord(?:app)?\.com/api/webhooks/[0-9]{{17,20}}/{_W}{{60,80}}",
        public=8,
    ),
    _kind("stripe_key", "k_live_ k_test_", r"[sr]k_(?:live|test)_[A-Za-z0-9]{24,250}", public=8),
    _kind("stripe_webhook_secret", "whsec_", r"whsec_[A-Za-z0-9+/]{32,64}"),
    _kind("sendgrid_key", "SG.", rf"SG\.{_W}{{22}}\.{_W}{{43}}"),
    _kind("mailgun_key", "key-", r"key-[0-9a-f]{32}", _is_random_hex),
    _kind("mailchimp_key", "-us", r"[0-9a-f]{32}-us[0-9]{1,2}", _is_random_hex, public=0),
    _kind("twilio_key", "SK", r"SK[0-9a-f]{32}", _is_random_hex),
    _kind("telegram_token", ":AA", rf"[0-9]{{8,10}}:AA{_W}{{33}}", public=0),
    _kind("discord_token", ".", rf"[MNO]{_W}{{23,25}}\.{_W}{{6}}\.{_W}{{27,38}}", public=0),
    _kind("huggingface_token", "hf_", r"hf_[A-Za-z0-9]{34}"),
    _kind("databricks_token", "dapi", r"dapi[0-9a-f]{32}(?:-[0-9])?", _is_random_hex),
    _kind(
        "digitalocean_token", "dop_v1_ doo_v1_ dor_v1_", r"do[por]_v1_[0-9a-f]{64}", _is_random_hex
    ),
    _kind(
        "shopify_token",
        "shpat_ shpca_ shppa_ shpss_",
        r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
        _is_random_hex,
    ),
    _kind("square_token", "sq0atp- sq0csp-", rf"sq0(?:atp|csp)-{_W}{{22,43}}"),
    _kind("grafana_token", "glsa_", r"glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}", has_hex_sum),
    _kind("vault_token", "hvs. hvb.", rf"hv[sb]\.{_W}{{24,300}}"),
    _kind("linear_key", "lin_api_", r"lin_api_[A-Za-z0-9]{40}"),
    _kind("notion_token", "ntn_", r"ntn_[A-Za-z0-9]{40,60}"),
    _kind("newrelic_key", "NRAK-", r"NRAK-[A-Z0-9]{27}"),
    _kind("postman_key", "PMAK-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}", _is_random_hex),
    _kind("atlassian_token", "ATATT3 ATCTT3", rf"AT[AC]TT3{_W}{{60,250}}=?[A-Za-z0-9]{{0,8}}"),
    _kind("groq_key", "gsk_", r"gsk_[A-Za-z0-9]{52}"),
    _kind("replicate_token", "r8_", r"r8_[A-Za-z0-9]{37}"),
    _kind("langsmith_key", "lsv2_", r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}", _is_random_hex),
    _kind(
        "langfuse_key",
        "sk-lf-",
        r"sk-lf-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        _is_random_hex,
    ),
    _kind("pinecone_key", "pcsk_", r"pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{50,70}"),
    _kind("xai_key", "xai-", r"xai-[A-Za-z0-9]{70,90}"),
    _kind("tailscale_key", "tskey-", rf"tskey-[a-z]{{3,9}}-{_W}{{20,60}}"),
    _kind("planetscale_token", "pscale_", rf"pscale_(?:tkn|pw|oauth)_{_W}{{32,64}}"),
    _kind(
        "doppler_token",
        "dp.pt. dp.st. dp.ct.",
        r"dp\.[psc]t\.(?:[a-z0-9_\-]{2,35}\.)?[A-Za-z0-9]{40,44}",
    ),
    _kind("supabase_token", "sbp_", r"sbp_[0-9a-f]{40}", _is_random_hex),
    _kind("age_key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
    _kind(
        "json_web_token",
        "eyJ",
        rf"eyJ{_W}{{10,2000}}\.eyJ{_W}{{4,4000}}\.{_W}{{10,2000}}",
        is_signed_token,
    ),
    Kind("azure_storage_key", ("AccountKey",), lazy_re(r"AccountKey=([A-Za-z0-9+/]{86}==)")),
    Kind("azure_client_secret", ("Q~",), _AZURE_SECRET),
    Kind("aws_secret_key", ("aws",), _AWS_SECRET, any_case=True),
    Kind("private_key", ("PRIVATE KEY",), _PEM, bool),
    Kind("password_in_url", ("://",), _IN_URL, _is_written_out),
    Kind(
        "password",
        ("passw", "pwd", "passphrase", "passcode"),
        _PASSWORD,
        _is_password,
        any_case=True,
    ),
    Kind("assigned_secret", ("secret", "token", "key"), _ASSIGNED, _is_assigned, any_case=True),
    Kind("bearer_token", ("bearer ", "basic "), _BEARER, any_case=True),
)
NAMES = tuple(dict.fromkeys(kind.name for kind in KINDS))


def search(text: str) -> Iterator[Found]:
    """Yield the secrets of `text`; of two in one place the first of the table alone."""
    lowered = text.lower()
    taken: list[tuple[int, int]] = []
    for kind in KINDS:
        searched = lowered if kind.any_case else text
        if not any(letters in searched for letters in kind.letters):
            continue
        for match in kind.form.finditer(text):
            group = 1 if kind.form.groups else 0
            start, end = match.span(group)
            secret = match[group]
            if any(start < other and at < end for at, other in taken) or not kind.test(secret):
                continue
            taken.append((start, end))
            yield Found(
                start, end, kind.name, f"{secret[: kind.public]}… ({end - start} characters)"
            )


class KeyBody:
    """A search for the lines of a private key whose first line stands in an earlier sentence.

    It is given the sentences of one answer in their order.
    """

    def __init__(self) -> None:
        self._is_open = False

    def __call__(self, text: str) -> Iterator[Found]:
        """Yield all of a sentence that is such lines."""
        if self._is_open and _KEY_LINES.fullmatch(text.strip()):
            yield Found(0, len(text), "private_key", f"… ({len(text)} characters)")
        elif text.strip():
            began, ended = text.rfind("-----BEGIN "), text.rfind("-----END ")
            self._is_open = began > ended and "PRIVATE KEY" in text[began:]
