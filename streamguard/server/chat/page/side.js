// @ts-check
/** What opens at the side: the passages of an answer, and the list of documents. */
import { byId, el, sourceNode } from "./dom.js";
import { blocksOf, elementOf } from "./render.js";
import { passagesOf } from "./turn.js";

/** @typedef {import("./turn.js").Passage} Passage */
/** @typedef {import("./turn.js").Turn} Turn */

/** Where the focus goes when the side closes. @type {HTMLElement | null} */
let openedFrom = null;

/**
 * Show the passages of a turn with one of them in view, and a span in it marked.
 * @param {Turn} turn @param {Passage} chosen
 * @param {{from: HTMLElement, span?: {start: number, end: number} | null}} how
 */
export function openPassage(turn, chosen, { from, span = null }) {
  const cards = passagesOf(turn).map((passage) => card(passage, passage === chosen, span));
  openSide(`Passages for question ${turn.number}`, cards, from);
  const head = byId("side-body").querySelector(".chosen h3");
  head.focus({ preventScroll: true });
  head.parentElement.scrollIntoView({ block: "nearest" });
}

/** Show a turn's passages beside its answer, without taking the focus.
 * @param {Turn} turn @param {HTMLElement} from */
export function showPassages(turn, from) {
  const cards = passagesOf(turn).map((passage) => card(passage, false, null));
  openSide(`Passages for question ${turn.number}`, cards, from);
}

/** @param {{source: string, chunks: number}[]} documents @param {HTMLElement} from
 * @param {boolean} enter whether the focus goes there */
export function openDocuments(documents, from, enter = true) {
  const rows = documents.map(({ source, chunks }) => {
    const count = chunks === 1 ? "1 passage" : `${chunks} passages`;
    return el("li", {}, sourceNode(source), el("span", { class: "faint" }, count));
  });
  openSide("Documents", [el("ul", { class: "documents" }, ...rows)], from);
  if (enter) byId("side-title").focus();
}

/** Close the side and give the focus back. */
export function closeSide() {
  if (byId("side").hidden) return;
  byId("side").hidden = true;
  document.body.classList.remove("with-side");
  if (openedFrom) expand(openedFrom, false);
  if (openedFrom?.isConnected) openedFrom.focus();
  openedFrom = null;
}

/** Say of what opens the side whether it is open. @param {HTMLElement} opener @param {boolean} is */
function expand(opener, is) {
  if (opener.hasAttribute("aria-expanded")) opener.setAttribute("aria-expanded", String(is));
}

/** @param {string} title @param {HTMLElement[]} parts @param {HTMLElement} from */
function openSide(title, parts, from) {
  if (openedFrom) expand(openedFrom, false);
  openedFrom = from;
  expand(from, true);
  byId("side-title").textContent = title;
  byId("side-body").replaceChildren(...parts);
  byId("side").hidden = false;
  document.body.classList.add("with-side");
}

/**
 * @param {Passage} passage @param {boolean} isChosen
 * @param {{start: number, end: number} | null} span
 */
function card(passage, isChosen, span) {
  const text = el("div", { class: "passage-text prose", dir: "auto" });
  const marked = isChosen ? span : null;
  for (const tree of blocksOf(passage.text)) {
    text.append(elementOf(tree, passage.text, (parent, shown, start, end) =>
      putMarked(parent, shown, { start, end }, marked)));
  }
  const label = el("span", { class: "tag" }, passage.label);
  const head = el("h3", { tabindex: "-1" }, label, " ", sourceNode(passage.source));
  return el("section", { class: isChosen ? "card chosen" : "card" }, head, text);
}

/**
 * Put text into `parent`, and what of it lies in `span` into a mark.
 * @param {HTMLElement} parent @param {string} shown @param {{start: number, end: number}} place
 * @param {{start: number, end: number} | null} span
 */
function putMarked(parent, shown, { start, end }, span) {
  const inside = (/** @type {number} */ at) => Math.max(0, Math.min(shown.length, at - start));
  const [from, upTo] = span ? [inside(span.start), inside(span.end)] : [0, 0];
  if (from >= upTo) {
    parent.append(shown);
    return;
  }
  parent.append(shown.slice(0, from), el("mark", {}, shown.slice(from, upTo)), shown.slice(upTo));
}
