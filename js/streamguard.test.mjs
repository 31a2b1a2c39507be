// Run with: node --test js/
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";

import {
  MAX_FRAME_CHARS, annotationOf, citationsIn, fetchAnnotation, flagged, flaggedNow, inUtf16,
  readFrames,
} from "./streamguard.js";

const bytes = (text) => new TextEncoder().encode(text);

function bodyOf(pieces) {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
}

async function framesOf(pieces, options) {
  const frames = [];
  for await (const frame of readFrames(bodyOf(pieces), options)) frames.push(frame);
  return frames;
}

function* everySplit(whole) {
  yield [whole];
  yield Array.from(whole, (byte) => Uint8Array.of(byte));
  for (const size of [2, 3, 7]) {
    const pieces = [];
    for (let at = 0; at < whole.length; at += size) {
      pieces.push(whole.subarray(at, at + size), new Uint8Array());
    }
    yield pieces;
  }
}

const frame = (data, event = "message", id = "") => ({ event, data, id });

const STREAMS = [
  ["one frame", "data: {}\n\n", [frame("{}")]],
  ["no space behind the colon", "data:x\n\n", [frame("x")]],
  ["a space that belongs to the data", "data:  x\n\n", [frame(" x")]],
  ["several lines of data", "data: a\ndata: b\n\n", [frame("a\nb")]],
  ["carriage returns with line feeds", "data: a\r\n\r\ndata: b\r\n\r\n", [frame("a"), frame("b")]],
  ["carriage returns alone", "data: a\r\rdata: b\r\r", [frame("a"), frame("b")]],
  ["mixed line ends", "data: a\r\n\ndata: b\n\r\n", [frame("a"), frame("b")]],
  ["names and ids", "event: e\nid: 7\ndata: a\n\ndata: b\n\n", [frame("a", "e", "7"), frame("b", "message", "7")]],
  ["comments and retry", ": ping\n\nretry: 5\ndata: a\n\n", [frame("a")]],
  ["a field without a colon", "data\n\n", [frame("")]],
  ["an event without data", "event: e\n\ndata: a\n\n", [frame("a")]],
  ["an id with a zero in it", "id: a\0b\ndata: a\n\n", [frame("a")]],
  ["a byte order mark", "\ufeffdata: a\n\n", [frame("a")]],
  ["a last frame without its blank line", "data: a\n\ndata: b", [frame("a"), frame("b")]],
  ["text beyond the BMP", "data: \u{1f6b2} é\n\n", [frame("\u{1f6b2} é")]],
  ["nothing at all", "", []],
];

for (const [name, text, expected] of STREAMS) {
  test(`frames are the same however they are cut: ${name}`, async () => {
    for (const pieces of everySplit(bytes(text))) {
      assert.deepEqual(await framesOf(pieces), expected);
    }
  });
}

const JSON_LINES = [
  ["two lines", '{"a":1}\n{"b":2}\n', [frame('{"a":1}'), frame('{"b":2}')]],
  ["carriage returns with line feeds", "{}\r\n[]\r\n", [frame("{}"), frame("[]")]],
  ["blank lines", "\n\n {} \n\r\n", [frame("{}")]],
  ["a last line without its end", "{}\n[1]", [frame("{}"), frame("[1]")]],
  ["text that looks like events", "data: {}\n", [frame("data: {}")]],
  ["text beyond the BMP", '"\u{1f6b2} é"\n', [frame('"\u{1f6b2} é"')]],
  ["nothing at all", "", []],
];

for (const [name, text, expected] of JSON_LINES) {
  test(`lines are the same however they are cut: ${name}`, async () => {
    for (const pieces of everySplit(bytes(text))) {
      assert.deepEqual(await framesOf(pieces, { lines: true }), expected);
    }
  });
}

test("a response's type says whether it is lines", async () => {
  for (const [type, data] of [
    ["application/x-ndjson", "data: {}"], ["application/jsonl; charset=utf-8", "data: {}"],
    ["text/event-stream", "{}"], ["application/json", "{}"],
  ]) {
    const response = new Response("data: {}\n", { headers: { "content-type": type } });
    assert.equal((await readFrames(response).next()).value.data, data);
  }
});

test("a line above the cap is refused", async () => {
  const piece = bytes("x".repeat(1024 * 1024));
  const said = { name: "RangeError", message: `a frame is longer than ${MAX_FRAME_CHARS} characters` };
  for (const end of ["", "\n"]) {
    const pieces = [...Array.from({ length: 16 }, () => piece), bytes(`x${end}`)];
    await assert.rejects(framesOf(pieces, { lines: true }), said);
  }
});

test("a frame above the cap is refused", async () => {
  const piece = bytes("x".repeat(1024 * 1024));
  const pieces = [bytes("data: "), ...Array.from({ length: 17 }, () => piece)];
  await assert.rejects(framesOf(pieces), new RangeError(`a frame is longer than ${MAX_FRAME_CHARS} characters`));
});

test("frames below the cap may add up to more than it", async () => {
  const piece = bytes(`data: ${"x".repeat(1024 * 1024)}\n\n`);
  assert.equal((await framesOf(Array.from({ length: 20 }, () => piece))).length, 20);
});

test("a consumer that stops cancels the body", async () => {
  let cancelled = false;
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(bytes("data: a\n\n")),
    cancel: () => { cancelled = true; },
  });
  for await (const { data } of readFrames(body)) {
    assert.equal(data, "a");
    break;
  }
  assert.equal(cancelled, true);
});

test("a body that breaks hands on its error", async () => {
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error("reset")) });
  await assert.rejects(readFrames(body).next(), { message: "reset" });
});

test("a response is read by its body, and one without a body is refused", async () => {
  const { value } = await readFrames(new Response("data: a\n\n")).next();
  assert.equal(value.data, "a");
  await assert.rejects(readFrames(new Response(null)).next(), TypeError);
});

const annotation = { object: "streamguard.result", id: "1", state: "complete", result: null };
const live = { object: "streamguard.sentence", id: "1", choice: 0, index: 0 };

const CARRIERS = [
  ["itself", annotation, annotation],
  ["a chat completions chunk", { choices: [{ index: 0, delta: {} }], streamguard: annotation }, annotation],
  ["a live chunk", { choices: [], streamguard: live }, live],
  ["a response's terminal event", { type: "response.completed", response: { streamguard: annotation } }, annotation],
  ["a message delta", { type: "message_delta", delta: {}, streamguard: annotation }, annotation],
  ["a UI message part", { type: "data-streamguard", data: annotation }, annotation],
  ["a finish part's metadata", { type: "finish", messageMetadata: { streamguard: annotation } }, annotation],
  ["a UI message", { role: "assistant", parts: [], metadata: { streamguard: annotation } }, annotation],
  ["a LangChain message", { response_metadata: { streamguard: annotation } }, annotation],
  ["an Ollama line", { model: "m", done: false, streamguard: annotation }, annotation],
  ["forged metadata", { messageMetadata: { streamguard: { ...annotation, id: "2" } } }, null],
  ["an ordinary chunk", { choices: [{ delta: { content: "streamguard" } }] }, null],
  ["somebody else's key", { streamguard: { object: "other" } }, null],
  ["a forged key", { streamguard: { ...annotation, id: "2" } }, null],
  ["a forged sentence", { streamguard: { ...live, id: "2" } }, null],
  ["a key without an id", { streamguard: { ...annotation, id: undefined } }, null],
  ["an id of another type", { streamguard: { ...annotation, id: 1 } }, null],
  ["a forged key beside ours", { ...annotation, id: "2", response: { streamguard: annotation } }, annotation],
  ["text", "streamguard.result", null],
  ["null", null, null],
  ["null in every place", { streamguard: null, response: null, data: null }, null],
];

for (const [name, value, expected] of CARRIERS) {
  test(`the annotation is found in ${name}`, () => {
    assert.equal(annotationOf(value, "1"), expected);
    for (const none of [null, ""]) assert.equal(annotationOf(value, none), null);
  });
}

test("an annotation is asked for by its id", () => {
  assert.throws(() => annotationOf({ streamguard: annotation }), { name: "TypeError" });
});

const finding = (flag, severity, start = 0, end = 1) =>
  ({ flag, severity, start, end, nearest: null, check: flag, value: null, message: null });
const sentence = (start, end, findings = []) => ({ start, end, findings, evidence: null });

test("sentences with a warning or an unsupported claim are flagged, others are not", () => {
  const findings = [
    finding("refusal_detected", "info"), finding("unsupported_claim", "info"),
    finding("potential_hallucination", "warning"), finding("uncited_claim", "info"),
  ];
  const sentences = [
    sentence(0, 4), sentence(5, 9, [0, 3]), sentence(10, 14, [1]), sentence(15, 19, [1, 2]),
  ];
  assert.deepEqual(flagged({ findings, sentences }), [
    { index: 2, start: 10, end: 14, severity: "info", findings: [findings[1]] },
    { index: 3, start: 15, end: 19, severity: "warning", findings: [findings[1], findings[2]] },
  ]);
});

test("a live sentence is flagged by the findings that came with it", () => {
  const findings = [finding("contradicted_claim", "warning")];
  const flag = flaggedNow({ ...live, index: 3, sentence: sentence(5, 9, [17]), findings });
  assert.deepEqual(flag, { index: 3, start: 5, end: 9, severity: "warning", findings });
  assert.equal(flaggedNow({ ...live, sentence: sentence(0, 4), findings: [] }), null);
});

test("spans in code points become spans in UTF-16 units, in answer and passages", () => {
  const text = "\u{1f6b2}a \u{1f6b2}b \ud800c";
  const nearest = { chunk_id: "C1", value: "x", start: 1, end: 2 };
  const result = {
    status: "PASS",
    findings: [{ ...finding("x", "info", 0, 1), nearest }, finding("y", "info", null, null)],
    sentences: [{ ...sentence(3, 5), evidence: { chunk_id: "C2", start: 0, end: 1 } }, sentence(6, 8)],
  };
  const passages = new Map([["C1", "\u{1f6b2}\u{1f6b2}"]]);
  const moved = inUtf16(result, text, passages);
  assert.equal(moved.status, "PASS");
  assert.deepEqual(moved.findings.map(({ start, end }) => [start, end]), [[0, 2], [null, null]]);
  assert.deepEqual(moved.findings[0].nearest, { ...nearest, start: 2, end: 4 });
  assert.deepEqual(moved.sentences.map(({ start, end }) => [start, end]), [[4, 7], [8, 10]]);
  assert.deepEqual(moved.sentences[0].evidence, { chunk_id: "C2", start: 0, end: 1 });
  assert.deepEqual(result.sentences[0].start, 3);
});

test("spans agree with the text they are cut from, for every span of a text", () => {
  const points = Array.from("a\u{1f6b2}\u{1f6b2}b\ud83dc\u{10ffff}");
  for (let start = 0; start <= points.length; start += 1) {
    for (let end = start; end <= points.length; end += 1) {
      const report = { ...live, sentence: sentence(start, end), findings: [] };
      const { sentence: moved } = inUtf16(report, points.join(""));
      assert.equal(points.join("").slice(moved.start, moved.end), points.slice(start, end).join(""));
    }
  }
});

const CITATIONS = [
  ["Fine [C1].", [["[C1]", "C1"]]],
  ["Fine [2] and 【C3】 and (c4).", [["[2]", "C2"], ["【C3】", "C3"], ["(c4)", "C4"]]],
  ["Both [C1, C3] or [C1-C2].", [["C1", "C1"], ["C3", "C3"], ["C1", "C1"], ["C2", "C2"]]],
  ["By name [handbook#2].", [["[handbook#2]", "handbook#2"]]],
  ["In [2024] and [0] and (2) and [see below] nothing.", []],
  // The passage is named, wherever the link leads: the span leaves its address out.
  ["A [C1](https://docs.example/a) link.", [["[C1]", "C1"]]],
  ["A [C1](javascript:alert(1)) link.", [["[C1]", "C1"]]],
  ["A [1](https://docs.example/a_(b)) link, not [handbook#2](b).", [["[1]", "C1"]]],
  ["Both [doc1] and [ID:1], [^3^].", [["[doc1]", "C1"], ["[ID:1]", "C2"], ["[^3^]", "C3"]]],
  ["It is【4:0†plans.md】, ##2$$.", [["【4:0†plans.md】", "C1"], ["##2$$", "C3"]]],
  ["Costs less<sup>2</sup> than that¹, in m² and 10<sup>6</sup>.", [["<sup>2</sup>", "C2"], ["¹", "C1"]]],
  ["So \ue200cite\ue202turn0file1\ue201.", [["\ue200cite\ue202turn0file1\ue201", "C2"]]],
  ["Code: `[C1]` and `a[2]`, but not ` [C3].", [["[C3]", "C3"]]],
  ["Both (C1, C2) or [1; 200].", [["C1", "C1"], ["C2", "C2"]]],
  ["[ C7 ]", [["[ C7 ]", "C7"]]],
  ["[[C1]]", [["[C1]", "C1"]]],
  ["[C1\n]", []],
];

for (const [text, expected] of CITATIONS) {
  test(`citations in ${JSON.stringify(text)}`, () => {
    const found = citationsIn(text, new Set(["handbook#2"]));
    assert.deepEqual(found.map(({ start, end, label }) => [text.slice(start, end), label]), expected);
  });
}

for (const shape of ["[", "[C1", "[C1,", "[C1, C1", "[1 - ", "(C", "【[", "[ \t"]) {
  test(`citations of a hostile text are found in linear time: ${JSON.stringify(shape)}`, () => {
    const took = (times) => {
      const text = shape.repeat(times);
      const before = performance.now();
      citationsIn(text);
      return performance.now() - before;
    };
    took(1_000);
    // 100 times the text may take 100 times as long; a square would take 10,000 times.
    assert.ok(took(100_000) < 2_000 * Math.max(0.5, took(1_000)));
  });
}

async function withServer(answer, use) {
  const server = createServer(answer);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await use(`http://127.0.0.1:${server.address().port}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test("the side channel gives the annotation, also while the answer streams", async () => {
  for (const status of [200, 202]) {
    const asked = [];
    const answer = ({ url, headers }, response) => {
      asked.push([url, headers.authorization]);
      response.writeHead(status).end(JSON.stringify(annotation));
    };
    const init = { headers: { Authorization: "Bearer t" } };
    const got = await withServer(answer, (base) => fetchAnnotation("a/b", { base, init }));
    assert.deepEqual(got, annotation);
    assert.deepEqual(asked, [["/streamguard/results/a%2Fb", "Bearer t"]]);
  }
});

test("the side channel has nothing of an unknown id, and says what else went wrong", async () => {
  const with404 = (_, response) => response.writeHead(404).end("{}");
  assert.equal(await withServer(with404, (base) => fetchAnnotation("1", { base })), null);
  const with401 = (_, response) => response.writeHead(401).end("{}");
  await assert.rejects(withServer(with401, (base) => fetchAnnotation("1", { base })), {
    message: "/streamguard/results/1 answered 401, expected 200 or 202",
  });
});
