"""Models from a folder through ONNX Runtime: what is understood of them, and what they say."""

import pytest

from streamguard import StreamGuard, check_text
from streamguard.cli import main
from streamguard.core.context import Context
from streamguard.errors import ConfigError
from streamguard.verify.onnx import OnnxModel, onnx_verifier
from streamguard.verify.specs import open_verifier
from tests.kit.onnx_models import model_bytes, write_model

NLI = ("contradiction", "neutral", "entailment")
# Per word: contradiction, neutral, entailment.
WORDS = {"$12": (4.0, 0.0, 0.0), "5": (0.0, 0.0, 4.0), "vienna": (0.0, 4.0, 0.0)}
PASSAGE = "Something is said here ."


@pytest.fixture
def nli(tmp_path):
    return write_model(tmp_path / "nli", WORDS, labels=NLI)


def test_a_verifier_is_called_as_its_folder_and_its_words_are_in_the_result(nli):
    answer, context = "It costs $12 per month. It includes 5 GB.", Context(chunks=[PASSAGE])
    result = check_text(answer, context=context, verifiers=[onnx_verifier(str(nli))])
    first, second = (sentence.opinions[0] for sentence in result.sentences)
    assert first.verifier == "nli"
    assert first.contradiction > 0.9
    assert second.support > 0.9
    # A passage longer than the model reads is read in windows.
    far = " ".join(["word"] * 300) + " 5 ."
    model = OnnxModel(str(nli))
    assert model.read("of whatever", [far]).support > 0.9
    assert len(model._windows(far, 20)) > 15


def test_a_score_depends_on_its_claim_alone_and_not_on_the_batch(nli, monkeypatch):
    guard = StreamGuard(Context(chunks=[PASSAGE, "Another passage with far more words in it ."]))
    guard.feed("It costs $12 per month. It includes 5 GB. The office in Vienna opens at 9.")
    guard.close()
    sentences = [claim.sentence for claim in guard.claims()]
    scope, model = sentences[0].scope, OnnxModel(str(nli))
    asked, read = [], model._scores

    def spy(claim, windows):  # an int8 model takes one scale for all that it is given at once
        asked.append(claim)
        return read(claim, windows)

    monkeypatch.setattr(model, "_scores", spy)
    together = model(sentences, scope)
    assert [score for one in sentences for score in model([one], scope)] == together
    assert model(sentences[::-1], scope) == together[::-1]
    assert set(asked) == {sentence.folded.text for sentence in sentences}


def test_outputs_of_one_score_are_a_sigmoid(tmp_path):
    folder = write_model(tmp_path, {"good": (3.0,), "bad": (-3.0,)}, name="onnx/model.onnx")
    model = OnnxModel(str(folder))
    assert (model.understood.head, model.understood.sigmoid) == ("one_score", True)
    assert model.read("a good one", [PASSAGE]).support == pytest.approx(0.953, abs=0.001)
    assert model.read("a bad one", [PASSAGE]).contradiction is None
    folder = write_model(tmp_path / "nli", WORDS, labels=NLI, name="model_int8.onnx")
    assert OnnxModel(str(folder)).understood.file == "model_int8.onnx"
    assert open_verifier(f"onnx:{folder}").name == "nli"


def test_a_token_classifier_tells_by_the_claims_worst_word(tmp_path):
    words = {"wrong": (0.0, 4.0), "right": (4.0, 0.0)}
    folder = write_model(tmp_path, words, by_token=True, labels=("LABEL_0", "LABEL_1"))
    model = OnnxModel(str(folder))
    assert model.understood.head == "tokens"
    assert model.read("it is wrong here", ["all is right"]).support < 0.02
    # A word of the passage is no word of the claim's; unknown ones are undecided.
    assert model.read("right right", ["all is wrong"]).support > 0.9


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (
            lambda f: (f / "model.onnx").write_bytes(
                model_bytes([[1.0, 0.0, 0.0]], ["input_ids"], by_token=False)  # of one word
            ),
            "model.onnx cannot be run: InvalidArgument",
        ),
        (lambda f: write_model(f, WORDS, labels=NLI, shape=(1, "tokens", 2)),
         "model.onnx does not say how many labels it gives"),
        (lambda f: (f / "model.onnx").unlink(), "holds none of the .onnx files, expected model"),
        (lambda f: (f / "model.onnx").write_bytes(b"no"), "model.onnx cannot be loaded"),
        (lambda f: (f / "tokenizer.json").unlink(), "cannot be read as a tokenizer"),
        (lambda f: (f / "config.json").write_text("{"), "config.json is not JSON"),
        (lambda f: (f / "config.json").write_text("[]"), "config.json is a list, expected an obj"),
        (lambda f: (f / "config.json").write_text('{"id2label": {"0": "a", "1": "b", "2": "c"}}'),
         "none of the labels ['a', 'b', 'c'] means support"),
    ],
)  # fmt: skip
def test_a_folder_that_is_not_understood_says_why(nli, break_it, message):
    break_it(nli)
    with pytest.raises(ConfigError) as raised:
        OnnxModel(str(nli))
    assert message in str(raised.value)


def test_a_folder_that_is_not_there_and_unknown_inputs_are_named(tmp_path, capsys):
    assert main(["verifier", "inspect", str(tmp_path / "nowhere")]) == 2
    assert "nowhere is no folder that is there" in capsys.readouterr().err
    folder = write_model(tmp_path, WORDS, labels=NLI, inputs=("input_ids", "bbox"))
    with pytest.raises(ConfigError, match=r"the inputs \['bbox'\], which are unknown"):
        OnnxModel(str(folder))


def test_inspect_says_what_it_understood_and_tries_four_sentences(nli, capsys):
    assert main(["verifier", "inspect", str(nli)]) == 0
    out = capsys.readouterr().out
    assert "supports       entailment" in out
    assert "probabilities  softmax" in out
    assert "pair           passage, claim" in out
    lines = [line for line in out.splitlines() if line.startswith("  ")]
    assert len(lines) == 4
    assert "support 0.50 contradiction 0.50" in lines[1]  # the passage itself holds a "5"
    assert out.endswith("ms a sentence here\n")
