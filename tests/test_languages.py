"""What is judged of answers and passages in other languages than English."""

import pytest

from streamguard import Context, StreamGuard, Verifier, check_text, is_refusal
from streamguard.core.context import LateContext
from streamguard.core.model.policy import Calibration, Policy
from streamguard.core.model.types import Quotation, Verdict
from streamguard.core.reading.english import Tongues, clear_language, language_of_passages
from streamguard.core.reading.refusals import REFUSALS
from streamguard.core.reading.roles import find_refusals
from streamguard.errors import ConfigError
from streamguard.testing import feed_every_way
from streamguard.text import languages

DE = "Die Anmeldung kostet 49 € im Jahr und ist bis zum 31. März 2025 möglich. Hunde sind erlaubt."
EN = "The registration costs €49 per year and is open until 31 March 2025. Dogs are allowed."


def checked(text, *, chunks, query=None, language=None):
    def result(pieces):
        context = Context(query=query, chunks=[chunks], language=language)
        guard = StreamGuard(context)
        for piece in pieces:
            guard.feed(piece)
        return guard.close()

    return feed_every_way(text, result)


def codes(result):
    return [reason.code for reason in result.reasons]


# Answer, passage, question; what is right and what is wrong with a number.
RIGHT = [
    ("Sie zahlen für die Anmeldung 49 € im Jahr.", DE, "Was kostet die Anmeldung im Jahr?"),
    ("Sie dürfen Ihren Hund mit in den Garten nehmen.", DE, "Darf der Hund mit in den Garten?"),
    ("Les chiens sont autorisés dans le jardin, pour 49 € par an.", EN, "Et les chiens ?"),
    ("L'inscription est ouverte jusqu'au 31 mars, et les chiens sont admis.", EN, None),
    ("La inscripción cuesta 49 € y los perros pueden entrar en el jardín.", DE, None),
    ("L'iscrizione costa 49 € all'anno e i cani sono ammessi nel giardino.", EN, None),
    ("De inschrijving kost 49 € per jaar, en honden mogen ook in de tuin.", DE, None),
    ("A inscrição custa 49 € por ano e os cães podem entrar no jardim.", EN, None),
    ("You pay €49 for the registration, and dogs may come with you.", DE, "And dogs?"),
    ("Der Garten gehört dem Verein, und der Vorstand ist für ihn zuständig.", DE, None),
]


@pytest.mark.parametrize(("text", "chunks", "query"), RIGHT)
def test_what_fits_in_another_language_has_no_status_and_never_pass(text, chunks, query):
    result = checked(text, chunks=chunks, query=query)
    assert (result.status, codes(result)[0]) == (None, "language")
    assert {one.severity for one in result.findings} <= {"info"}
    assert result.supported_claims == 0
    assert result.uncovered_claims == ()
    (sentence,) = result.sentences
    assert sentence.language is not None
    assert (sentence.support, sentence.doubt, sentence.scored_by) == (None, None, ())


WRONG = [
    ("Sie zahlen für die Anmeldung 59 € im Jahr.", DE),
    ("Die Anmeldung ist nicht teuer, sie kostet nur 45 € im Jahr.", DE),
    ("Les frais pour l'inscription sont de 59 € par an.", "Les frais sont de 49 € par an."),
    ("La inscripción cuesta 59 € por año.", "La inscripción cuesta 49 € por año para los socios."),
    ("L'iscrizione costa 59 € per ogni socio.", "L'iscrizione costa 49 € per ogni socio."),
    ("De inschrijving kost 59 € voor een lid.", "De inschrijving kost 49 € voor een lid."),
    ("A inscrição custa 59 € para os sócios.", "A inscrição custa 49 € para os sócios."),
    ("Le prix est de 59 € pour les chiens.", "The price is €49 for dogs, and they are welcome."),
    ("Der Preis ist mit 59 € nicht hoch.", "The price is €49 for all the members of it."),
    ("The price for the registration is €59.", DE),
]


@pytest.mark.parametrize(("text", "chunks"), WRONG)
def test_a_wrong_value_in_another_language_is_warned_of_and_refuses_nothing(text, chunks):
    result = checked(text, chunks=chunks)
    assert (result.status, codes(result)[-1]) == ("WARN", "language")
    assert {one.check for one in result.findings} == {"unsupported_price"}


def test_a_day_that_passages_of_another_language_write_in_their_way_is_no_warning():
    spanish = "El curso es para niños y la sesión primera empieza el lunes, con los monitores."
    result = checked("The session for the children ends on 8 July.", chunks=spanish)
    assert (result.status, codes(result)) == (None, ["language"])
    assert {one.severity for one in result.findings} == {"info"}


def test_capitals_of_german_nouns_are_no_names():
    text = "Die Kündigung der Mitgliedschaft ist dem Vorstand vor der Versammlung zu melden."
    assert checked(text, chunks=DE).findings == ()
    assert checked("Ask Dr. Keller from Basel about it.", chunks=EN).findings != ()


def test_an_unknown_citation_in_another_language_is_a_warning():
    result = checked("Sie zahlen für die Anmeldung 49 € im Jahr [C9].", chunks=DE)
    assert (result.status, result.flags) == ("WARN", ("citation_unknown",))


def test_english_answers_are_judged_in_full_in_whatever_mix():
    result = checked("You pay €49 per year for the registration. Yes, €49.", chunks=EN)
    assert (result.status, codes(result)) == ("PASS", ["supported"])
    assert [one.language for one in result.sentences] == [None, None]


def test_a_short_answer_goes_by_the_sentence_before_the_question_and_the_passages():
    ask = "Was kostet die Anmeldung für ein Jahr?"
    assert checked("49 €.", chunks=EN, query=ask).sentences[0].language == "de"
    assert checked("49 €.", chunks=DE).sentences[0].language == "de"
    assert checked("49 €.", chunks=EN).sentences[0].language is None
    mixed = checked("It is open to all of the members. 49 €.", chunks=EN, query=ask)
    assert [one.language for one in mixed.sentences] == [None, None]
    both = checked(
        "It costs €49 for all of the members. Das ist nicht viel für ein Jahr.", chunks=EN
    )
    assert [one.language for one in both.sentences] == [None, "de"]
    assert (both.status, both.reasons[0].value) == (None, 1)


def test_the_application_may_say_the_language():
    text, english = "Sie zahlen 49 € im Jahr.", "You pay €49 per year for it."
    assert checked(text, chunks=DE, language="en").sentences[0].language is None
    assert checked(english, chunks=EN, language="de-AT").sentences[0].language == "de"
    assert checked(english, chunks=EN, language="EN-gb").status == "PASS"
    for wrong in ("", "german language", 5):
        with pytest.raises(ConfigError, match="expected a language as in BCP 47"):
            Context(language=wrong)


def test_no_language_counts_without_passages_under_literal_and_in_code():
    text = "Sie zahlen für die Anmeldung 49 € im Jahr."
    assert check_text(text, context=Context(chunks=[])).status == "REFUSE"
    assert check_text(text).sentences[0].language is None
    literal = check_text(text, context=Context(chunks=[DE]), policy="literal")
    assert literal.sentences[0].language is None
    code = check_text("```\nfür das nicht und die\n```", context=Context(chunks=[DE]))
    assert {one.language for one in code.sentences} == {None}


def test_a_late_context_gives_the_same_languages():
    late = LateContext()
    guard = StreamGuard(late)
    guard.feed("49 €. Sie zahlen das für ein Jahr.")
    late.give(Context(chunks=[DE]))
    assert guard.close() == check_text(
        "49 €. Sie zahlen das für ein Jahr.", context=Context(chunks=[DE])
    )


def reader(verdict, name="reader"):
    """Return a verifier that says the same of every claim."""
    is_judge = verdict.word is not None
    return Verifier(
        lambda claims, passages: [verdict for _ in claims], name=name, is_judge=is_judge
    )


def test_what_a_judge_or_a_calibrated_scorer_reads_is_judged():
    text, context = "Sie dürfen Ihren Hund mit in den Garten nehmen.", Context(chunks=[DE])
    quoted = (Quotation("Hunde sind erlaubt", "C1", DE.index("Hunde"), len(DE) - 1),)
    judge = reader(Verdict(word="supported", confidence=0.95, quotations=quoted), "judge small")
    read = check_text(text, context=context, verifiers=[judge])
    assert (read.status, read.sentences[0].judged) == ("PASS", "supported")
    line = Calibration(
        intercept=0, ours=0, doubt=0, warned=0, support=1, contradiction=0, answer_intercept=0,
        answer_slope=1,
    )  # fmt: skip
    policy = Policy(verifiers={"reader": line})
    scored = check_text(
        text, context=context, policy=policy, verifiers=[reader(Verdict(0.98, 0.0))]
    )
    assert (scored.status, scored.sentences[0].scored_by) == ("PASS", ("reader",))
    unsure = check_text(text, context=context, verifiers=[reader(Verdict(0.98, 0.0))])
    assert codes(unsure)[0] == "language"


REFUSED = [
    ("de", "Leider kann ich diese Frage nicht beantworten."),
    ("de", "Dazu liegen mir keine Informationen vor."),
    ("fr", "Je ne dispose d'aucune information sur ce sujet."),
    ("fr", "Malheureusement, je ne peux pas répondre à cette question."),
    ("es", "No tengo información suficiente para responder a eso."),
    ("es", "Lo siento, pero no puedo responder a esa pregunta."),
    ("it", "Purtroppo non ho informazioni su questo."),
    ("it", "Non sono in grado di rispondere a questa domanda."),
    ("nl", "Helaas kan ik deze vraag niet beantwoorden."),
    ("nl", "Ik heb geen informatie over dit onderwerp."),
    ("pt", "Infelizmente, não tenho informações sobre isso."),
    ("pt", "Não posso responder a esta pergunta."),
]


@pytest.mark.parametrize(("language", "text"), REFUSED)
def test_a_refusal_in_six_languages_is_known_under_every_split(language, text):
    chunks = {"de": DE, "nl": "De tuin is van de vereniging en het hek is altijd open."}
    result = checked(text, chunks=chunks.get(language, EN), language=language)
    assert (result.refusal.detected, result.refusal.extent) == (True, "whole")
    assert result.total_claims == 0


def test_whole_answers_refuse_in_their_own_language_too():
    assert all(
        is_refusal(f"{text} Bitte: {text}") for language, text in REFUSED if language == "de"
    )
    assert not is_refusal("Der Garten ist bis zum Abend für alle offen, und das ist nicht teuer.")
    assert not is_refusal("Le jardin est ouvert pour les membres, et ce n'est pas cher.")


def test_every_refusal_phrase_is_found_and_stands_once():
    for phrases in REFUSALS.values():
        assert len(phrases) == len(set(phrases)) >= 15
        for phrase in phrases:
            assert find_refusals(phrase, phrases), phrase


def test_english_is_told_at_a_glance_or_by_its_words():
    assert clear_language("It is open from the first of May.") == "en"
    assert clear_language("Das ist nicht the best.") != "en"
    assert clear_language("49 €") is None
    assert language_of_passages([]) is None
    tables = ["Basic | Plus | Pro", "12 | 24 | 36"]
    assert language_of_passages(tables) is None
    assert language_of_passages(["x" * 300 + " " + DE]) == "de"
    assert Tongues(None, "", language_of_passages(tables)).other_than_english("49 €") is None


def test_one_word_of_another_language_does_not_make_an_english_text_be_read_again(monkeypatch):
    text = "The time is told to us; it was in the house, and they were with you all of those days."
    expected = languages.language_of(text)
    monkeypatch.delattr("streamguard.core.reading.english.language_of")
    assert clear_language(text) == expected == "en"


def test_a_small_word_counts_alike_for_each_of_its_languages():
    shares = languages._shares.__wrapped__()
    assert shares == languages._shares()
    assert sum(len(each) for each in shares.values()) == sum(
        map(len, languages.SMALL_WORDS.values())
    )
    assert all(sum(weight for _, weight in each) == pytest.approx(1.0) for each in shares.values())
