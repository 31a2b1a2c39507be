// @ts-check
/** A verdict that a slower reader was still at work on when the page was loaded anew. */

/** @typedef {import("./turn.js").Turn} Turn */

const EVERY_MS = 1_000;
const MOST_TIMES = 120; // readers have their own bound, below that

/**
 * Ask the server until the verdict is there; null where it has none.
 * @param {Turn} turn
 */
export async function laterAnnotation(turn) {
  for (let times = 0; times < MOST_TIMES; times++) {
    const url = `/streamguard/results/${encodeURIComponent(turn.annotation.id)}`;
    const response = await fetch(url).catch(() => null);
    if (!response?.ok) return null;
    const later = response.status === 200 ? await response.json() : null;
    if (later?.result && later.state !== "pending") return withWords(turn, later);
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
  return null;
}

/**
 * The server keeps no words, and counts code points: both are as they were shown before.
 * @param {Turn} turn @param {any} later
 */
function withWords(turn, later) {
  const before = turn.annotation.result;
  const characters = [...turn.text];
  const units = (/** @type {number | null} */ at) =>
    at === null ? null : characters.slice(0, at).join("").length;
  const placed = (/** @type {any} */ it) => ({ ...it, start: units(it.start), end: units(it.end) });
  const findings = later.result.findings.map(placed).map((/** @type {any} */ it) => {
    const known = before.findings.find((/** @type {any} */ old) =>
      old.check === it.check && old.start === it.start && old.end === it.end);
    return { ...it, ...(known && { ...known, severity: it.severity }) };
  });
  const sentences = later.result.sentences.map(placed).map(
    (/** @type {any} */ it, /** @type {number} */ index) =>
      ({ ...it, evidence: before.sentences[index]?.evidence ?? null }));
  return { ...later, result: { ...later.result, findings, sentences } };
}
