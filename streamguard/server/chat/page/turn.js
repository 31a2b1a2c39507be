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

const ENDED = new Map([
  ["upstream_error", "The answer broke off."],
  ["client_disconnect", "The answer was stopped."],
  ["consumer_stopped", "The answer was stopped."],
  ["cancelled", "The answer was stopped."],
  ["limit", "The answer reached the server's limit."],
]);
// Reasons whose messages name figures: these are for developers.
const IN_PLAIN_WORDS = new Map([
  ["low_groundedness", "Much of this answer does not seem to come from the sources."],
]);
const MOST_SHOWN = 3; // of what was found; the rest is underlined in the answer; guess
// What is put behind a question whose answer is wrong on purpose; as in settings.py.
const SCRIPTED = " (faulty answer)";

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

/** A question as people read it. @param {string} question @returns {[string, boolean]} */
export const asAsked = (question) =>
  question.endsWith(SCRIPTED) ? [question.slice(0, -SCRIPTED.length), true] : [question, false];

/** Whether the answer, as it is shown, declines as a whole. @param {Turn} turn */
export const declines = (turn) => turn.replaced || resultOf(turn)?.refusal.extent === "whole";

/**
 * What the answer is warned of, as it stands in the answer, and how many of them are left out.
 * @param {Turn} turn @returns {{found: import("./streamguard.js").Finding[], more: number}}
 */
export function warningsOf(turn) {
  const { status, findings = [] } = resultOf(turn) ?? {};
  const silent = declines(turn) && status !== "REFUSE"; // it says so itself, and claims nothing
  const found = silent ? [] : findings.filter(
    (/** @type {import("./streamguard.js").Finding} */ it) =>
      it.severity === "warning" && it.message);
  const once = found.filter((/** @type {any} */ it, /** @type {number} */ at) =>
    found.findIndex((/** @type {any} */ other) => other.message === it.message) === at);
  return { found: once.slice(0, MOST_SHOWN), more: Math.max(0, once.length - MOST_SHOWN) };
}

/**
 * The verdict in one line, where no finding says it: its icon, its look, and its words. None
 * where the answer declines rightly: it says so itself.
 * @param {Turn} turn @returns {{icon: string, look: string, words: string} | null}
 */
export function verdictOf(turn) {
  const result = resultOf(turn);
  if (!result) return { icon: "minus", look: "none", words: "Not checked." };
  if (declines(turn) && result.status !== "REFUSE" && result.status !== "WARN") return null;
  const [first] = result.reasons;
  const words = IN_PLAIN_WORDS.get(first?.code) ?? first?.message;
  if (result.status === "REFUSE") return { icon: "stop", look: "refuse", words };
  if (result.status === "WARN") return { icon: "alert", look: "warn", words };
  const none = { icon: "minus", look: "none" };
  if (result.status === "PASS") {
    if (first?.code === "no_claims") return { ...none, words: "Nothing to check." };
    return { icon: "check", look: "pass", words: passWords(result) };
  }
  if (!result.text.code_points && first?.code === "nothing_to_check") {
    return { ...none, words: "The model gave no answer." };
  }
  if (first?.code === "no_context_given") {
    return { ...none, words: "Not checked: no passages were looked up." };
  }
  return { ...none, words: first?.message ?? "Not checked." };
}

/** What a PASS says, and no more: who looked, and that nothing spoke against it.
 * @param {any} result */
function passWords({ sentences }) {
  const claims = sentences.filter((/** @type {Sentence} */ it) => it.is_claim);
  const read = claims.filter((/** @type {any} */ it) =>
    (it.opinions ?? []).some((/** @type {any} */ one) => one.word));
  const nothing = "nothing contradicts the sources.";
  if (!read.length) return `Checked: ${nothing}`;
  if (read.length === claims.length) return `Checked, and read by a language model: ${nothing}`;
  return `Checked, ${read.length} of ${claims.length} statements read by a language model: ${nothing}`;
}

/** What else to know about the answer, in sentences. @param {Turn} turn @returns {string[]} */
export function remarksOn(turn) {
  const { refusal, complete, ended } = resultOf(turn) ?? {};
  return [
    complete === false && (ENDED.get(ended) ?? "The answer is not complete."),
    refusal?.extent === "partial" && "The answer declines a part of the question.",
  ].filter((words) => words !== false);
}
