// @ts-check
/** One question with its answer, and what is said about it in the words of a reader. */

/** @typedef {import("./streamguard.js").Flagged} Flagged */
/** @typedef {import("./streamguard.js").Sentence} Sentence */
/** @typedef {{id: string, label: string, source: string | null, text: string}} Passage */
/** @typedef {{start: number, end: number, key: string, node: HTMLElement}} Placed */
/**
 * `text` is the answer as it streamed; `settled` is how far, in UTF-16 units, it is shown as
 * sentences, the rest is `tail`. `replaced`: the standard refusal is shown instead.
 * @typedef {{number: number, question: string, preset: string, text: string, retrieval: any,
 *   annotation: any, replaced: boolean, done: boolean, settled: number, tail: Text,
 *   sentences: Placed[], nodes: {item: HTMLElement, article: HTMLElement, bubble: HTMLElement,
 *   badge: HTMLElement, answer: HTMLElement, below: HTMLElement}, concluded: HTMLElement[]}} Turn
 */

const FLAG_WORDS = new Map([
  ["no_context_warning", "Nothing was retrieved"],
  ["refusal_detected", "The answer declines"],
  ["potential_hallucination", "Could not be verified"],
  ["unsupported_claim", "Not supported by the passages"],
  ["contradicted_claim", "Contradicts the passages"],
  ["self_contradiction", "Contradicts itself"],
  ["temporal_inconsistency", "Dates do not fit together"],
  ["citation_unknown", "Cites a passage that is not there"],
  ["citation_mismatch", "Cites the wrong passage"],
  ["uncited_claim", "Names no source"],
  ["quote_altered", "Quotes differently"],
  ["check_error", "A check failed"],
  ["limit_reached", "A limit was reached"],
]);

const STATUS = new Map([
  ["PASS", { icon: "✓", look: "pass", words: "Supported by the documents" }],
  ["WARN", { icon: "!", look: "warn", words: "Read with care" }],
  ["REFUSE", { icon: "✕", look: "refuse", words: "Not supported by the documents" }],
]);
const NOT_JUDGED = { icon: "○", look: "none", words: "Not judged: no passages were looked up" };

/** @param {string} flag */
export const inWords = (flag) => FLAG_WORDS.get(flag) ?? flag.replaceAll("_", " ");

/** @param {Turn} turn */
export const resultOf = (turn) => turn.annotation?.result ?? null;

/** @param {Turn} turn @returns {Passage[]} */
export const passagesOf = (turn) => turn.retrieval?.passages ?? [];

/** @param {Turn} turn @param {string} name a chunk id or a label */
export const passageOf = (turn, name) =>
  passagesOf(turn).find((passage) => passage.id === name || passage.label === name);

/**
 * A finding's message with the label of its passage, which the page's chips show, for the chunk's id.
 * @param {Turn} turn @param {import("./streamguard.js").Finding} finding
 */
export function messageOf(turn, { message, nearest }) {
  const passage = nearest && passageOf(turn, nearest.chunk_id);
  if (!message || !passage) return message ?? "";
  // The last place: the id stands behind the values that the message quotes.
  const at = message.lastIndexOf(` ${passage.id}`) + 1;
  const rest = message.slice(at + passage.id.length);
  return at && /^[ .,;:)]|^$/.test(rest) ? message.slice(0, at) + passage.label + rest : message;
}

/** What a person reads as the answer. @param {Turn} turn @returns {string} */
export const shownText = (turn) => (turn.replaced ? resultOf(turn).replacement : turn.text);

/** The headline: the coverage status, and what it comes to in words. @param {Turn} turn */
export function headlineOf(turn) {
  const result = resultOf(turn);
  const status = result?.status ?? null;
  const look = STATUS.get(status) ?? NOT_JUDGED;
  return { ...look, status, words: result ? wordsFor(result, look.words) : "Not checked" };
}

/** @param {any} result @param {string} usual */
function wordsFor({ refusal, reasons, status }, usual) {
  if (status === "REFUSE") return usual;
  if (refusal.extent === "whole") return "The answer declines";
  const nothing = ["no_claims", "nothing_to_check"].includes(reasons[0]?.code);
  return nothing ? "Nothing to check" : usual;
}
