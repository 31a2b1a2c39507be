// @ts-check
/** The banners below an answer. */
import { resultOf } from "./turn.js";

/** @typedef {import("./turn.js").Turn} Turn */

const CONTRADICTIONS = new Map([
  ["contradicted_claim", "Something in this response contradicts our documentation."],
  ["self_contradiction", "This response contradicts itself."],
]);

/** The result's banners; a contradiction has one of its own, it is no smaller fault.
 * @param {Turn} turn @returns {{flag: string, colour: string, text: string}[]} */
export function bannersOf(turn) {
  const { banners = [], flags = [], refusal, status } = resultOf(turn) ?? {};
  // Nothing in an answer that declines needs a document: its own badge says enough.
  if (refusal?.extent === "whole" && status !== "REFUSE") return [];
  const known = [...CONTRADICTIONS].filter(([flag]) => flags.includes(flag));
  return [...known.map(([flag, text]) => ({ flag, colour: "orange", text })), ...banners];
}
