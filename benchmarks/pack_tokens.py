"""Draw made-up secrets, with right and wrong check sums; numbers of persons are `pack_numbers`.

None was ever issued. Each is drawn by a seeded generator in the form of its issuer, so that no
table has to hold a string that a scanner would report.
"""

import base64
import json
import string
import zlib
from collections.abc import Callable
from random import Random

from pack_forms import fill
from pack_numbers import PERSONAL

_BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase

_UUID = "<h8>-<h4>-<h4>-<h4>-<h12>"
FORMS = {
    "aws_access_key": "AKIA<t16>",
    "aws_temporary_key": "ASIA<t16>",
    "aws_secret_key": "<b40>",
    "github_app_token": "ghs_<w36>",
    "gitlab_token": "glpat-<s20>",
    "gitlab_deploy": "gldt-<s20>",
    "gitlab_runner": "glrt-<s20>",
    "pypi_token": "pypi-AgEIcHlwaS5vcmc<s80>",
    "openai_key": "sk-<w20>T3BlbkFJ<w20>",
    "openai_project_key": "sk-proj-<s74>T3BlbkFJ<s74>",
    "openai_service_key": "sk-svcacct-<s58>T3BlbkFJ<s58>",
    "anthropic_key": "sk-ant-api03-<s93>AA",
    "anthropic_admin_key": "sk-ant-admin01-<s93>AA",
    "google_api_key": "AIza<s35>",
    "google_oauth_secret": "GOCSPX-<s28>",
    "google_oauth_token": "ya29.<s120>",
    "slack_bot": "xoxb-<d12>-<d12>-<w24>",
    "slack_user": "xoxp-<d12>-<d12>-<d12>-<h32>",
    "slack_app": "xapp-1-A<u10>-<d13>-<h64>",
    "slack_webhook": "https://hooks.slack.com/services/T<u8>/B<u8>/<w24>",
    "discord_webhook": "https://discord.com/api/webhooks/<d18>/<s68>",
    "stripe_key": "sk_live_<w24>",
    "stripe_restricted": "rk_live_<w24>",
    "stripe_webhook_secret": "whsec_<w32>",
    "sendgrid_key": "SG.<s22>.<s43>",
    "mailgun_key": "key-<h32>",
    "mailchimp_key": "<h32>-us14",
    "twilio_key": "SK<h32>",
    "telegram_token": "<d10>:AA<s33>",
    "discord_token": "MTA<w21>.G<w5>.<s38>",
    "huggingface_token": "hf_<w34>",
    "databricks_token": "dapi<h32>",
    "digitalocean_token": "dop_v1_<h64>",
    "shopify_token": "shpat_<h32>",
    "shopify_secret": "shpss_<h32>",
    "square_token": "sq0atp-<s22>",
    "square_secret": "sq0csp-<s43>",
    "square_access": "EAAAE<s59>",
    "grafana_cloud": "glc_eyJ<w60>",
    "vault_token": "hvs.<s95>",
    "vault_batch": "hvb.AAAAAQ<s140>",
    "linear_key": "lin_api_<w40>",
    "notion_token": "ntn_<d11><w35>",
    "notion_secret": "secret_<w43>",
    "newrelic_key": "NRAK-<u27>",
    "newrelic_insert": "NRII-<s32>",
    "postman_key": "PMAK-<h24>-<h34>",
    "atlassian_token": "ATATT3xFfGF0<s180>",
    "groq_key": "gsk_<w20>WGdyb3FY<w24>",
    "replicate_token": "r8_<w37>",
    "langsmith_key": "lsv2_pt_<h32>_<h10>",
    "langfuse_key": "sk-lf-<h8>-<h4>-<h4>-<h4>-<h12>",
    "pinecone_key": "pcsk_<w5>_<w63>",
    "xai_key": "xai-<w80>",
    "tailscale_key": "tskey-auth-<w11>CNTRL-<w32>",
    "planetscale_token": "pscale_tkn_<s43>",
    "planetscale_password": "pscale_pw_<s43>",
    "doppler_token": "dp.pt.<w43>",
    "supabase_token": "sbp_<h40>",
    "age_key": "AGE-SECRET-KEY-1<a58>",
    "azure_storage_key": "<b86>==",
    "azure_client_secret": "<w3>8Q~<s34>",
    "adafruit_key": "aio_<w28>",
    "airtable_token": "pat<w14>.<h64>",
    "alibaba_key": "LTAI<w20>",
    "artifactory_key": "AKCp8<w68>",
    "clojars_token": "CLOJARS_<h60>",
    "cloudflare_origin_key": "v1.0-<h24>-<h146>",
    "duffel_token": "duffel_test_<s43>",
    "dynatrace_token": "dt0c01.<u24>.<u64>",
    "easypost_key": "EZAK<w54>",
    "facebook_token": "EAACEdEose0cBA<w60>",
    "flutterwave_key": "FLWSECK_TEST-<h32>-X",
    "flyio_token": "fo1_<s43>",
    "frameio_token": "fio-u-<s64>",
    "harness_token": "pat.<w22>.<h24>.<w20>",
    "terraform_token": "<w14>.atlasv1.<s67>",
    "heroku_key": "HRKU-AA<s58>",
    "infracost_token": "ico-<w32>",
    "lob_key": "live_<h35>",
    "maxmind_key": "<w6>_<w29>_mmk",
    "mapbox_token": "sk.eyJ<w60>.<w22>",
    "nuget_key": "oy2<l43>",
    "onepassword_token": "ops_eyJ<b252>",
    "openshift_token": "sha256~<s43>",
    "perplexity_key": "pplx-<w48>",
    "prefect_key": "pnu_<l36>",
    "pulumi_token": "pul-<h40>",
    "readme_key": "rdme_<l70>",
    "rubygems_key": "rubygems_<h48>",
    "scalingo_token": "tk-us-<s48>",
    "brevo_key": "xkeysib-<h64>-<w16>",
    "sentry_user_token": "sntryu_<h64>",
    "sentry_org_token": "sntrys_eyJpYXQiO<w80>_<b43>",
    "shippo_token": "shippo_live_<h40>",
    "sonar_token": "squ_<h40>",
    "sourcegraph_token": "sgp_<h16>_<h40>",
    "teams_webhook": f"https://acme.webhook.office.com/webhookb2/{_UUID}@{_UUID}"
    f"/IncomingWebhook/<h32>/{_UUID}",
    "typeform_token": "tfp_<s59>",
    "yandex_key": "AQVN<s36>",
    "intra42_secret": "s-s4t2ud-<h64>",
    "contentful_token": "CFPAT-<s43>",
    "docker_token": "dckr_pat_<s27>",
    "dropbox_token": "sl.<s140>",
    "figma_token": "figd_<s40>",
    "cerebras_key": "csk-<l48>",
    "openrouter_key": "sk-or-v1-<h64>",
    "deepseek_key": "sk-<h32>",
    "elevenlabs_key": "sk_<h48>",
    "tavily_key": "tvly-dev-<w32>",
    "firecrawl_key": "fc-<h32>",
    "resend_key": "re_<w8>_<w24>",
    "render_key": "rnd_<w32>",
    "fireworks_key": "fw_<w24>",
    "nvidia_key": "nvapi-<s64>",
    "stripe_test_key": "sk_test_<w24>",
    "octopus_key": "API-<u26>",
    "assigned": "<w32>",
    "assigned_hex": "<h40>",
    "assigned_long_hex": "<h128>",
    "bearer": "<s48>",
    # near misses
    "uuid": "<h8>-<h4>-4<h3>-a<h3>-<h12>",
    "sha1": "<h40>",
    "sha256": "<h64>",
    "md5": "<h32>",
    "short_hash": "<h7>",
    "base64": "<b120>",
    "image": "iVBORw0KGgoAAAANSUhEUgAA<b160>==",
    "integrity": "sha512-<b86>==",
    "stripe_publishable": "pk_live_<w24>",
    "stripe_object": "cus_<w14>",
    "stripe_intent": "pi_3<w23>",
    "slack_channel": "C0<u9>",
    "arn": "arn:aws:iam::<d12>:role/deploy",
    "openai_request": "req_<h32>",
    "openai_thread": "thread_<w24>",
    "openai_run": "chatcmpl-<w29>",
    "openai_call": "call_<w24>",
    "anthropic_message": "msg_01<w22>",
    "toolu": "toolu_01<w22>",
    "recaptcha_site": "6L<s38>",
    "ethereum": "0x<h40>",
    "bitcoin": "bc1q<l38>",
    "ulid": "01J<u23>",
    "objectid": "<h24>",
    "etag": 'W/"<h32>"',
    "docker_digest": "sha256:<h64>",
    "trace": "00-<h32>-<h16>-01",
    "twilio_account": "AC<h32>",
    "aws_id": "AIDA<t16>",
    "instance": "i-0<h16>",
    "ssh_public": "AAAAC3NzaC1lZDI1NTE5AAAAI<w43>",
    "fingerprint": "SHA256:<b43>",
    "youtube": "<s11>",
    "google_client": "<d12>-<l32>.apps.googleusercontent.com",
    "ga": "G-<u10>",
    "sentry_dsn_key": "<h32>",
}


def _base62(number: int, length: int) -> str:
    letters = ""
    while number:
        number, rest = divmod(number, 62)
        letters = _BASE62[rest] + letters
    return letters.rjust(length, "0")


def _summed(head: str, random: Random, *, length: int = 30) -> str:
    """Return a token of GitHub or npm: the CRC-32 of its letters ends it, in base 62."""
    body = fill(f"<w{length}>", random)
    return f"{head}{body}{_base62(zlib.crc32(body.encode()), 6)}"


def _wrong_sum(head: str, random: Random) -> str:
    token = _summed(head, random)
    return token[:-1] + ("A" if token[-1] != "A" else "B")


def _fine_grained(random: Random) -> str:
    return fill("github_pat_<w22>_<w59>", random)


def _grafana(random: Random) -> str:
    body = fill("<w32>", random)
    return f"glsa_{body}_{zlib.crc32(body.encode()):08x}"


def _encoded(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def _signed(random: Random) -> str:
    body = {"sub": fill("<d10>", random), "iat": random.randrange(1_500_000_000, 1_700_000_000)}
    return ".".join(
        [_encoded({"alg": "HS256", "typ": "JWT"}), _encoded(body), fill("<s43>", random)]
    )


def _unsigned(random: Random) -> str:
    return ".".join(
        [
            _encoded({"colour": "blue", "wide": 3}),
            _encoded({"size": random.randrange(99)}),
            fill("<s43>", random),
        ]
    )


def private_key(kind: str, random: Random, lines: int = 12) -> str:
    """Return a block of PEM with drawn lines, of the `kind` its first line names."""
    body = "\n".join(fill("<b64>", random) for _ in range(lines))
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{body}\n-----END {kind}PRIVATE KEY-----"


SECRETS: dict[str, Callable[[Random], str]] = {
    "github_token": lambda random: _summed("ghp_", random),
    "github_oauth": lambda random: _summed("gho_", random),
    "github_wrong_sum": lambda random: _wrong_sum("ghp_", random),
    "github_fine_grained": _fine_grained,
    "npm_token": lambda random: _summed("npm_", random),
    "grafana_token": _grafana,
    "json_web_token": _signed,
    "unsigned_token": _unsigned,
    "rsa_key": lambda random: private_key("RSA ", random),
    "ec_key": lambda random: private_key("EC ", random, 3),
    "pkcs8_key": lambda random: private_key("", random),
    "openssh_key": lambda random: private_key("OPENSSH ", random, 6),
}


def draw(name: str, random: Random) -> str:
    """Return a made-up value of `name`: a form of secrets, or a number of a person."""
    if name in FORMS:
        return fill(FORMS[name], random)
    return {**SECRETS, **PERSONAL}[name](random)
