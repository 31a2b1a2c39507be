"""What servers of every protocol answer with, frame by frame; self-written after their references.

`frames(protocol, scenario)` gives a streamed answer as a list of frames in bytes, `whole` the same
answer in one piece. The scenarios: `text`; `choices` (two, interleaved; Chat Completions alone);
`tools` (text, then a call); `calls` (a call and no text); `reasoning`; `usage`; `empty`; `error`
(some text, then the protocol's own error); and `long`, whose annotation is some 180 kB. Any other
word is the answer's text itself.
"""

import json

TEXT = 'The Basic plan costs $10 per month. [C1] The "Pro" plan costs $99 per month — for Zoë. 😀'
SECOND = "Basic costs $12. Ask Jane Doe."
# Findings in every sentence: an annotation of some 180 kB.
LONG_TEXT = " ".join(f"It is ${n}." for n in range(330))
THOUGHT = "They want the price of the plan."
ARGUMENTS = '{"plan": "Basic", "currency": "EUR"}'
PROTOCOLS = (
    "chat", "completions", "responses", "anthropic", "gemini", "cohere", "ollama_chat",
    "ollama_generate", "ui", "events", "lines",
)  # fmt: skip
SCENARIOS = ("text", "choices", "tools", "calls", "reasoning", "usage", "empty", "error")
CREATED = 1_760_000_000


def pieces(text, size=5):
    """Return `text` in pieces of `size` characters, a long one in about 200 pieces."""
    size = max(size, len(text) // 200)
    return [text[at : at + size] for at in range(0, len(text), size)]


def texts(scenario):
    """Return the text per choice that a streamed answer of `scenario` holds."""
    if scenario in ("calls", "empty"):
        return {}
    if scenario == "error":
        return {0: TEXT[:20]}
    if scenario == "choices":
        return {0: TEXT, 1: SECOND}
    if scenario in SCENARIOS:
        return {0: TEXT}
    return {0: LONG_TEXT if scenario == "long" else scenario}


def has(protocol, scenario):
    """Say whether the protocol has such an answer."""
    if scenario == "choices":
        return protocol in ("chat", "completions", "gemini")
    if scenario in ("tools", "calls", "reasoning"):
        return protocol not in ("completions", "events", "lines", "ollama_generate")
    if scenario == "usage":
        return protocol not in ("ollama_generate", "ui", "events", "lines")
    return scenario != "error" or protocol not in ("cohere", "lines")


def frames(protocol, scenario="text"):
    """Return the frames of a streamed answer, in bytes."""
    return _STREAMS[protocol](scenario)


def whole(protocol, scenario="text"):
    """Return the answer in one piece, as bytes of JSON."""
    return json.dumps(_WHOLE[protocol](scenario), indent=1).encode()


def _sse(frame, event=None):
    name = f"event: {event}\n" if event else ""
    data = frame if isinstance(frame, str) else json.dumps(frame, separators=(",", ":"))
    return f"{name}data: {data}\n\n".encode()


# --- Chat Completions


_CALLING = ("tools", "calls")
_USAGE = {"prompt_tokens": 7, "completion_tokens": 21, "total_tokens": 28}
_FAILED = {"error": {"message": "overloaded", "type": "server_error"}}
_CALL = {"id": "call_1", "type": "function", "function": {"name": "price", "arguments": ARGUMENTS}}


def _head(id, kind):
    return {"id": id, "object": kind, "created": CREATED, "model": "mock-1"}


def _chunk(delta=None, index=0, finish=None, **more):
    choice = {"index": index, "delta": delta or {}, "logprobs": None, "finish_reason": finish}
    return _sse({**_head("chatcmpl-1", "chat.completion.chunk"), "choices": [choice], **more})


def _call_deltas():
    first = {"index": 0, "id": "call_1", "type": "function",
             "function": {"name": "price", "arguments": ""}}  # fmt: skip
    yield {"tool_calls": [first]}
    for piece in pieces(ARGUMENTS):
        yield {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}


def _chat(scenario):
    more = {"usage": None} if scenario == "usage" else {}
    made = [_chunk({"role": "assistant", "content": ""}, **more)]
    if scenario == "choices":
        made.append(_chunk({"role": "assistant", "content": ""}, 1))
        one, two = pieces(TEXT), pieces(SECOND)
        for number in range(max(len(one), len(two))):
            made += [_chunk({"content": piece}) for piece in one[number : number + 1]]
            made += [_chunk({"content": piece}, 1) for piece in two[number : number + 1]]
            if number == len(two) - 1:
                made.append(_chunk(index=1, finish="stop"))
        return [*made, _chunk(finish="stop"), _sse("[DONE]")]
    if scenario == "reasoning":
        made += [_chunk({"reasoning_content": piece}) for piece in pieces(THOUGHT)]
    made += [_chunk({"content": piece}, **more) for piece in pieces(texts(scenario).get(0, ""))]
    if scenario == "error":
        return [*made, _sse(_FAILED)]
    if scenario in _CALLING:
        made += [_chunk(delta) for delta in _call_deltas()]
    finish = "tool_calls" if scenario in _CALLING else "stop"
    made.append(_chunk(finish=finish, **more))
    if scenario == "usage":
        made.append(_chunk(choices=[], usage=_USAGE))
    return [*made, _sse("[DONE]")]


def _chat_whole(scenario):
    message = {"role": "assistant", "content": texts(scenario).get(0), "refusal": None}
    if scenario in _CALLING:
        message["tool_calls"] = [_CALL]
    finish = "tool_calls" if scenario in _CALLING else "stop"
    choices = [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}]
    if scenario == "choices":
        second = {"role": "assistant", "content": SECOND, "refusal": None}
        choices.append({**choices[0], "index": 1, "message": second})
    return {**_head("chatcmpl-1", "chat.completion"), "choices": choices, "usage": _USAGE}


# --- Completions


def _completion(text="", index=0, finish=None, **more):
    choice = {"index": index, "text": text, "logprobs": None, "finish_reason": finish}
    return _sse({**_head("cmpl-1", "text_completion"), "choices": [choice], **more})


def _completions(scenario):
    more = {"usage": None} if scenario == "usage" else {}
    said = texts(scenario)
    # One choice behind the other, as some servers write them.
    made = [
        frame
        for index, text in said.items()
        for frame in (
            *(_completion(piece, index, **more) for piece in pieces(text)),
            *(() if scenario == "error" else (_completion("", index, "stop", **more),)),
        )
    ]
    if scenario == "error":
        return [*made, _sse(_FAILED)]
    if not said:
        made = [_completion("", 0, "stop")]
    if scenario == "usage":
        made.append(_sse({**json.loads(_completion()[6:]), "choices": [], "usage": _USAGE}))
    return [*made, _sse("[DONE]")]


def _completions_whole(scenario):
    choices = [
        {"index": index, "text": text, "logprobs": None, "finish_reason": "stop"}
        for index, text in (texts(scenario) or {0: ""}).items()
    ]
    return {**_head("cmpl-1", "text_completion"), "choices": choices, "usage": _USAGE}


# --- Responses


def _responses_body(status, output, usage=None):
    return {
        "id": "resp_1", "object": "response", "created_at": CREATED, "status": status,
        "error": None, "incomplete_details": None, "instructions": None, "max_output_tokens": None,
        "metadata": {}, "model": "mock-1", "output": output, "parallel_tool_calls": True,
        "previous_response_id": None, "reasoning": {"effort": None, "summary": None},
        "store": False, "temperature": 1.0, "text": {"format": {"type": "text"}},
        "tool_choice": "auto", "tools": [], "top_p": 1.0, "truncation": "disabled", "usage": usage,
        "user": None,
    }  # fmt: skip


def _responses_output(scenario):
    output = []
    if scenario == "reasoning":
        summary = [{"type": "summary_text", "text": THOUGHT}]
        output.append({"id": "rs_1", "type": "reasoning", "summary": summary})
    if scenario != "calls":
        part = {"type": "output_text", "text": texts(scenario).get(0, ""), "annotations": []}
        output.append({"id": "msg_1", "type": "message", "role": "assistant",
                       "status": "completed", "content": [part]})  # fmt: skip
    if scenario in _CALLING:
        output.append({"id": "fc_1", "type": "function_call", "status": "completed",
                       "call_id": "call_1", "name": "price", "arguments": ARGUMENTS})  # fmt: skip
    return output


_RESPONSES_USAGE = {
    "input_tokens": 7, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 21,
    "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 28,
}  # fmt: skip


def _responses_item(index, item):
    at, begun = {"item_id": item["id"], "output_index": index}, {**item, "status": "in_progress"}
    part, place, more = None, None, {}
    if item["type"] == "message":
        kind, place, said, more = (
            "output_text",
            "content",
            item["content"][0]["text"],
            {"logprobs": []},
        )
        at, begun["content"] = {**at, "content_index": 0}, []
        part = {"type": "output_text", "text": "", "annotations": []}
    elif item["type"] == "function_call":
        kind, said, begun["arguments"] = "function_call_arguments", ARGUMENTS, ""
    else:
        kind, place, said = "reasoning_summary_text", "reasoning_summary", THOUGHT
        at, begun = {**at, "summary_index": 0}, {**item, "summary": []}
        part = {"type": "summary_text", "text": ""}
    yield "response.output_item.added", {"output_index": index, "item": begun}
    if part:
        yield f"response.{place}_part.added", {**at, "part": part}
    for piece in pieces(said):
        yield f"response.{kind}.delta", {**at, "delta": piece, **more}
    done = {"text": said, **more} if part else {"name": item["name"], "arguments": said}
    yield f"response.{kind}.done", {**at, **done}
    if part:
        yield f"response.{place}_part.done", {**at, "part": {**part, "text": said}}
    yield "response.output_item.done", {"output_index": index, "item": item}


def _responses(scenario):
    begun = _responses_body("in_progress", [])
    events = [("response.created", {"response": begun})]
    events.append(("response.in_progress", {"response": begun}))
    output = _responses_output(scenario)
    for index, item in enumerate(output):
        events += _responses_item(index, item)
    if scenario == "error":
        deltas = [n for n, (kind, _) in enumerate(events) if kind.endswith("text.delta")]
        events = events[: deltas[-1] + 1]
        events.append(("error", {"code": "server_error", "message": "overloaded", "param": None}))
    else:
        done = _responses_body("completed", output, _RESPONSES_USAGE)
        events.append(("response.completed", {"response": done}))
    return [
        _sse({"type": kind, "sequence_number": number, **event}, kind)
        for number, (kind, event) in enumerate(events)
    ]


def _responses_whole(scenario):
    return _responses_body("completed", _responses_output(scenario), _RESPONSES_USAGE)


# --- Anthropic Messages


def _message(content, stop_reason, usage):
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "mock-1",
        "content": content, "stop_reason": stop_reason, "stop_sequence": None, "usage": usage,
    }  # fmt: skip


def _blocks(scenario):
    blocks = []
    if scenario == "reasoning":
        blocks.append({"type": "thinking", "thinking": THOUGHT, "signature": "c2ln"})
    if scenario not in ("calls", "empty"):
        blocks.append({"type": "text", "text": texts(scenario)[0]})
    if scenario in _CALLING:
        blocks.append({"type": "tool_use", "id": "toolu_1", "name": "price",
                       "input": json.loads(ARGUMENTS)})  # fmt: skip
    return blocks


def _block_events(index, block):
    def event(kind, **more):
        return _sse({"type": kind, "index": index, **more}, kind)

    if block["type"] == "text":
        begun, deltas = {"type": "text", "text": ""}, [
            {"type": "text_delta", "text": piece} for piece in pieces(block["text"])
        ]  # fmt: skip
    elif block["type"] == "thinking":
        begun = {"type": "thinking", "thinking": "", "signature": ""}
        deltas = [{"type": "thinking_delta", "thinking": piece} for piece in pieces(THOUGHT)]
        deltas.append({"type": "signature_delta", "signature": "c2ln"})
    else:
        begun = {**block, "input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": p} for p in pieces(ARGUMENTS)]
    yield event("content_block_start", content_block=begun)
    yield from (event("content_block_delta", delta=delta) for delta in deltas)
    yield event("content_block_stop")


def _anthropic(scenario):
    begun = _message([], None, {"input_tokens": 7, "output_tokens": 1})
    made = [_sse({"type": "message_start", "message": begun}, "message_start")]
    made.append(_sse({"type": "ping"}, "ping"))
    for index, block in enumerate(_blocks(scenario)):
        made += _block_events(index, block)
    if scenario == "error":
        error = {"type": "overloaded_error", "message": "Overloaded"}
        return [*made[:-1], _sse({"type": "error", "error": error}, "error")]
    reason = "tool_use" if scenario in _CALLING else "end_turn"
    delta = {"stop_reason": reason, "stop_sequence": None}
    last = {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 21}}
    made.append(_sse(last, "message_delta"))
    return [*made, _sse({"type": "message_stop"}, "message_stop")]


def _anthropic_whole(scenario):
    reason = "tool_use" if scenario in _CALLING else "end_turn"
    return _message(_blocks(scenario), reason, {"input_tokens": 7, "output_tokens": 21})


# --- Gemini


def _candidate(*parts, index=0, finish=None, **more):
    candidate = {"content": {"parts": list(parts), "role": "model"}, "index": index}
    if finish:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "modelVersion": "mock-1", "responseId": "resp-1", **more}


_GEMINI_USAGE = {"promptTokenCount": 7, "candidatesTokenCount": 21, "totalTokenCount": 28}
_GEMINI_CALL = {"functionCall": {"name": "price", "args": json.loads(ARGUMENTS)}}


def gemini_responses(scenario):
    """Return the responses of a streamed answer as objects."""
    made = []
    if scenario == "reasoning":
        made += [_candidate({"text": piece, "thought": True}) for piece in pieces(THOUGHT)]
    for index, text in texts(scenario).items():
        made += [_candidate({"text": piece}, index=index) for piece in pieces(text)]
    if scenario == "error":
        return [*made, {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}]
    if scenario in _CALLING:
        made.append(_candidate(_GEMINI_CALL))
    for index in texts(scenario) or (0,):
        made.append(_candidate({"text": ""}, index=index, finish="STOP"))
        if scenario in ("text", "usage"):
            head = {"candidates": made[-1]["candidates"], "usageMetadata": _GEMINI_USAGE}
            made[-1] = {**head, **made[-1]}
    return made


def _gemini(scenario):
    return list(map(_sse, gemini_responses(scenario)))


def gemini_array(scenario="text"):
    """Return the pieces of a streamed answer that is a JSON array."""
    made = [json.dumps(each, indent=1).encode() for each in gemini_responses(scenario)]
    return [b"[" + made[0], *(b"\n,\r\n" + each for each in made[1:]), b"\n]\n"]


def _gemini_whole(scenario):
    candidates = []
    for index, text in (texts(scenario) or {0: ""}).items():
        parts = [{"text": text}] if text else []
        if scenario == "reasoning":
            parts.insert(0, {"text": THOUGHT, "thought": True})
        if scenario in _CALLING:
            parts.append(_GEMINI_CALL)
        content = {"parts": parts, "role": "model"}
        candidates.append({"content": content, "finishReason": "STOP", "index": index})
    head = {"modelVersion": "mock-1", "responseId": "resp-1", "usageMetadata": _GEMINI_USAGE}
    return {"candidates": candidates, **head}


# --- Cohere


def _cohere_content(index, kind, said):
    begun = {"message": {"content": {"type": kind, kind: ""}}}
    yield {"type": "content-start", "index": index, "delta": begun}
    for piece in pieces(said):
        delta = {"message": {"content": {kind: piece}}}
        yield {"type": "content-delta", "index": index, "delta": delta}
    yield {"type": "content-end", "index": index}


def _cohere_events(scenario):
    role = {"message": {"role": "assistant"}}
    yield {"id": "c1", "type": "message-start", "delta": role}
    if scenario == "reasoning":
        yield from _cohere_content(0, "thinking", THOUGHT)
    if texts(scenario):
        yield from _cohere_content(int(scenario == "reasoning"), "text", texts(scenario)[0])
    if scenario in _CALLING:
        call = {"id": "call_1", "type": "function", "function": {"name": "price", "arguments": ""}}
        begun = {"message": {"tool_calls": call}}
        yield {"type": "tool-call-start", "index": 0, "delta": begun}
        for piece in pieces(ARGUMENTS):
            delta = {"message": {"tool_calls": {"function": {"arguments": piece}}}}
            yield {"type": "tool-call-delta", "index": 0, "delta": delta}
        yield {"type": "tool-call-end", "index": 0}
    reason = "TOOL_CALL" if scenario in _CALLING else "COMPLETE"
    usage = {"tokens": {"input_tokens": 7, "output_tokens": 21}}
    yield {"type": "message-end", "id": "c1", "delta": {"finish_reason": reason, "usage": usage}}


def _cohere(scenario):
    return [*(_sse(each, each["type"]) for each in _cohere_events(scenario)), _sse("[DONE]")]


def _cohere_whole(scenario):
    content = [{"type": "text", "text": text} for text in texts(scenario).values()]
    if scenario == "reasoning":
        content.insert(0, {"type": "thinking", "thinking": THOUGHT})
    message = {"role": "assistant", "content": content}
    if scenario in _CALLING:
        message["tool_calls"] = [_CALL]
    usage = {"tokens": {"input_tokens": 7, "output_tokens": 21}}
    return {"id": "c1", "message": message, "finish_reason": "COMPLETE", "usage": usage}


# --- Ollama


def _line(frame, at=0):
    head = {"model": "mock-1", "created_at": f"2026-01-01T00:00:{at % 60:02d}.{at:06d}Z"}
    return json.dumps({**head, **frame}, separators=(",", ":")).encode() + b"\n"


_OLLAMA_CALL = {"function": {"name": "price", "arguments": json.loads(ARGUMENTS)}}
_FIGURES = {
    "done": True, "done_reason": "stop", "total_duration": 5_000_000, "load_duration": 1_000,
    "prompt_eval_count": 7, "prompt_eval_duration": 1_000, "eval_count": 21,
    "eval_duration": 4_000_000,
}  # fmt: skip


def _ollama_chat(scenario):
    def said(**message):
        return {"message": {"role": "assistant", "content": "", **message}, "done": False}

    made = []
    if scenario == "reasoning":
        made += [said(thinking=piece) for piece in pieces(THOUGHT)]
    made += [said(content=piece) for piece in pieces(texts(scenario).get(0, ""))]
    if scenario in _CALLING:
        made.append(said(tool_calls=[_OLLAMA_CALL]))
    return _ollama_lines(made, {"message": {"role": "assistant", "content": ""}}, scenario)


def _ollama_generate(scenario):
    made = [{"response": piece, "done": False} for piece in pieces(texts(scenario).get(0, ""))]
    return _ollama_lines(made, {"response": ""}, scenario, context=list(range(40)))


def _ollama_lines(made, last, scenario, **more):
    lines = [_line(frame, at) for at, frame in enumerate(made)]
    if scenario == "error":
        return [*lines, b'{"error":"the model stopped"}\n']
    return [*lines, _line({**last, **_FIGURES, **more}, len(lines))]


def _ollama_chat_whole(scenario):
    message = {"role": "assistant", "content": texts(scenario).get(0, "")}
    if scenario in _CALLING:
        message["tool_calls"] = [_OLLAMA_CALL]
    return {"model": "mock-1", "created_at": "2026-01-01T00:00:00Z", "message": message, **_FIGURES}


def _ollama_generate_whole(scenario):
    head = {"model": "mock-1", "created_at": "2026-01-01T00:00:00Z"}
    return {**head, "response": texts(scenario).get(0, ""), **_FIGURES}


# --- UI message stream


def _ui(scenario):
    parts = [{"type": "start", "messageId": "m1"}, {"type": "start-step"}]
    if scenario == "reasoning":
        parts.append({"type": "reasoning-start", "id": "r"})
        parts += [{"type": "reasoning-delta", "id": "r", "delta": p} for p in pieces(THOUGHT)]
        parts.append({"type": "reasoning-end", "id": "r"})
    if texts(scenario):
        parts.append({"type": "text-start", "id": "0"})
        parts += [{"type": "text-delta", "id": "0", "delta": p} for p in pieces(texts(scenario)[0])]
    if scenario == "error":
        return list(map(_sse, [*parts, {"type": "error", "errorText": "overloaded"}]))
    if texts(scenario):
        parts.append({"type": "text-end", "id": "0"})
    if scenario in _CALLING:
        call = {"toolCallId": "call_1"}
        parts.append({"type": "tool-input-start", **call, "toolName": "price"})
        parts += [{"type": "tool-input-delta", **call, "inputTextDelta": p}
                  for p in pieces(ARGUMENTS)]  # fmt: skip
        parts.append({"type": "tool-input-available", **call, "toolName": "price",
                      "input": json.loads(ARGUMENTS)})  # fmt: skip
        parts.append({"type": "tool-output-available", **call, "output": {"price": 10}})
    parts += [{"type": "finish-step"}, {"type": "finish"}]
    return [*map(_sse, parts), _sse("[DONE]")]


# --- text by hand


def _events(scenario):
    made = [_sse(piece) for piece in pieces(texts(scenario).get(0, ""))]
    if scenario == "error":
        return [*made, _sse("overloaded", "error")]
    return [*made, _sse("[DONE]")]


def _lines(scenario):
    said = pieces(texts(scenario).get(0, ""))
    return [json.dumps({"text": piece}).encode() + b"\n" for piece in said]


_STREAMS = {
    "chat": _chat, "completions": _completions, "responses": _responses, "anthropic": _anthropic,
    "gemini": _gemini, "cohere": _cohere, "ollama_chat": _ollama_chat,
    "ollama_generate": _ollama_generate, "ui": _ui, "events": _events, "lines": _lines,
}  # fmt: skip
_WHOLE = {
    "chat": _chat_whole, "completions": _completions_whole, "responses": _responses_whole,
    "anthropic": _anthropic_whole, "gemini": _gemini_whole, "cohere": _cohere_whole,
    "ollama_chat": _ollama_chat_whole, "ollama_generate": _ollama_generate_whole,
}  # fmt: skip
