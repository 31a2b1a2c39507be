// @ts-check
/**
 * Markdown as nodes of the page, where every letter knows its place in the source.
 *
 * The parser gives a syntax tree with offsets, no markup. What becomes an element is in `TAGS`;
 * everything else is text: raw HTML, images and the addresses of links are shown as they are
 * written, and nothing can be clicked.
 */
import { el } from "./dom.js";
import { parse } from "./markdown.js";

/** @typedef {{type: string, value?: string, depth?: number, ordered?: boolean, start?: number,
 *   url?: string, align?: (string | null)[], children?: Tree[],
 *   position: {start: {offset: number}, end: {offset: number}}}} Tree */
/**
 * Puts text on the page: `shown` is what stands in the source from `start` to `end`.
 * @typedef {(parent: HTMLElement, shown: string, start: number, end: number) => void} Put
 */

const TAGS = new Map([
  ["paragraph", "p"], ["blockquote", "blockquote"], ["listItem", "li"], ["emphasis", "em"],
  ["strong", "strong"], ["inlineCode", "code"], ["break", "br"],
]);
const MAX_DEPTH = 32; // of nested quotes and lists; deeper ones are shown as they are written; guess

// The parser's work grows with the square of these: 8 kB of list marks took it 13 s.
const NESTED = /^(?:[ \t]*(?:[-+*>]|\d{1,9}[.)])(?=[ \t>])){33}/m;
const MAX_BRACKETS = 1_000; // that open in one paragraph; guess

/** Return the parts that a text consists of, in order. @param {string} text @returns {Tree[]} */
export function blocksOf(text) {
  if (!NESTED.test(text) && text.split(/\n\s*\n/).every((it) => it.split("[").length <= MAX_BRACKETS)) {
    return parse(text).children;
  }
  return [{ type: "html", position: { start: { offset: 0 }, end: { offset: text.length } } }];
}

/** Return the span of a part. @param {Tree} tree */
export const spanOf = ({ position }) =>
  ({ start: position.start.offset, end: position.end.offset });

/** Return a part as an element. @param {Tree} tree @param {string} text @param {Put} put */
export function elementOf(tree, text, put) {
  const home = el("div");
  add(tree, { text, put, depth: 0 }, home);
  return /** @type {HTMLElement} */ (home.firstElementChild ?? home);
}

/** @typedef {{text: string, put: Put, depth: number}} How */

/** @param {Tree} tree @param {How} how @param {HTMLElement} parent */
function add(tree, how, parent) {
  const inside = { ...how, depth: how.depth + 1 };
  const tag = TAGS.get(tree.type);
  if (tree.type === "text") literally(tree.value ?? "", spanOf(tree), how, parent);
  else if (inside.depth > MAX_DEPTH) asWritten(tree, how, parent);
  else if (tree.type === "inlineCode") code(tree, how, parent, el("code"));
  else if (tree.type === "code") code(tree, how, parent, el("code"), el("pre", { tabindex: "0" }));
  else if (tree.type === "heading") fill(tree, inside, parent, heading(tree));
  else if (tree.type === "list") fill(tree, inside, parent, list(tree));
  else if (tree.type === "thematicBreak") parent.append(el("hr"));
  else if (tree.type === "table") table(tree, inside, parent);
  else if (tree.type === "link") link(tree, inside, parent);
  else if (tag) fill(tree, inside, parent, el(tag));
  else asWritten(tree, how, parent);
}

/** @param {Tree} tree @param {How} how @param {HTMLElement} parent @param {HTMLElement} node */
function fill(tree, how, parent, node) {
  parent.append(node);
  for (const child of tree.children ?? []) add(child, how, node);
}

/** Headings of an answer stand below its question's. @param {Tree} tree */
const heading = ({ depth = 1 }) => el(`h${Math.min(6, depth + 2)}`);

/** @param {Tree} tree */
const list = ({ ordered, start }) =>
  el(ordered ? "ol" : "ul", { start: ordered && start !== 1 ? start : null });

/** @param {Tree} tree @param {How} how @param {HTMLElement} parent */
function table(tree, how, parent) {
  const [head, ...rows] = tree.children ?? [];
  const row = (/** @type {Tree} */ it, /** @type {string} */ name) => {
    const line = el("tr");
    for (const cell of it.children ?? []) {
      fill(cell, how, line, el(name, { scope: name === "th" ? "col" : null }));
    }
    return line;
  };
  const whole = el("table", {}, el("thead", {}, row(head, "th")),
    el("tbody", {}, ...rows.map((it) => row(it, "td"))));
  parent.append(el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table" },
    whole));
}

/** Its words, and behind them where it leads. @param {Tree} tree @param {How} how
 * @param {HTMLElement} parent */
function link(tree, how, parent) {
  for (const child of tree.children ?? []) add(child, how, parent);
  const { start, end } = spanOf(tree);
  const last = tree.children?.at(-1);
  const from = last ? spanOf(last).end : start;
  const rest = how.text.slice(from, end); // "](address)", or ">" behind an address alone
  if (!rest.startsWith("](")) return;
  how.put(parent, ` ${rest.slice(1)}`, from, end);
}

/** @param {Tree} tree @param {How} how @param {HTMLElement} parent @param {HTMLElement} node
 * @param {HTMLElement} [around] */
function code(tree, how, parent, node, around) {
  const span = spanOf(tree);
  const written = how.text.slice(span.start, span.end);
  const value = tree.value ?? "";
  // Behind the fence and its name, or behind the back-ticks.
  const opens = around && written.includes("\n") ? written.indexOf("\n") : 0;
  const at = Math.max(0, written.indexOf(value.slice(0, 40), opens));
  literally(value, { start: span.start + at, end: span.end }, how, node);
  if (around) around.append(node);
  parent.append(around ?? node);
}

/** @param {Tree} tree @param {How} how @param {HTMLElement} parent */
function asWritten(tree, how, parent) {
  const span = spanOf(tree);
  // In a place for blocks it is a paragraph: raw HTML, a definition.
  const inPlace = parent.matches("p, h3, h4, h5, h6, em, strong, th, td") ? parent : el("p");
  literally(how.text.slice(span.start, span.end), span, how, inPlace);
  if (inPlace !== parent) parent.append(inPlace);
}

const ENTITY = /^&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,30});/i;
const LONGEST_ENTITY = 33;

/**
 * Put `shown` piece by piece where the source differs: escapes, entities, marks at a line's start.
 * @param {string} shown @param {{start: number, end: number}} span @param {How} how
 * @param {HTMLElement} parent
 */
function literally(shown, { start, end }, { text, put }, parent) {
  let at = start;
  for (let from = 0; from < shown.length;) {
    let length = 0;
    while (from + length < shown.length && at + length < end
      && shown[from + length] === text[at + length]) length += 1;
    if (length) put(parent, shown.slice(from, from + length), at, at + length);
    from += length;
    at += length;
    if (from >= shown.length) return;
    // Of an entity, its sign stands for all of it.
    const entity = ENTITY.exec(text.slice(at, Math.min(end, at + LONGEST_ENTITY)));
    const next = entity ? -1 : text.indexOf(shown[from], at);
    if (next < 0 || next >= end) {
      const sign = String.fromCodePoint(shown.codePointAt(from) ?? 0);
      const upTo = entity ? at + entity[0].length : end;
      put(parent, sign, at, upTo);
      from += sign.length;
      at = upTo;
    } else {
      at = next;
    }
  }
}
