// @ts-check
/**
 * The page's small parts.
 *
 * Whatever comes from a model, a document or a person is shown as text: nodes are made by `el`,
 * strings become text nodes, and nothing on this page parses markup; `render` shows Markdown.
 */

const MAX_SPOKEN = 30; // kept in the live region; guess: readers speak additions only
const NEAR_THE_END_PX = 120; // of the page, where a reader follows the answer; guess
const HAND_MS = 500; // from a key or a turn of the wheel to the end of its smooth scrolling; guess
const KEYS_BACK = new Set(["ArrowUp", "PageUp", "Home"]);

/** @param {string} id @returns {any} */
export const byId = (id) => document.getElementById(id);

/**
 * Make an element; strings among `children` become text, null and false are left out.
 * @param {string} name
 * @param {Record<string, any>} [attributes] `on…` are listeners; null, undefined and false are
 *   left out
 * @param {(Node | string | null | undefined | false)[]} children
 */
export function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child || child === "") node.append(child);
  }
  return node;
}

/** @param {string} words @param {(event: any) => void} onclick @param {any} [more] */
export const button = (words, onclick, more = {}) =>
  el("button", { type: "button", onclick, ...more }, words);

/** A source is a link only where it is an address on the web. @param {string | null} source */
export function sourceNode(source) {
  if (!source) return el("bdi", { class: "source" }, "no source named");
  const href = webAddress(source);
  if (!href) return el("bdi", { class: "source" }, source);
  const rel = "noopener noreferrer nofollow";
  return el("a", { class: "source", href, target: "_blank", rel }, source);
}

/** @param {string} text */
function webAddress(text) {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return null;
  return new URL(text).href;
}

/** Say `words` to a screen reader, without the signs of Markdown. @param {string} words */
export function speak(words) {
  const spoken = byId("spoken");
  const plain = words.replace(/[*_`#|>]+|^-{3,}$/gm, " ").replace(/ {2,}/g, " ").trim();
  if (/[\p{L}\p{N}]/u.test(plain)) spoken.append(el("p", {}, plain));
  while (spoken.children.length > MAX_SPOKEN) spoken.firstChild.remove();
}

let following = false;
let atEnd = true;

/** Notice where the reader is, and stay at the end while he is there; once per page. */
export function watchScrolling() {
  const page = document.documentElement;
  let before = scrollY;
  let height = page.scrollHeight;
  let moved = -Infinity; // when a hand last turned the page back
  const hands = () => moved = performance.now();
  addEventListener("wheel", ({ deltaY }) => { if (deltaY < 0) hands(); }, { passive: true });
  addEventListener("touchmove", hands, { passive: true });
  addEventListener("keydown", ({ key }) => { if (KEYS_BACK.has(key)) hands(); });
  addEventListener("pointerdown", ({ target }) => { if (target === page) hands(); }); // its bar
  addEventListener("scroll", () => {
    // Only who scrolls back leaves the end. What is taken out of the page moves it back as well,
    // and what is put in at once leaves it far from the end: no hand did that, and the page's
    // height is another one.
    const back = scrollY < before;
    const byHand = performance.now() - moved < HAND_MS || page.scrollHeight === height;
    if (page.scrollHeight - innerHeight - scrollY < NEAR_THE_END_PX) atEnd = true;
    else if (back && byHand) atEnd = false;
    before = scrollY;
    height = page.scrollHeight;
  }, { passive: true });
  new ResizeObserver(() => height = page.scrollHeight).observe(document.body);
}

/** Keep the newest line in view, unless the reader has scrolled away from it. */
export function follow() {
  if (following || !atEnd) return;
  following = true;
  // Once per frame: reading the page's height makes the browser lay it out.
  requestAnimationFrame(() => {
    following = false;
    if (atEnd) scrollTo({ top: document.documentElement.scrollHeight });
  });
}

/** Go to the newest line, and stay there. */
export function goToEnd() {
  atEnd = true;
  follow();
}

/** @param {number | null | undefined} figure */
export const shown = (figure) =>
  typeof figure === "number" ? String(Math.round(figure * 1000) / 1000) : "–";

/** @param {boolean | null | undefined} value */
export function yesOrNo(value) {
  if (value === true) return "yes";
  return value === false ? "no" : "–";
}
