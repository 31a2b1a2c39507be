// @ts-check
/** An answer with its verdict, to take away. */
import { el } from "./dom.js";
import {
  asAsked, inWords, messageOf, passagesOf, remarksOn, resultOf, shownText, verdictOf, warningsOf,
} from "./turn.js";

/** @typedef {import("./turn.js").Turn} Turn */

/** @param {string} text @param {HTMLElement} answered */
export async function copy(text, answered) {
  // No clipboard on a page that came over plain HTTP from another machine.
  const copied = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"));
  const done = await copied.then(() => true, () => false);
  answered.replaceChildren(done ? "Copied." : "The browser does not let this page copy.");
}

/** @param {string} name @param {string} content */
export function save(name, content) {
  const url = URL.createObjectURL(new Blob([content], { type: "text/plain;charset=utf-8" }));
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 0);
}

/** @param {Turn} turn */
export function asJson({ question, text, preset, replaced, retrieval, annotation }) {
  const record = { question, answer: text, replaced, preset, retrieval, annotation };
  return `${JSON.stringify(record, null, 2)}\n`;
}

/** @param {Turn} turn */
export function asMarkdown(turn) {
  const { reasons = [], findings = [] } = resultOf(turn) ?? {};
  const warned = warningsOf(turn).found.map((finding) => messageOf(turn, finding));
  const words = warned.length ? warned : [verdictOf(turn)?.words ?? "The answer declines."];
  const status = resultOf(turn)?.status;
  const passages = passagesOf(turn).map(({ label, source }) => `${label}: ${inert(source ?? "")}`);
  const list = (/** @type {string} */ title, /** @type {string[]} */ rows) =>
    rows.length ? ["", `## ${title}`, "", ...rows.map((row) => `- ${row}`)] : [];
  return [
    `# ${inert(asAsked(turn.question)[0])}`, "", inert(shownText(turn)), "",
    `**${[status, inert([...remarksOn(turn), ...words].join(" "))].filter(Boolean).join(": ")}**`,
    ...list("Why", reasons.map((/** @type {any} */ it) => inert(it.message))),
    ...list("Findings", findings.map((/** @type {any} */ it) =>
      `${inWords(it.flag)}: ${inert(messageOf(turn, it))}`)),
    ...(turn.replaced ? ["", "## The original answer", "", inert(turn.text)] : []),
    ...list("Passages", passages),
    "",
  ].join("\n");
}

/** Return text that Markdown shows as it is: no link, no heading, no list. @param {string} text */
export function inert(text) {
  return text
    .replace(/[\\`*_[\]<>|~&#!]/g, "\\$&")
    .replace(/^([ \t]{0,20})([-+=])/gm, "$1\\$2")
    .replace(/^([ \t]{0,20}\d{1,9})([.)])/gm, "$1\\$2");
}
