"""Secrets in what other programs say, short ones and parts of them too, are not shown."""

import pytest

from streamguard.errors import UpstreamError
from streamguard.rag.embeddings import endpoint_embedding
from streamguard.text.masking import masked
from tests.integrations.services import service


@pytest.mark.parametrize(("said", "shown"), [
    ("Incorrect API key provided: abc12. You can find yours at x.example.",
     "Incorrect API key provided: … You can find yours at x.example."),
    ("Wrong key: sk-pro**********cret. No.", "Wrong key: … No."),
    ("Bad key sk-a and pk_b and gsk_c1", "Bad key … and … and …"),
    ("no such user for Bearer abc!", "no such user for …!"),
    ("The bearer token is missing", "The bearer token is missing"),
    ("POST /v1?api_key=x1&model=m was refused", "POST /v1?api_key=… was refused"),
    ('{"token": "ab", "user": "joe"}', '{"token": "…", "user": "joe"}'),
    ("password=hunter2; retry", "password=…; retry"),
    ("Authorization: abc", "Authorization: …"),
    ("cannot reach https://joe:pw@host/v1", "cannot reach https://…@host/v1"),
    ("The token a1b2c3d4e5f6a7b8c9d0e1 is old", "The token … is old"),
    ("key ab***12 is not known", "key … is not known"),
    ("This model's maximum context length is 8192 tokens.",
     "This model's maximum context length is 8192 tokens."),
    ("Rate limit reached for gpt-4o-mini: 30000 tokens a minute",
     "Rate limit reached for gpt-4o-mini: 30000 tokens a minute"),
])  # fmt: skip
def test_what_looks_like_a_secret_is_masked_and_other_words_stay(said, shown):
    assert masked(said) == shown


@pytest.mark.parametrize(("key", "said", "shown"), [
    ("k9", "no k9 here, but ak9x", "no … here, but ak9x"),
    ("x", "x is wrong", "… is wrong"),
    ("hunter2", "HUNTER2 or hunter2hunter2", "… or ……"),
    ("secret-of-mine", "The key secret-of-mine failed", "The key … failed"),
    ("my.key(1", "my.key(1 is no key", "… is no key"),
    ("abcd-efgh-ijkl", "The one that begins with abcd is old", "The one that begins with … is old"),
    ("abcd-efgh-ijkl", "It ends in ijkl.", "It ends in …"),
    (None, "It is so.", "It is so."),
    ("", "It is so.", "It is so."),
])  # fmt: skip
def test_the_key_that_was_sent_is_masked_whatever_its_length(key, said, shown):
    assert masked(said, key) == shown


def test_a_long_text_is_masked_in_one_pass():
    for piece in ("key ", "a-", "Bearer ", "*", "://a", "token is ", "sk-"):
        assert len(masked(piece * 5_000, "abcdef")) <= 5_000 * len(piece)


def test_an_endpoints_error_shows_no_key_and_no_part_of_one_at_its_end():
    said = f"{'x ' * 98}abc-very-long-key is wrong"
    for key, body in (("k9", "the key k9 is wrong"), ("abc-very-long-key", said)):
        with service(v1__embeddings=(401, body.encode())) as known:
            embedding = endpoint_embedding(f"{known.base}/v1", "small", key=key)
            with pytest.raises(UpstreamError, match="answered 401: ") as raised:
                embedding.embed(["x"])
        assert "k9" not in str(raised.value)
        assert "abc" not in str(raised.value)
