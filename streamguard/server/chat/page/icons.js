// @ts-check
/** The page's icons: drawn as SVG, so that they look alike on every system, and silent. */

const SVG = "http://www.w3.org/2000/svg";
const CIRCLE = "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13z";
/** Each as lines in a box of 16 by 16. @type {Record<string, string>} */
const LINES = {
  alert: "M8 1.8 14.9 14H1.1zM8 6.4v3.4M8 11.9v.1",
  stop: `${CIRCLE}M5.5 5.5l5 5M10.5 5.5l-5 5`,
  check: "M2.5 8.5 6 12l7.5-8",
  minus: `${CIRCLE}M5 8h6`,
  info: `${CIRCLE}M8 7.4v3.9M8 4.7v.1`,
  up: "M1.8 7.2h2.6v6.5H1.8zM4.4 7.4 7.4 1.6c1.2 0 1.8.8 1.6 1.9l-.5 2.7h4.1c1 0 1.6.8 1.4 1.7l-1 4.6"
    + "c-.2.7-.7 1.2-1.5 1.2H6.6l-2.2-.9",
  down: "M1.8 8.8h2.6V2.3H1.8zM4.4 8.6l3 5.8c1.2 0 1.8-.8 1.6-1.9l-.5-2.7h4.1c1 0 1.6-.8 1.4-1.7l-1-4.6"
    + "c-.2-.7-.7-1.2-1.5-1.2H6.6l-2.2.9",
};

/** @param {string} name one of `LINES` @param {string} [look] a class */
export function icon(name, look) {
  const drawn = document.createElementNS(SVG, "svg");
  const attributes = { viewBox: "0 0 16 16", class: `icon ${look ?? ""}`.trim(), "aria-hidden": "true" };
  for (const [key, value] of Object.entries(attributes)) drawn.setAttribute(key, value);
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", LINES[name]);
  drawn.append(path);
  return drawn;
}
