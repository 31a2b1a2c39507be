// @ts-check
/**
 * Read streamguard's annotations in a browser or in Node, and find their spans in a page.
 *
 * An ES module without dependencies. Nothing in here writes to a document: what is found are
 * values, offsets and Ranges, and what is shown is up to the page.
 *
 * Spans are half-open. Annotations of the proxy and of the library count code points, JavaScript
 * and the DOM count UTF-16 units: pass the former through `inUtf16` first. The chat server sends
 * UTF-16 units already.
 * @module
 */

/**
 * @typedef {{value: string | null, chunk_id: string, start: number, end: number}} Nearest
 * @typedef {{flag: string, check: string, severity: "info" | "warning", start: number | null,
 *   end: number | null, value: string | null, nearest: Nearest | null,
 *   message: string | null,
 *   against?: {value: string | null, start: number, end: number} | null}} Finding
 * @typedef {{chunk_id: string, start: number, end: number, derivation: string | null,
 *   operands?: Nearest[]}} Evidence
 * @typedef {{start: number, end: number, is_claim: boolean, coverage: number | null,
 *   support: number | null, evidence: Evidence | null, cited_chunks: string[],
 *   findings: number[]}} Sentence
 * @typedef {Record<string, any> & {findings: Finding[], sentences: Sentence[]}} Result
 * @typedef {{object: "streamguard.result", id: string, state: string, result: Result | null,
 *   choices?: Result[]}} Annotation
 * @typedef {{object: "streamguard.sentence", id: string, choice: number, index: number,
 *   sentence: Sentence, findings: Finding[]}} SentenceAnnotation
 * @typedef {{event: string, data: string, id: string}} Frame
 *   One server-sent event; `event` is "message" where the server named none.
 * @typedef {{start: number, end: number}} Span
 * @typedef {{index: number, start: number, end: number, severity: "info" | "warning",
 *   findings: Finding[]}} Flagged
 */

/** Of an unfinished frame; guess: the result of the longest answer a server checks has 10 MB. */
export const MAX_FRAME_CHARS = 16 * 1024 * 1024;

const KEY = "streamguard";

const LINES = /^application\/(x-ndjson|ndjson|jsonl|x-jsonlines)\b/i;

/** Where an annotation may hang, beside the value itself. */
const OWNERS = ["response", "messageMetadata", "metadata", "response_metadata"];

/**
 * Yield the server-sent events of a fetch response or of its body, or its lines, as they arrive.
 *
 * However the bytes are cut, the same frames come out. A last frame that lacks only its blank line
 * is whole. Stopping early cancels the body. JSON lines are frames as well, named "message", each
 * line that is not blank the data of one.
 * @param {Response | ReadableStream<Uint8Array>} source
 * @param {{lines?: boolean}} [options]
 *   `lines`: whether it is JSON lines; by default a response's content type says so
 * @returns {AsyncGenerator<Frame, void, void>}
 * @throws {TypeError} for a response without a body
 * @throws {RangeError} for a frame longer than `MAX_FRAME_CHARS`
 */
export async function* readFrames(source, { lines = areLines(source) } = {}) {
  const body = "getReader" in source ? source : source.body;
  if (!body) throw new TypeError("the response has no body to read frames from");
  const reader = body.getReader();
  const bytes = new TextDecoder();
  const frames = lines ? lineReader() : frameReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      yield* frames.feed(done ? bytes.decode() : bytes.decode(value, { stream: true }));
      if (done) break;
    }
    yield* frames.close();
  } finally {
    // A consumer that stops pays for no more of the answer; a body that failed is over anyway.
    reader.cancel().catch(() => {});
  }
}

/**
 * Return the annotation that a value carries, or null.
 *
 * `value`: what JSON.parse made of a frame, or an SDK's object. Looked at are the key `streamguard`
 * of Chat Completions and Anthropic events, the same key inside `response` (Responses), inside
 * `messageMetadata` and `metadata` (UI messages and their `finish`) and `response_metadata`
 * (LangChain), the data of a UI message part, and the annotation itself.
 *
 * `id`: the response header `x-streamguard-id`. What bears another id is not returned: the model's
 * server may send a verdict of its own making in the same place, and its bytes are never changed.
 * The header is always the guard's; null, where there is none, gives null.
 * @param {any} value
 * @param {string | null} id
 * @returns {Annotation | SentenceAnnotation | null}
 * @throws {TypeError} without an id
 */
export function annotationOf(value, id) {
  if (id === undefined) {
    throw new TypeError("annotationOf needs the response header x-streamguard-id as its id");
  }
  if (!id || typeof value !== "object" || value === null) return null;
  const owned = OWNERS.map((name) => value[name]?.[KEY]);
  const places = [value, value[KEY], value.data, ...owned];
  const isOurs = (/** @type {any} */ it) =>
    (it?.object === `${KEY}.result` || it?.object === `${KEY}.sentence`) && it.id === id;
  return places.find(isOurs) ?? null;
}

/**
 * Fetch the annotation of an answer from the side channel; null where there is none of that id.
 *
 * `id` is the response header `x-streamguard-id`. While the answer streams, its `state` is
 * "pending".
 * @param {string} id
 * @param {{base?: string | URL, init?: RequestInit, fetch?: typeof fetch}} [options]
 *   `base`: the server, by default the page's own; `init`: headers, signal
 * @returns {Promise<Annotation | null>}
 * @throws {Error} for any answer but 200, 202 and 404
 */
export async function fetchAnnotation(id, { base = "", init, fetch = globalThis.fetch } = {}) {
  const path = `/${KEY}/results/${encodeURIComponent(id)}`;
  const response = await fetch(base ? new URL(path, base) : path, init);
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(`${path} answered ${response.status}, expected 200 or 202`);
  return response.json();
}

/**
 * Return the flagged sentences of a result: those that people should look at, in order.
 *
 * A sentence is flagged by a finding of severity warning or by `unsupported_claim`; `findings` are
 * all of its own. `severity` is that of its worst finding.
 * @param {Result} result
 * @returns {Flagged[]}
 */
export function flagged(result) {
  return result.sentences.flatMap((sentence, index) => {
    const findings = sentence.findings.map((position) => result.findings[position]);
    return flaggedSentence(index, sentence, findings) ?? [];
  });
}

/**
 * Return the sentence of a live annotation as `flagged` would, or null where it is not flagged.
 * @param {SentenceAnnotation} annotation
 * @returns {Flagged | null}
 */
export function flaggedNow(annotation) {
  return flaggedSentence(annotation.index, annotation.sentence, annotation.findings);
}

/**
 * Return a copy of a result or sentence annotation with its spans in UTF-16 units.
 *
 * `text` is the answer it is about. Spans inside passages are changed for the passages given, by
 * chunk id, and kept for others. Applied twice it counts twice: spans do not tell their unit.
 * @template {Result | SentenceAnnotation} T
 * @param {T} report
 * @param {string} text
 * @param {Map<string, string>} [passages]
 * @returns {T}
 */
export function inUtf16(report, text, passages = new Map()) {
  const unit = unitsOf(text);
  const ofPassage = new Map([...passages].map(([id, passage]) => [id, unitsOf(passage)]));
  const there = (/** @type {any} */ span) =>
    span && moved(span, ofPassage.get(span.chunk_id) ?? ((offset) => offset));
  /** @type {any} */
  const copy = { ...report };
  const evidence = (/** @type {any} */ it) =>
    it && there(it.operands ? { ...it, operands: it.operands.map(there) } : it);
  const sentence = (/** @type {Sentence} */ it) =>
    moved({ ...it, evidence: evidence(it.evidence) }, unit);
  copy.findings = report.findings.map((/** @type {any} */ it) => {
    const against = it.against ? { against: moved(it.against, unit) } : {};
    return moved({ ...it, ...against, nearest: there(it.nearest) }, unit);
  });
  if ("sentences" in copy) copy.sentences = copy.sentences.map(sentence);
  if ("sentence" in copy) copy.sentence = sentence(copy.sentence);
  return copy;
}

/**
 * Return a DOM Range for each span of the text that `root` shows, null for a span outside it.
 *
 * The text is `root.textContent`; spans count UTF-16 units, in any order. Walks the nodes once.
 * @param {Node} root
 * @param {Span[]} spans
 * @returns {(Range | null)[]}
 */
export function rangesIn(root, spans) {
  const page = root.ownerDocument ?? document;
  const { nodes, starts, length } = textNodes(root, page);
  return spans.map(({ start, end }) => {
    if (!nodes.length || !(start >= 0 && start <= end && end <= length)) return null;
    const range = page.createRange();
    const first = lastAtMost(starts, start);
    // An end on the seam of two nodes belongs to the earlier one: it ends there.
    const last = Math.max(first, lastAtMost(starts, end - 1));
    range.setStart(nodes[first], start - starts[first]);
    range.setEnd(nodes[last], end - starts[last]);
    return range;
  });
}

/**
 * Return the citations of a text: the span of each, and the label or chunk id it names.
 *
 * `[C2]`, `[2]`, `[doc2]`, `[^2]`, `[Source 2]`, `【C2】`, `(C2)`, `[2](https://…)`, `<sup>2</sup>` and `²`
 * name C2, and so do `[ID:1]`, `【4:1†file】` and OpenAI's private-use marks, which count from 0;
 * `[C1, C3]` gives one span per number, `[C1-C3]` one for each end. `ids` are the chunk ids that a
 * bracket may hold as they are. As in the guard, numbers without a C count from 1 to 99, and inline
 * code holds none. Of a link the span is that of the bracket.
 * @param {string} text
 * @param {ReadonlySet<string>} [ids]
 * @returns {(Span & {label: string})[]}
 */
export function citationsIn(text, ids = new Set()) {
  const found = [];
  const plain = text.replace(/`[^`\n]{1,200}`/g, (code) => " ".repeat(code.length));
  for (const tag of plain.matchAll(TAG)) {
    const { square, round, link } = /** @type {Record<string, string>} */ (tag.groups);
    const start = tag.index;
    const inner = square ?? round;
    if (inner === undefined) {
      if (tag[0].startsWith("s")) continue; // "data source 2" is none
      found.push(...placed(tag[0], start, ids));
      continue;
    }
    const end = start + inner.length + 2;
    const name = inner.trim();
    if (ids.has(name) && !link) found.push({ start, end, label: name });
    else if (INDEXED.test(tag[0])) found.push(...placed(tag[0].slice(0, end - start), start, ids));
    else found.push(...numbered(inner, { start, end }));
  }
  return found;
}

// What a tag may call a passage: "[Source 2]", "(see Document 3)", "[Source: C2]"; as in the guard.
const WORD =
  "(?:sources?|refs?\\.?|references?|passages?|documents?|docs?|chunks?|excerpts?" +
  "|cit(?:e|ed|ation|ations)|quellen?|dokument|fuentes?|fontes?|fonti)";
const CALLED = `(?:see )?${WORD}(?: ?[:#] ?| )`;
const SUPERSCRIPT = "(?<=\\p{L}{3} ?|[.,;:!?\"'%])(?<!inch|foot|feet|yard|mile|meter|metre|sin|cos|tan)";
const TAG = new RegExp(
  "[[【［](?<square>[^[\\]【】［］†\\n]{1,120})[\\]】］](?<link>\\((?:[^()\\s]|\\([^()\\s]{0,100}\\)){1,500}\\))?" +
    `|\\((?<round>(?:${CALLED}|(?:see )?C(?=\\d))[^()[\\]\\n]{1,120})\\)` +
    "|【\\d{1,4}:\\d{1,4}†[^【】\\n]{0,120}】|##\\d{1,4}\\$\\$" +
    "|\\ue200(?:file)?cite(?:\\ue202[^\\ue200-\\ue202\\n]{1,60}){1,20}\\ue201" +
    "|(?<![\\p{L}\\d])sources? \\d{1,2}(?:(?:, | and |, and )\\d{1,2}){0,9}(?![\\p{L}\\d_:%]|[.,:]\\d| %)" +
    `|${SUPERSCRIPT}(?:<sup>[[(]?\\d{1,3}(?:, ?\\d{1,3}){0,9}[\\])]?</sup>|[¹²³⁰⁴-⁹]{1,2}(?![\\p{L}\\d]))`,
  "giu",
);
const INDEXED = /^[[［]ID: ?\d/i;
// By the first sign of a mark: where its numbers are, and what the first one is.
const PLACES = /** @type {Record<string, [RegExp, number]>} */ ({
  "【": [/(?<=:)\d{1,4}(?=†)/g, 0],
  "#": [/\d{1,4}/g, 0],
  "[": [/\d{1,4}/g, 0],
  "［": [/\d{1,4}/g, 0],
  "\ue200": [/(?<=turn\d{1,3}[a-z]{2,16})\d{1,4}/g, 0],
  "<": [/\d{1,3}/g, 1],
  S: [/\d{1,2}/g, 1],
});
const NUMBER = `(?:${CALLED}|${WORD}[:_-]?)?C?\\d{1,6}`;
const NUMBERS = new RegExp(
  `^\\s?\\^?(?:see\\s)?(?<cited>${NUMBER}` +
    `(?:\\s{0,2}(?:[,;&–-]|\\/(?=c)|(?<=\\s)and(?=\\s))\\s{0,2}${NUMBER}){0,20})\\^?` +
    "(?:,?\\s(?:p|pp|page|pages)\\.?\\s?\\d{1,5}(?:[–-]\\d{1,5})?)?\\s?$",
  "i",
);
const NAMED = new RegExp(`${CALLED}|${WORD}[:_-]?(?=C?\\d)`, "gi");
const MAX_BARE = 99; // a larger number in brackets is a year or a figure; as in the guard
const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** @param {string} inner @param {Span} tag */
function numbered(inner, tag) {
  const cited = NUMBERS.exec(inner)?.groups?.cited;
  if (cited === undefined) return [];
  const marks = [...cited.matchAll(/C?(\d{1,6})/gi)];
  const figures = marks.some(([, digits]) => Number(digits) < 1 || Number(digits) > MAX_BARE);
  if (!/c/i.test(cited.replace(NAMED, "")) && figures) return [];
  const from = tag.start + 1 + inner.indexOf(cited);
  return marks.map((mark) => {
    const start = from + mark.index;
    const own = { start, end: start + mark[0].length };
    return { ...(marks.length === 1 ? tag : own), label: `C${Number(mark[1])}` };
  });
}

/** The passages of marks that are no brackets around numbers; many count from 0.
 * @param {string} mark @param {number} start @param {ReadonlySet<string>} ids
 */
function placed(mark, start, ids) {
  const end = start + mark.length;
  const file = /†(.+)】$/.exec(mark)?.[1].trim();
  if (file && ids.has(file)) return [{ start, end, label: file }];
  const plain = mark.replace(/[¹²³⁰⁴-⁹]/g, (sign) => String(SUPERSCRIPTS.indexOf(sign)));
  const [pattern, first] = PLACES[mark[0]] ?? [/\d{1,2}/g, 1];
  return [...plain.matchAll(pattern)].map(([digits]) => {
    return { start, end, label: `C${Number(digits) + 1 - first}` };
  });
}

/**
 * @param {number} index @param {Sentence} sentence @param {Finding[]} findings
 * @returns {Flagged | null}
 */
function flaggedSentence(index, { start, end }, findings) {
  const warns = findings.some((finding) => finding.severity === "warning");
  if (!warns && !findings.some((finding) => finding.flag === "unsupported_claim")) return null;
  return { index, start, end, severity: warns ? "warning" : "info", findings };
}

/** @param {any} span @param {(offset: number) => number} unit */
function moved(span, unit) {
  if (span.start === null || span.end === null) return span;
  return { ...span, start: unit(span.start), end: unit(span.end) };
}

/**
 * Return the function from offsets in code points to offsets in UTF-16 units of `text`.
 * @param {string} text @returns {(offset: number) => number}
 */
function unitsOf(text) {
  /** @type {number[]} Code point offsets of the characters that take two units. */
  const wide = [];
  for (const pair of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) {
    wide.push(pair.index - wide.length);
  }
  return (offset) => offset + lastAtMost(wide, offset - 1) + 1;
}

/** Return the last place of sorted `numbers` whose number is at most `bound`, else -1.
 * @param {number[]} numbers @param {number} bound */
function lastAtMost(numbers, bound) {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= bound) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** @param {Node} root @param {Document} page */
function textNodes(root, page) {
  const walker = page.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes = [];
  const starts = [];
  let length = 0;
  while (walker.nextNode()) {
    const node = /** @type {Text} */ (walker.currentNode);
    if (!node.length) continue;
    nodes.push(node);
    starts.push(length);
    length += node.length;
  }
  return { nodes, starts, length };
}

/** @param {Response | ReadableStream<Uint8Array>} source */
function areLines(source) {
  return "headers" in source && LINES.test(source.headers.get("content-type") ?? "");
}

/** @param {number} size */
function checkSize(size) {
  if (size > MAX_FRAME_CHARS) {
    throw new RangeError(`a frame is longer than ${MAX_FRAME_CHARS} characters`);
  }
}

/** Lines that end in \n or \r\n; blank ones are none. */
function lineReader() {
  let line = "";

  /** @returns {Frame | null} */
  function finish() {
    const data = line.trim();
    line = "";
    return data ? { event: "message", data, id: "" } : null;
  }

  return {
    /** @param {string} piece */
    *feed(piece) {
      let from = 0;
      for (let end = piece.indexOf("\n"); end >= 0; end = piece.indexOf("\n", from)) {
        line += piece.slice(from, end);
        from = end + 1;
        checkSize(line.length);
        const frame = finish();
        if (frame) yield frame;
      }
      line += piece.slice(from);
      checkSize(line.length);
    },
    *close() {
      const frame = finish();
      if (frame) yield frame;
    },
  };
}

/** The event stream grammar: lines that end in \r\n, \n or \r, an empty one ends the frame. */
function frameReader() {
  let line = "";
  let skipLf = false; // The piece before ended in "\r": a "\n" that follows belongs to it.
  let size = 0;
  let event = "";
  let id = "";
  /** @type {string[]} */
  let data = [];

  /** @returns {Frame | null} */
  function finish() {
    const frame = data.length ? { event: event || "message", data: data.join("\n"), id } : null;
    [event, data, size] = ["", [], 0];
    return frame;
  }

  /** @param {string} whole */
  function take(whole) {
    const colon = whole.indexOf(":");
    const name = colon < 0 ? whole : whole.slice(0, colon);
    const value = colon < 0 ? "" : whole.slice(colon + (whole[colon + 1] === " " ? 2 : 1));
    if (name === "data") data.push(value);
    else if (name === "event") event = value;
    else if (name === "id" && !value.includes("\0")) id = value;
  }

  /** @param {number} more */
  function grow(more) {
    size += more;
    checkSize(size);
  }

  return {
    /** @param {string} piece */
    *feed(piece) {
      let from = skipLf && piece[0] === "\n" ? 1 : 0;
      if (piece) skipLf = false;
      for (const end of piece.matchAll(/\r\n|\n|\r/g)) {
        if (end.index < from) continue;
        const whole = line + piece.slice(from, end.index);
        grow(end.index - from);
        line = "";
        from = end.index + end[0].length;
        skipLf = end[0] === "\r" && from === piece.length;
        if (whole) take(whole);
        else {
          const frame = finish();
          if (frame) yield frame;
        }
      }
      grow(piece.length - from);
      line += piece.slice(from);
    },
    *close() {
      if (line) take(line);
      const frame = finish();
      if (frame) yield frame;
    },
  };
}
