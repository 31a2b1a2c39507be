"""From a request's body to the question, the passages and the policy."""

import json

import pytest

from streamguard.core.model.policy import Policy
from streamguard.errors import ConfigError
from streamguard.server.request_context import Policies, read_request

POLICIES = Policies(Policy(), {"strict": Policy.preset("strict")})


def message(role, content):
    return {"role": role, "content": content}


def chunks(context):
    return None if context.chunks is None else [(c.id, c.text) for c in context.chunks]


def request(key=None, **more):
    body = {"model": "m", "messages": [message("user", "[C1] One.\nQuestion: Which?")], **more}
    return json.dumps({**body, "streamguard": key} if key is not None else body).encode()


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b"[" * 99_999, b'"x"'])
def test_a_body_that_is_no_object_goes_on_as_it_is_without_context(body):
    asked = read_request(body, POLICIES)
    assert asked.body == body
    assert asked.context.chunks is None


def test_the_key_is_taken_out_and_wins_over_the_messages():
    key = {
        "query": "What?",
        "chunks": ["Plain.", {"text": "Full.", "id": "x", "source": "s", "similarity": 0.5}],
        "policy": "strict",
    }
    asked = read_request(request(key), POLICIES)
    assert asked.body == request()
    assert asked.context.query == "What?"
    assert chunks(asked.context) == [(None, "Plain."), ("x", "Full.")]
    assert not asked.context.citations_requested
    assert asked.policy.name == "strict"


def test_the_keys_template_says_where_the_passages_are_and_wins_over_the_servers():
    first = "Which? <context>Two.</context>"  # the user's
    body = {"messages": [message("user", f"Asked: {first}\nFound: One.\nAnswer:")]}
    key = {"context_template": "Asked: {question}\nFound: {context}\nAnswer:"}
    other = "Context: {context}\nQuestion: {question}"
    for server, given, expected in (
        (None, {}, None),
        (key["context_template"], {}, "One."),
        (other, {}, None),
        (other, key, "One."),
    ):
        sent = json.dumps({**body, "streamguard": given}).encode()
        context = read_request(sent, POLICIES, context_template=server).context
        assert (context.chunks and context.chunks[0].text) == expected
        assert (context.uncertain is None) == (expected is not None)
    given = {**key, "chunks": ["Given."]}
    asked = read_request(json.dumps({**body, "streamguard": given}).encode(), POLICIES)
    assert chunks(asked.context) == [(None, "Given.")]


@pytest.mark.parametrize(
    ("key", "complaint"),
    [
        ({"context_template": "{context}"}, "context_template has no {question}"),
        ({"context_template": 3}, "streamguard.context_template: Input should be a valid string"),
        ({"policy": "lenient"}, "streamguard.policy is 'lenient', this server allows moderate, st"),
        ({"chunks": "x"}, "streamguard.chunks: Input should be a valid list"),
        ({"chunks": [{"id": "a"}]}, "streamguard.chunks.0"),
        ({"query": 3}, "streamguard.query: Input should be a valid string"),
        ({"top_k": 3}, "streamguard.top_k: Extra inputs are not permitted; allowed are query, "),
        ([], "streamguard: "),
    ],
)
def test_a_wrong_key_is_refused_by_name(key, complaint):
    with pytest.raises(ConfigError) as caught:
        read_request(request(key), POLICIES)
    assert str(caught.value).startswith(complaint)
