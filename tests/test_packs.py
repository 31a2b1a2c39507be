"""Packs: what they find, what the passages excuse, and that no secret stands in a result."""

import base64
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.context import Context
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.model.policy import Policy
from streamguard.core.model.types import Finding
from streamguard.core.packs import (
    hiding,
    identifiers,
    links,
    passages,
    personal,
    secrets,
    services,
    tongue,
)
from streamguard.core.packs.checks import pack_checks
from streamguard.core.packs.found import FoundSpans, PackMatch
from streamguard.core.packs.hiding import ALL_HIDDEN, Hidden
from streamguard.core.validate import check_text
from streamguard.errors import ConfigError
from streamguard.testing import feed_every_way
from streamguard.text.languages import MAX_READ, language_of

CONTEXT = Context(query="How do I sign in?", chunks=["Sign in with your e-mail address."])
# The example of GitHub's own announcement of its check sums; it opens nothing.
TOKEN = "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"
KEY_LINES = (
    "MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MaZpZ1z7hQpZ1xYz",
    "Q2VydGlmaWNhdGUgYm9keSBsaW5lIHR3byBvZiB0aGUga2V5IGRhdGEgaGVyZQ==",
)
PEM = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *KEY_LINES, "-----END RSA PRIVATE KEY-----"])


def policy(*packs, **settings):
    return Policy.preset("moderate", packs=packs, **settings)


def found(answer, *packs, context=CONTEXT, **settings):
    """Return the packs' findings under every split, as check and shown value."""
    chosen = policy(*packs, **settings)

    def result(pieces):
        guard = StreamGuard(context, chosen)
        for piece in pieces:
            guard.feed(piece)
        return guard.close()

    told = feed_every_way(answer, result)
    names = {check.__name__ for check in pack_checks(chosen)}
    return [(f.check, f.value) for f in told.findings if f.check.partition(":")[0] in names]


def test_no_pack_runs_by_default():
    assert (
        check_text(f"Use {TOKEN}.", context=CONTEXT).findings
        == check_text(f"Use {TOKEN}.", context=CONTEXT, policy=policy("links")).findings
    )
    assert pack_checks(Policy()) == ()


@pytest.mark.parametrize(
    ("answer", "check"),
    [
        (f"Your token is {TOKEN}, keep it.", "secret:github_token"),
        ("Use AKIAQX4TBGE7NZ2LPW5Y for the bucket.", "secret:aws_access_key"),
        ("The password is Winter2024!", "secret:password"),
        ("Set `api_key = 'f8Jk2LmQ9xYzWv3Rt6Pb1Nc'` first.", "secret:assigned_secret"),
        ("Connect to postgres://bob:s3cr3t@db.example/app.", "secret:password_in_url"),
        ("Send Authorization: Bearer abcDEF123456ghiJKL7890 with it.", "secret:bearer_token"),
        ("The key's first line is -----BEGIN PRIVATE KEY-----", "secret:private_key"),
    ],
)
def test_a_secret_is_found_and_stands_nowhere_in_the_result(answer, check):
    [(name, shown)] = found(answer, "secrets")
    result = check_text(answer, context=CONTEXT, policy=policy("secrets"))
    finding = next(f for f in result.findings if f.check == check)
    secret = answer[finding.start : finding.end]
    assert name == check
    assert secret not in shown
    assert check == "secret:private_key" or secret not in result.model_dump_json()


@pytest.mark.parametrize(
    "answer",
    [
        "The password is case-sensitive.",
        "The password is Required.",
        "Set API_KEY=$MY_KEY in the shell.",
        "An example is AKIAIOSFODNN7EXAMPLE.",
        "Tokens look like ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.",
        "The token ghp_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq18 has a wrong check sum.",
        "Connect to postgres://user:${PASSWORD}@db.example/app.",
        "The commit is 3b18e512dba79e4c8300dd08aeb37f8e728b8dad.",
    ],
)
def test_what_only_looks_like_a_secret_is_none(answer):
    assert found(answer, "secrets") == []


def test_a_private_key_is_found_to_its_last_line():
    checks = [check for check, _ in found(f"Here it is:\n\n{PEM}\n\nKeep it safe.", "secrets")]
    assert checks == ["secret:private_key"] * 4
    result = check_text(PEM, context=CONTEXT, policy=policy("secrets")).model_dump_json()
    assert not any(line.rstrip("=") in result for line in KEY_LINES)
    only = found(f"{PEM}\nToken {TOKEN}.", "secrets:github_token")
    assert [check for check, _ in only] == ["secret:github_token"]


def test_reasons_quote_no_part_of_a_match():
    hidden, text = hiding.Hidden(), f"It is {TOKEN}."
    result = check_text(text, context=CONTEXT, policy=policy("secrets"))
    (finding,) = [one for one in result.findings if one.flag == "secret"]
    hidden.note(finding, TOKEN)
    part = TOKEN[6:12].lower()
    told = (f"“it”, “{part}” stands in no passage", "its words follow one another")
    assert hidden.reasons(told) == ("“it”, “[HIDDEN]” stands in no passage", told[1])


def test_check_sums_and_heads_of_tokens():
    assert services.has_base62_sum(TOKEN)
    # The example in the tests of Grafana's own generator; it opens nothing.
    assert services.has_hex_sum("glsa_yscW25imSKJIuav8zF37RZmnbiDvB05G_fcaaf58a")
    assert not services.has_hex_sum("glsa_yscW25imSKJIuav8zF37RZmnbiDvB05G_8af5aafc")
    head = base64.urlsafe_b64encode(json.dumps({"alg": "HS256"}).encode()).decode().rstrip("=")
    assert services.is_signed_token(f"{head}.x.y")
    assert not services.is_signed_token("eyJhIjoxfQ.x.y")
    assert not services.is_signed_token("e.x.y")


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ("Write to anna.smith@mail.example.co.uk.", "[EMAIL]"),
        ("Call +49 30 9018 2012 now.", "[PHONE]"),
        ("Pay to DE89 3704 0044 0532 0130 00 BIC COBADEFF.", "[IBAN DE]"),
        ("Her card is 4111 1111 1111 1111 today.", "[CARD]"),
        ("The login came from 84.17.203.9 there.", "[IP]"),
        ("The login came from 2003:e7:bf1c::17:5 there.", "[IP]"),
        ("Her SSN is 219-09-9999 there.", "[US_SSN]"),
        ("His social security number is 219 09 9999 there.", "[US_SSN]"),
        ("The NINO is AB 12 34 56 C here.", "[UK_NINO]"),
        ("Die Steuer-ID ist 86 095 742 719 hier.", "[GERMAN_TAX_ID]"),
        ("Son numéro est 2 55 08 14 168 025 38 ici.", "[FRENCH_NIR]"),
        ("Su DNI es 12345678Z aquí.", "[SPANISH_DNI]"),
        ("Su NIE es X1234567L aquí.", "[SPANISH_DNI]"),
        ("Il codice è RSSMRA85T10A562S qui.", "[ITALIAN_CODE]"),
        ("Zijn BSN is 111222333 hier.", "[DUTCH_BSN]"),
        ("Jej PESEL to 44051401359 tutaj.", "[POLISH_PESEL]"),
        ("Numret är 811218-9876 här.", "[SWEDISH_NUMBER]"),
        ("Die Nummer ist 756.9217.0769.85 hier.", "[SWISS_AHV]"),
        ("Het nummer is 85.07.30-033.28 hier.", "[BELGIAN_NUMBER]"),
        ("O NIF é 123456789 aqui.", "[PORTUGUESE_NIF]"),
        ("O CPF é 111.444.777-35 aqui.", "[BRAZILIAN_CPF]"),
        ("The Aadhaar number is 2341 2341 2346 here.", "[AADHAAR]"),
        ("Her SIN is 130 692 544 here.", "[CANADIAN_SIN]"),
    ],
)
def test_personal_data_is_found_by_its_form(answer, shown):
    assert [value for _, value in found(answer, "pii")] == [shown]


@pytest.mark.parametrize(
    "answer",
    [
        "Write to anna@localhost.",
        "The account is DE89 3704 0044 0532 0130 01.",
        "The order is 4111 1111 1111 1112.",
        "The order is 4444 4444 4444 4444.",
        "Upgrade to version 84.17.203.9 at 10:30:00.",
        "Inside, the server is 10.0.0.12 or 2001:db8::17; ask 8.8.8.8 for its name.",
        "Call add::bad and listen on 127.0.0.1.",
        "The address 999.1.1.1 is none.",
        "Order 219099999 has shipped.",
        "The part 000-12-3456 is out.",
        "The NINO BG 12 34 56 C is none.",
        "Die Steuer-ID 06095742719 und 86095742718 gibt es nicht.",
        "Son numéro 2 55 08 14 168 025 39 est faux.",
        "Invoice +000 0000 0000 is open.",
        "Su DNI es 12345678A aquí.",
        "O CPF é 111.111.111-11 aqui.",
        "O CPF é 111.444.777-36 aqui.",
    ],
)
def test_what_only_looks_like_personal_data_is_none(answer):
    assert found(answer, "pii") == []


def test_kinds_are_chosen_and_unknown_ones_refused():
    answer = "Write to anna@mail.example or pay to GB29NWBK60161331926819."
    assert [check for check, _ in found(answer, "pii:iban")] == ["pii:iban"]
    for packs, told in (
        (("pii:names",), "packs holds pii:names, expected one of email, iban, card"),
        (("spam",), "packs holds spam, expected secrets, pii, regex, links, language"),
        (("links:x",), "packs holds links:x, expected links alone"),
    ):
        with pytest.raises(ConfigError, match=told):
            pack_checks(policy(*packs))


def test_national_telephone_numbers_are_read_where_a_region_is_named():
    answer = "Call 030 90182012 now."
    assert found(answer, "pii") == []
    assert found(answer, "pii", phone_region="DE") == [("pii:phone", "[PHONE]")]
    with pytest.raises(ConfigError, match="phone_region is 'XX'"):
        pack_checks(policy("pii", phone_region="XX"))


def test_a_region_without_the_package_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "phonenumbers", None)
    with pytest.raises(ConfigError, match="needs the package phonenumbers"):
        pack_checks(policy("pii", phone_region="DE"))


def test_what_passages_question_or_application_show_is_no_finding():
    context = Context(
        query="Is 84.17.203.9 the server?",
        chunks=[
            {"text": "Write to Help@Mail.example, IBAN DE89370400440532013000.", "source": "a"}
        ],
    )
    answer = "Write to help@mail.example; pay to DE89 3704 0044 0532 0130 00; it is 84.17.203.9."
    assert found(answer, "pii", context=context) == []
    assert found("Ask joe@corp.example.", "pii", pack_allow=("@corp.example",)) == []
    assert found("Ask joe@corp.example.", "pii", pack_allow=("joe@corp.example",)) == []
    assert found("Ask joe@corp.example.", "pii", pack_allow=("ann@corp.example",)) != []


def test_a_passage_shows_an_address_only_as_a_whole():
    chunks = [
        "Ask ann.lee@corp.example, joe@corp.example.org, kim@corp.example. Or max@corp.example"
    ]
    context = Context(query="Whom do I ask?", chunks=chunks)
    for name, is_shown in (("ann.lee", True), ("lee", False), ("kim", True), ("max", True)):
        assert (found(f"Ask {name}@corp.example.", "pii", context=context) == []) is is_shown
    assert found("Ask joe@corp.example.", "pii", context=context) != []
    assert found("Ask joe@corp.example.org.", "pii", context=context) == []
    assert found("Ask joe@corp.example-shop.org.", "pii", context=context) != []


def test_a_secret_that_passages_or_the_application_show_is_no_finding():
    answer = f"Use the token {TOKEN} to try it."
    assert found(answer, "secrets", context=Context(query=f"What is {TOKEN}?", chunks=["x"])) == []
    assert found(answer, "secrets", context=Context(chunks=[f"TOKEN={TOKEN}"])) == []
    assert found(answer, "secrets", pack_allow=(TOKEN,)) == []
    assert found(answer, "secrets", pack_allow=(TOKEN[:-1],)) != []


def test_so_many_matches_are_looked_up_and_no_more(monkeypatch):
    monkeypatch.setattr(passages, "MAX_LOOKED_UP", 1)
    shown = passages.ShownPassages(Context(chunks=["ab cd"]))
    one = PackMatch(0, 2, "x", "[X]")
    assert shown.hold("ab", one)
    assert shown.hold("ab", one)
    assert not shown.hold("cd", one)


def test_own_patterns_are_found_by_name():
    settings = {"patterns": {"ticket": r"TCK-(\d{4})", "room": r"(?i)room \d+"}}
    answer = "Ticket TCK-1234 is for Room 7."
    assert found(answer, "regex", **settings) == [
        ("regex:ticket", "1234"),
        ("regex:room", "Room 7"),
    ]
    assert found(answer, "regex:room", **settings) == [("regex:room", "Room 7")]
    for source, told in (("(", "no regular expression"), ("a*", "matches the empty text")):
        with pytest.raises(ConfigError, match=told):
            pack_checks(policy("regex", patterns={"bad": source}))
    assert found("x", "regex", patterns={"behind": "(?<=x)()$|y()"}) == []


def test_a_pattern_without_end_is_switched_off_and_said():
    settings = {"patterns": {"slow": r"(?:a|aa|aaa)+$", "fast": r"b+"}}
    answer = "a" * 60 + "! bb.\n\n" + "a" * 60 + "!"
    result = check_text(answer, context=CONTEXT, policy=policy("regex", **settings))
    assert [e.partition(" (")[0] for e in result.errors] == ["regex: TimeoutError"]
    assert [f.value for f in result.findings if f.check == "regex:fast"] == ["bb"]


def test_links_must_stand_in_a_passage_its_source_or_the_question():
    context = Context(
        query="What does www.corp.example/faq say?",
        chunks=[
            {"text": "See https://docs.corp.example/a#b.", "source": "https://wiki.example/p/"}
        ],
    )
    fine = (
        "See http://docs.corp.example/a, (https://wiki.example/p), https://corp.example/faq and"
        " https://docs.corp.example."
    )
    assert found(fine, "links", context=context) == []
    wrong = "See https://docs.corp.example/c_(d) or [it](https://bad.example/x)."
    assert [value for _, value in found(wrong, "links", context=context)] == [
        "https://docs.corp.example/c_(d)",
        "https://bad.example/x",
    ]
    assert found(wrong, "links", context=context, pack_allow=("bad.example/x",)) == [
        ("link", "https://docs.corp.example/c_(d)")
    ]
    assert list(links.links_in("https://...")) == []
    assert list(links.links_in("http://local")) == []


def test_a_sentence_in_another_language_than_the_question_is_told():
    german = "Die Kündigung ist innerhalb von 14 Tagen möglich und kostet nichts."
    context = Context(query="How can I cancel, and what does it cost?", chunks=[german])
    assert [check for check, _ in found(german, "language", context=context)] == ["language"]
    assert found("Ja, das ist so.", "language", context=context) == []
    assert found("```\n" + german + "\n```", "language", context=context) == []
    same = Context(query="Wie kann ich kündigen und was kostet das?", chunks=[german])
    assert found(german, "language", context=same) == []
    assert found(german, "language", context=Context(query="Pro?", chunks=[german])) == []


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("You may cancel within 14 days of the purchase.", "en"),
        ("Die Kündigung ist innerhalb von 14 Tagen möglich.", "de"),
        ("Vous pouvez annuler dans les 14 jours.", "fr"),
        ("Puede cancelar en los 14 días.", "es"),
        ("È possibile annullare entro 14 giorni dalla data.", "it"),
        ("U kunt binnen 14 dagen opzeggen en dat is gratis.", "nl"),
        ("Você pode cancelar em até 14 dias.", "pt"),
        ("14日以内にキャンセルできます", "ja"),
        ("您可以在14天内取消", "zh"),
        ("14일 이내에 취소할 수 있습니다", "ko"),
        ("Вы можете отменить в течение 14 дней", "ru"),
        ("Basic plan $49", None),
        ("der die das le la les the of and", None),
        ("café", None),
    ],
)
def test_the_language_is_told_by_letters_and_small_words(text, language):
    assert language_of(text) == language


def test_findings_of_others_show_no_part_of_a_secret():
    answer = f"The Team plan costs 4111 1111 1111 1111 dollars. It is {TOKEN} and $77."
    result = check_text(answer, context=CONTEXT, policy=policy("pii", "secrets"))
    written = result.model_dump_json()
    assert "4111" not in written
    assert TOKEN not in written
    assert "$77" in written


def test_more_secrets_than_are_looked_for_hide_all_texts(monkeypatch):
    monkeypatch.setattr(hiding, "MAX_HIDDEN", 1)
    hidden = Hidden()
    assert not hidden
    first = Finding("secret", "secret:x", "warning", 0, 5, "[X]", None, None)
    hidden.note(first, "abcde")
    hidden.note(first, "")
    assert hidden.text("say abcde") == "say [X]"
    second = Finding("secret", "secret:x", "warning", None, None, None, None, None)
    hidden.note(second, "none")
    hidden.note(Finding("secret", "secret:x", "warning", 6, 9, None, None, None), "fgh")
    assert hidden.text("anything") == ALL_HIDDEN
    assert hidden.text("ab") == "ab"


@given(st.text(alphabet="0123456789ABCDEFXYZ-. @+:/", max_size=60))
def test_no_text_makes_a_search_fail(text):
    for search in (secrets.search, links.links_in, *personal.SEARCHES.values()):
        for one in search(text):
            assert 0 <= one.start < one.end <= len(text)
            assert text[one.start : one.end] not in one.shown


def test_numbers_of_persons_whose_check_digits_are_wrong_are_none():
    assert not identifiers.is_portuguese_nif("123456788")
    assert identifiers.is_portuguese_nif("100000010") == (
        identifiers.weighted("10000001", "98765432") % 11 < 2
    )
    assert identifiers.is_french_nir("255082A1680253" + "8"[:0] + "8") in (True, False)
    assert not identifiers.is_polish_pesel("44951401359")
    assert not identifiers.is_swedish_number("8113189876")
    assert not identifiers.is_belgian_number("85073003329")
    assert not identifiers.is_aadhaar("012345678901")
    assert not identifiers.is_canadian_sin("046454286")


def test_of_two_packs_findings_in_one_place_the_first_kind_counts():
    patterns = {"first": r"TCK-\d+", "second": r"\d+ now", "third": r"\d{2}-"}
    answer = "Close TCK-77 now, 12-"
    assert found(answer, "regex", patterns=patterns) == [
        ("regex:first", "TCK-77"), ("regex:third", "12-"),
    ]  # fmt: skip
    places = FoundSpans()
    taken = [places.take(*span) for span in ((5, 9), (0, 5), (9, 12), (8, 10), (4, 6), (0, 99))]
    assert taken == [True, True, True, False, False, False]


def test_a_finding_outside_of_every_match_keeps_its_value():
    hidden = Hidden()
    hidden.note(Finding("secret", "secret:x", "warning", 10, 20, "[X]", None, None), "0123456789")
    other = Finding("potential_hallucination", "y", "warning", 0, 3, "$77", None, "$77 is new")
    assert hidden.finding(other) == other
    part = replace(other, start=12, end=14, value="23", message="23 is new")
    assert hidden.finding(part).message == "[X] is new"
    behind = replace(other, start=20, end=23)
    assert hidden.finding(behind) == behind
    silent = replace(part, value=None, message=None)
    assert hidden.finding(silent) == silent


def test_the_lines_of_a_key_end_where_prose_begins():
    lines = "A1b2" * 16
    body = secrets.KeyBody()
    assert list(body("-----BEGIN PRIVATE KEY-----")) == []
    assert list(body("  ")) == []
    assert [(one.start, one.end) for one in body(f"{lines}\n{lines}")] == [(0, 129)]
    assert [(one.start, one.end) for one in body(f" {lines}\nKeep it safe.")] == [(0, 65)]
    assert list(body(lines)) == []


def test_the_time_of_a_pattern_is_its_own_however_many_matches_are_reported():
    answer = "7 " * 900
    findings = found(answer, "regex", patterns={"digit": r"\d"})
    assert len(findings) == 900


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("How do I say this in German?", "de"),
        ("Translate the sentence into Spanish, please.", "es"),
        ("Wie heißt das auf Englisch, und warum?", "en"),
    ],
)
def test_a_question_about_a_language_may_be_answered_in_it(question, asked):
    text = {
        "de": "Der Vertrag endet im Mai, und er wird nicht verlängert.",
        "es": "El contrato termina en mayo y no se puede renovar.",
        "en": "The contract ends in May and will not be renewed.",
    }[asked]
    assert language_of(text) == asked
    assert found(text, "language", context=Context(query=question, chunks=[text])) == []


def test_the_question_is_read_once_an_answer_and_no_further_than_its_beginning(monkeypatch):
    read = []

    def counted(text, other_than=None):
        read.append(text)
        return language_of(text, other_than)

    monkeypatch.setattr(tongue, "language_of", counted)
    question = "How can I cancel, and what does it cost? " * 1_000
    german = "Die Kündigung ist innerhalb von 14 Tagen möglich und kostet nichts.\n\n" * 5
    context = Context(query=question, chunks=["x"])
    result = check_text(german, context=context, policy=policy("language"))
    assert result.flags.count("other_language") == 1
    assert [text for text in read if text.startswith("How")] == [question[:MAX_READ]]


def test_what_is_hidden_leaves_the_findings_own_words(monkeypatch):
    monkeypatch.setattr(hiding, "MAX_HIDDEN", 1)
    answer = " ".join(f"Mail u{number}@corp.example now." for number in range(4))
    result = check_text(f"{answer} It costs $77.", context=CONTEXT, policy=policy("pii"))
    assert {one.flag for one in result.findings} >= {"personal_data", "potential_hallucination"}
    assert ALL_HIDDEN not in {one.check for one in result.findings}
    assert "corp.example" not in result.model_dump_json()
