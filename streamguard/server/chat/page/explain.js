// @ts-check
/** What was read of an answer and where it was looked up, as `streamguard explain` tells it. */
import { asAsked, passageOf, passagesOf } from "./turn.js";

/** @typedef {import("./turn.js").Turn} Turn */
/** @typedef {{text: string, entries: {label: string, said: string, told: string}[]}} Told */

// The others are what checks and scorers say: the result has them, a judge's words included.
const LOOKED_UP = new Set(["value", "name", "cites", "nearest", "unread"]);

/**
 * Ask the server, and return rows: sentence, part, words, what was found. Null where it fails.
 * @param {Turn} turn @returns {Promise<string[][] | null>}
 */
export async function explained(turn) {
  const { retrieval } = turn;
  const body = JSON.stringify({
    answer: turn.text,
    question: retrieval?.searched_for ?? asAsked(turn.question)[0],
    passages: retrieval ? passagesOf(turn) : null,
    preset: turn.preset,
    citations_requested: !["insufficient", undefined, null].includes(retrieval?.confidence_level),
  });
  const headers = { "Content-Type": "application/json" };
  const response = await fetch("/api/explain", { method: "POST", headers, body }).catch(() => null);
  const told = response?.ok ? await response.json().catch(() => null) : null;
  return told && told.sentences.flatMap((/** @type {Told} */ sentence) => rowsOf(turn, sentence));
}

/** @param {Turn} turn @param {Told} sentence @returns {string[][]} */
function rowsOf(turn, { text, entries }) {
  const found = entries.filter(({ label }) => LOOKED_UP.has(label));
  return found.map(({ label, said, told }, at) => [at ? "" : text, label, said || "–",
    label === "cites" ? sourcesOf(turn, told) : told]);
}

/** The sources of passages by their ids, as people know them. @param {Turn} turn @param {string} ids */
const sourcesOf = (turn, ids) =>
  ids.split(", ").map((id) => passageOf(turn, id)?.source ?? id).join(", ");
