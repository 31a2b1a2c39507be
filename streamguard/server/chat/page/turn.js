// @ts-check
/** One question with its answer, and what is said about it in the words of a reader. */

/** @typedef {import("./streamguard.js").Flagged} Flagged */
/** @typedef {import("./streamguard.js").Sentence} Sentence */
/** @typedef {{id: string, label: string, source: string | null, text: string}} Passage */
/** @typedef {Sentence & {flag: Flagged | null}} Placed */
/**
 * `text` is the answer as it streamed, `sentences` those of it that have settled, `judged` what
 * a judge has said of them, `keys` what its parts were last drawn from, `drawing` the timer of the next time. `replaced`: the standard
 * refusal is shown instead. `failed`: what went wrong.
 * @typedef {{number: number, question: string, preset: string, text: string, retrieval: any,
 *   annotation: any, replaced: boolean, done: boolean, failed: string | null,
 *   sentences: Placed[], keys: string[], judged: any[], drawing: ReturnType<typeof setTimeout> | null,
 *   pause?: number, on_refuse?: string, nodes: {item: HTMLElement, article: HTMLElement, bubble: HTMLElement,
 *   badge: HTMLElement, answer: HTMLElement, judge: HTMLElement, below: HTMLElement}, concluded: HTMLElement[]}} Turn
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
const DECLINED = { icon: "–", look: "none", words: "The answer declines" };
const NOT_JUDGED = { icon: "○", look: "none", words: "Not judged: no passages were looked up" };
const NOT_READ = "Not judged: not all of the answer could be read";
const EMPTY = "The model gave no answer";

/** @param {string} flag */
export const inWords = (flag) => FLAG_WORDS.get(flag) ?? flag.replaceAll("_", " ");

/** @param {Turn} turn */
export const resultOf = (turn) => turn.annotation?.result ?? null;

/** @param {Turn} turn @returns {Passage[]} */
export const passagesOf = (turn) => turn.retrieval?.passages ?? [];

/** @param {Turn} turn @param {string} name a chunk id or a label */
export const passageOf = (turn, name) =>
  passagesOf(turn).find((passage) => passage.id === name || passage.label === name);

/** Where a flagged sentence stands: more than one element where it has words in bold, say.
 * @param {Turn} turn @param {number} index @returns {HTMLElement[]} */
export const spansOf = (turn, index) =>
  [...turn.nodes.answer.querySelectorAll(`[data-sentence="${index}"]`)].map(
    (node) => /** @type {HTMLElement} */ (node));

/**
 * A finding's message with the label of its passage, which the page's chips show, for the chunk's id.
 * @param {Turn} turn @param {import("./streamguard.js").Finding} finding
 */
export function messageOf(turn, { message, nearest }) {
  const passage = nearest && passageOf(turn, nearest.chunk_id);
  if (!message || !passage) return message ?? "";
  // Before the words that it quotes of the passage, or else behind the last value.
  const told = message.indexOf(` ${passage.id} has “`);
  const at = (told < 0 ? message.lastIndexOf(` ${passage.id}`) : told) + 1;
  const rest = message.slice(at + passage.id.length);
  return at && /^[ .,;:)]|^$/.test(rest) ? message.slice(0, at) + passage.label + rest : message;
}

/** What a person reads as the answer. @param {Turn} turn @returns {string} */
export const shownText = (turn) => (turn.replaced ? resultOf(turn).replacement : turn.text);

/**
 * The headline: the coverage status, and what it comes to in words. An answer that declines has
 * none: nothing in it could be right or wrong.
 * @param {Turn} turn
 */
export function headlineOf(turn) {
  const result = resultOf(turn);
  if (!result) return { ...NOT_JUDGED, status: null, words: "Not checked" };
  if (result.refusal.extent === "whole" && result.status !== "REFUSE") {
    return { ...DECLINED, status: null };
  }
  const code = result.reasons[0]?.code;
  if (!result.text.code_points && code === "nothing_to_check") {
    return { ...DECLINED, status: null, words: EMPTY };
  }
  if (!result.status && code === "unread") return { ...NOT_JUDGED, status: null, words: NOT_READ };
  const look = STATUS.get(result.status) ?? NOT_JUDGED;
  const nothing = ["no_claims", "nothing_to_check"].includes(code);
  const words = nothing && result.status !== "REFUSE" ? "Nothing to check" : look.words;
  return { ...look, status: result.status, words };
}
