// @ts-check
/** What a judge says of each sentence, with the words of the passages that it rests on. */
import { button, el } from "./dom.js";
import { openPassage } from "./side.js";
import { passageOf, resultOf } from "./turn.js";

/** @typedef {import("./turn.js").Turn} Turn */
/** @typedef {{start: number, end: number, verifier: string, word: string, message: string | null,
 *   quotations: {value: string | null, chunk_id: string, start: number, end: number}[]}} Said */

const WORDS = new Map([
  ["supported", "Supported"], ["contradicted", "Contradicted"], ["not_mentioned", "Not mentioned"],
]);

/** Note what the judge says of a sentence while the verdict is still to come, and show it.
 * @param {Turn} turn @param {Said} said */
export function hearJudge(turn, said) {
  turn.judged.push(said);
  showJudge(turn);
}

/** Show what the judge has said so far: of a final verdict all that stands in it.
 * @param {Turn} turn */
export function showJudge(turn) {
  const said = saidBy(turn);
  const heading = el("h3", { class: "faint" }, "What the judge says");
  const list = el("ul", { class: "findings" }, ...said.map((one) => saidNode(turn, one)));
  turn.nodes.judge.replaceChildren(...(said.length ? [heading, list] : []));
}

/** @param {Turn} turn @returns {Said[]} */
function saidBy(turn) {
  const isFinal = turn.annotation && turn.annotation.state !== "pending";
  const sentences = isFinal ? resultOf(turn)?.sentences ?? [] : [];
  const told = sentences.flatMap((/** @type {any} */ it) => (it.opinions ?? [])
    .filter((/** @type {any} */ one) => one.word)
    .map((/** @type {any} */ one) => ({ ...one, start: it.start, end: it.end })));
  const said = told.length ? told : turn.judged;
  return [...said].sort((one, other) => one.start - other.start);
}

/** @param {Turn} turn @param {Said} said */
function saidNode(turn, { start, end, verifier, word, message, quotations }) {
  const quotes = quotations.map((place) => quoteNode(turn, place));
  return el("li", { class: `finding judged ${word}` },
    el("strong", { title: verifier }, WORDS.get(word) ?? word), " ",
    el("q", { dir: "auto" }, turn.text.slice(start, end)),
    ...quotes, !quotes.length && message && el("p", {}, message));
}

/** @param {Turn} turn @param {Said["quotations"][0]} place */
function quoteNode(turn, place) {
  const passage = passageOf(turn, place.chunk_id);
  const open = () => passage && openPassage(turn, passage, { from: chip, span: place });
  const name = passage && `${passage.label}: open the passage with these words`;
  const chip = button(passage?.label ?? place.chunk_id, open, { class: "chip", "aria-label": name });
  return el("blockquote", { dir: "auto" }, place.value ?? "", " ", chip);
}
