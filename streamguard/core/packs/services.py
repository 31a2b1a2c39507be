"""Keys and tokens of well-known services, by the forms that their issuers give them.

The forms are those that the services document and that detect-secrets and gitleaks list. Where a
form has a check sum, a match must pass it; where it has none, a placeholder ("ghp_xxxx…") is told
from a key by its entropy.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections.abc import Callable
from typing import NamedTuple

from streamguard.core.packs.found import entropy
from streamguard.text.patterns import lazy_re

_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
# Bits per character. Random text of 20 characters has 3.7 and more, "xxxx-your-key" below 3.0.
RANDOM = 3.0
_HEX_RANDOM = 2.6  # of 16 letters; 32 random ones have 3.2 and more
PLACEHOLDERS = lazy_re(
    r"(?i)example|sample|placeholder|dummy|redacted|your[-_]|xxxx|\.\.\.|0000000|1234567"
)

Test = Callable[[str], bool]


def _is_random(match: str) -> bool:
    return entropy(match) >= RANDOM and PLACEHOLDERS.search(match) is None


def _is_random_hex(match: str) -> bool:
    return entropy(match) >= _HEX_RANDOM and PLACEHOLDERS.search(match) is None


def _is_aws(match: str) -> bool:
    return entropy(match[4:]) >= RANDOM - 0.2 and "EXAMPLE" not in match


def _is_random_with_digit(match: str) -> bool:
    return any(map(str.isdigit, match)) and _is_random(match)


def has_base62_sum(match: str) -> bool:
    """Check a token of GitHub's or npm's form: its last six letters are the CRC-32 of its body.

    Source: GitHub, "Behind GitHub's new authentication token formats", 2021.
    """
    body, total = match.partition("_")[2][:-6], 0
    for letter in match[-6:]:
        total = total * 62 + _BASE62.index(letter)
    return zlib.crc32(body.encode()) == total


def has_hex_sum(match: str) -> bool:
    """Check a token of Grafana's form: it ends with the CRC-32 of the rest, lowest byte first.

    Source: Grafana, pkg/components/satokengen, whose example a test holds.
    """
    body, _, total = match.rpartition("_")
    return zlib.crc32(body.encode()).to_bytes(4, "little").hex() == total.lower()


def is_signed_token(match: str) -> bool:
    """Return whether a JSON Web Token's head names its algorithm (RFC 7519, section 5)."""
    head = match.partition(".")[0]
    try:
        named = json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (ValueError, binascii.Error):
        return False
    return isinstance(named, dict) and "alg" in named


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


def _hex(name: str, letters: str, form: str, *, public: int | None = None) -> Kind:
    return _kind(name, letters, form, _is_random_hex, public=public)


_W = r"[A-Za-z0-9_\-]"
_A = r"[A-Za-z0-9]"
_X = r"[0-9a-f]"
_UUID = rf"{_X}{{8}}(?:-{_X}{{4}}){{3}}-{_X}{{12}}"

SERVICES: tuple[Kind, ...] = (
    _kind("aws_access_key", "AKIA ASIA ABIA ACCA", r"A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}", _is_aws),
    _kind("github_token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"gh[pousr]_{_A}{{36}}", has_base62_sum),
    _kind("github_token", "github_pat_", rf"github_pat_{_A}{{22}}_{_A}{{59}}"),
    _kind(
        "gitlab_token",
        "glpat- gldt- glrt- glptt- glft- glcbt- gloas- glagent- glsoat- GR1348941",
        r"(?:gl(?:pat|dt|rt|ptt|ft|cbt|oas|agent|soat)-|GR1348941)[A-Za-z0-9_.\-]{20,80}",
        public=2,
    ),
    _kind("npm_token", "npm_", rf"npm_{_A}{{36}}", has_base62_sum),
    _kind("pypi_token", "pypi-AgEI", rf"pypi-AgEI{_W}{{50,400}}", public=5),
    _kind("rubygems_key", "rubygems_", rf"rubygems_{_X}{{48}}", _is_random_hex),
    _kind("nuget_key", "oy2", r"oy2[a-z0-9]{43}", _is_random_with_digit),
    _hex("clojars_token", "CLOJARS_", r"(?i:CLOJARS_[a-z0-9]{60})"),
    _kind("docker_token", "dckr_", rf"dckr_(?:pat|oat)_{_W}{{27,40}}"),
    _kind("openai_key", "T3BlbkFJ", rf"sk-{_W}{{16,90}}T3BlbkFJ{_W}{{16,90}}", public=3),
    _kind(
        "openai_key", "sk-proj- sk-svcacct- sk-admin-", rf"sk-(?:proj|svcacct|admin)-{_W}{{40,200}}"
    ),
    _kind("anthropic_key", "sk-ant-", rf"sk-ant-[a-z]{{2,8}}[0-9]{{2}}-{_W}{{80,120}}"),
    _hex("openrouter_key", "sk-or-v1-", rf"sk-or-v1-{_X}{{64}}"),
    _kind("perplexity_key", "pplx-", rf"pplx-{_A}{{40,64}}"),
    _kind("groq_key", "gsk_", rf"gsk_{_A}{{52}}"),
    _kind("xai_key", "xai-", rf"xai-{_A}{{70,90}}"),
    _kind("nvidia_key", "nvapi-", rf"nvapi-{_W}{{60,70}}"),
    _kind("huggingface_token", "hf_ api_org_", rf"(?:hf|api_org)_{_A}{{34}}"),
    _kind("replicate_token", "r8_", rf"r8_{_A}{{37}}"),
    _kind("tavily_key", "tvly-", rf"tvly-(?:dev-|prod-)?{_A}{{32,40}}"),
    _hex("firecrawl_key", "fc-", rf"fc-{_X}{{32}}"),
    _hex("langsmith_key", "lsv2_", rf"lsv2_(?:pt|sk)_{_X}{{32}}_{_X}{{10}}"),
    _hex("langfuse_key", "sk-lf-", rf"sk-lf-{_UUID}"),
    _kind("pinecone_key", "pcsk_", rf"pcsk_{_A}{{4,8}}_{_A}{{50,70}}"),
    # DeepSeek, ElevenLabs and others: no more than "sk" and random letters.
    _kind("sk_key", "sk- sk_", rf"sk[_\-]{_A}{{32,64}}", _is_random_with_digit),
    _kind("google_api_key", "AIza", rf"AIza{_W}{{35}}"),
    _kind("google_oauth_secret", "GOCSPX-", rf"GOCSPX-{_W}{{28}}"),
    _kind("google_oauth_token", "ya29.", rf"ya29\.{_W}{{30,400}}"),
    _kind(
        "slack_token", "xox xapp-", r"(?:xox[bparesod]|xapp)[\-.][A-Za-z0-9.\-]{20,250}", public=4
    ),
    _kind(
        "slack_webhook",
        "hooks.slack.com",
        r"https://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_]{30,90}",
    ),
    _kind(
        "discord_webhook",
        "discord",
        rf"https://discord(?:app)?\.com/api/webhooks/[0-9]{{17,20}}/{_W}{{60,80}}",
        public=8,
    ),
    _kind(
        "teams_webhook",
        "webhook.office.com",
        rf"https://[a-z0-9\-]{{1,40}}\.webhook\.office\.com/webhookb2/{_UUID}@{_UUID}"
        rf"/IncomingWebhook/{_X}{{32}}/{_UUID}(?:/{_W}{{10,60}})?",
        public=8,
    ),
    _kind("discord_token", ".", rf"[MNO]{_W}{{23,25}}\.{_W}{{6}}\.{_W}{{27,38}}", public=0),
    _kind("telegram_token", ":AA", rf"[0-9]{{8,10}}:AA{_W}{{33}}", public=0),
    _kind("stripe_key", "k_live_ k_test_", rf"[sr]k_(?:live|test|prod)_{_A}{{10,250}}", public=8),
    _kind("stripe_webhook_secret", "whsec_", r"whsec_[A-Za-z0-9+/]{32,64}"),
    _kind("square_token", "sq0atp- sq0csp-", rf"sq0(?:atp|csp)-{_W}{{22,43}}"),
    _kind("square_token", "EAAA", r"EAAA[a-zA-Z0-9_\-]{60}", public=4),
    _kind("facebook_token", "EAA", rf"EAA[MC]{_A}{{60,250}}"),
    _kind(
        "flutterwave_key", "FLWSECK", r"FLWSECK(?:_TEST)?-(?i:[a-h0-9]{12,40})-X", _is_random_hex
    ),
    _kind("duffel_token", "duffel_", r"duffel_(?:test|live)_[A-Za-z0-9_\-=]{43}"),
    _kind("easypost_key", "EZAK EZTK", rf"EZ[AT]K{_A}{{54}}"),
    _hex("shippo_token", "shippo_", rf"shippo_(?:live|test)_{_X}{{40}}"),
    _hex("shopify_token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _kind("sendgrid_key", "SG.", rf"SG\.{_W}{{22}}\.{_W}{{43}}"),
    _hex("mailgun_key", "key-", rf"key-{_X}{{32}}"),
    _hex("mailchimp_key", "-us", rf"{_X}{{32}}-us[0-9]{{1,2}}", public=0),
    _kind("brevo_key", "xkeysib-", rf"xkeysib-{_X}{{64}}-{_A}{{16}}"),
    _kind("resend_key", "re_", rf"re_{_A}{{8}}_{_A}{{24}}"),
    _hex("twilio_key", "SK", rf"SK{_X}{{32}}"),
    _kind("typeform_token", "tfp_", r"tfp_[A-Za-z0-9_\-.=]{40,70}"),
    _kind("airtable_token", "pat", rf"pat{_A}{{14}}\.{_X}{{64}}"),
    _kind("figma_token", "figd_", rf"figd_{_W}{{36,60}}"),
    _kind("frameio_token", "fio-u-", r"fio-u-[A-Za-z0-9_\-=]{64}"),
    _kind("notion_token", "ntn_", rf"ntn_{_A}{{40,60}}"),
    _kind("notion_token", "secret_", rf"secret_{_A}{{43}}", _is_random_with_digit),
    _kind("linear_key", "lin_api_ lin_oauth_", rf"lin_(?:api|oauth)_{_A}{{40,64}}"),
    _kind("atlassian_token", "ATATT3 ATCTT3", rf"AT[AC]TT3{_W}{{60,250}}=?{_A}{{0,8}}"),
    _kind("contentful_token", "CFPAT-", rf"CFPAT-{_W}{{43}}"),
    _kind("readme_key", "rdme_", r"rdme_[a-z0-9]{70}"),
    _kind("postman_key", "PMAK-", rf"PMAK-{_X}{{24}}-{_X}{{34}}", _is_random_hex),
    _kind("adafruit_key", "aio_", rf"aio_{_A}{{28}}"),
    _kind("intra42_secret", "s-s4t2", rf"s-s4t2(?:ud|af)-{_X}{{64}}"),
    _hex("databricks_token", "dapi", rf"dapi{_X}{{32}}(?:-[0-9])?"),
    _kind("dynatrace_token", "dt0", r"dt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    _kind("grafana_token", "glsa_", rf"glsa_{_A}{{32}}_[0-9a-fA-F]{{8}}", has_hex_sum),
    _kind("grafana_token", "glc_", r"glc_eyJ[A-Za-z0-9+/]{30,400}={0,2}"),
    _kind(
        "newrelic_key", "NRAK- NRII- NRJS-", rf"NR(?:AK-[A-Z0-9]{{27}}|II-{_W}{{32}}|JS-{_X}{{19}})"
    ),
    _hex("sentry_token", "sntryu_", rf"sntryu_{_X}{{64}}"),
    _kind("sentry_token", "sntrys_", r"sntrys_eyJ[A-Za-z0-9+/=]{40,400}_[A-Za-z0-9+/]{43}"),
    _hex("sonar_token", "squ_ sqp_ sqa_", rf"sq[upa]_{_X}{{40}}"),
    _hex("sourcegraph_token", "sgp_", rf"sgp_(?:(?:{_X}{{16}}|local)_)?{_X}{{40}}"),
    _kind("infracost_token", "ico-", rf"ico-{_A}{{32}}", _is_random_with_digit),
    _hex("digitalocean_token", "dop_v1_ doo_v1_ dor_v1_", rf"do[por]_v1_{_X}{{64}}"),
    _kind("heroku_key", "HRKU-", rf"HRKU-AA{_W}{{58}}"),
    _kind("flyio_token", "fo1_ fm1_ fm1r_ fm2_", rf"f(?:o1|m1r?|m2)_{_W}{{43,500}}={{0,2}}"),
    _kind("render_key", "rnd_", rf"rnd_{_A}{{32}}"),
    _kind("scalingo_token", "tk-us-", rf"tk-us-{_W}{{48}}"),
    _kind("alibaba_key", "LTAI", rf"LTAI{_A}{{17,26}}", _is_random_with_digit),
    _kind("yandex_key", "AQVN", rf"AQVN{_W}{{35,38}}"),
    _kind("cloudflare_key", "v1.0-", rf"v1\.0-{_X}{{24}}-{_X}{{146}}"),
    _kind("mapbox_token", "sk.eyJ", rf"sk\.eyJ{_W}{{40,200}}\.{_W}{{20,40}}"),
    _kind("maxmind_key", "_mmk", rf"{_A}{{6}}_{_A}{{29}}_mmk", public=0),
    _kind(
        "terraform_token", ".atlasv1.", rf"{_A}{{14}}\.atlasv1\.[A-Za-z0-9_\-=]{{60,70}}", public=0
    ),
    _kind("pulumi_token", "pul-", rf"pul-{_X}{{40}}", _is_random_hex),
    _kind("prefect_key", "pnu_", r"pnu_[a-z0-9]{36}", _is_random_with_digit),
    _kind("harness_token", "pat. sat.", rf"[ps]at\.{_W}{{22}}\.{_X}{{24}}\.{_A}{{20}}"),
    _kind("octopus_key", "API-", r"API-[A-Z0-9]{26}", _is_random_with_digit),
    _kind("artifactory_key", "AKCp", rf"AKCp{_A}{{69}}"),
    _kind("openshift_token", "sha256~", rf"sha256~{_W}{{43}}"),
    _kind("vault_token", "hvs. hvb.", rf"hv[sb]\.{_W}{{24,300}}"),
    _kind("onepassword_token", "ops_eyJ", r"ops_eyJ[A-Za-z0-9+/]{200,800}={0,3}"),
    _kind("dropbox_token", "sl.", rf"sl\.(?:u\.)?{_W}{{130,1200}}"),
    _kind("tailscale_key", "tskey-", rf"tskey-[a-z]{{3,9}}-{_W}{{20,60}}"),
    _kind("planetscale_token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_\-.=]{32,64}"),
    _kind(
        "doppler_token",
        "dp.pt. dp.st. dp.ct. dp.sa.",
        rf"dp\.(?:[psc]t|sa)\.(?:[a-z0-9_\-]{{2,35}}\.)?{_A}{{40,44}}",
    ),
    _hex("supabase_token", "sbp_", rf"sbp_{_X}{{40}}"),
    _kind("age_key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
    _kind(
        "json_web_token",
        "eyJ",
        rf"eyJ{_W}{{10,2000}}\.eyJ{_W}{{4,4000}}\.{_W}{{10,2000}}",
        is_signed_token,
    ),
    Kind(
        "azure_storage_key",
        ("Key=",),
        lazy_re(r"(?:Account|Access)Key=((?:[A-Za-z0-9+/]{86}=|[A-Za-z0-9+/]{43})=)"),
    ),
    Kind(
        "azure_client_secret",
        ("Q~",),
        lazy_re(rf"(?<!{_W})({_W}{{3}}[0-9]Q~[A-Za-z0-9_~.\-]{{31,34}})(?!{_W})"),
    ),
)
