// @ts-check
/** Charts of counts, each with a table of the same figures for whoever sees no picture. */
import { byId, el } from "./chat/dom.js";

/** @type {Map<string, any>} */
const drawn = new Map();
/** @typedef {{label: string, values: (number | null)[], colour: string}} Series */

/** Colours are said in the style sheet: ask for one as it is in this theme. @param {string} name */
function colour(name) {
  const probe = el("span", { hidden: true });
  document.body.append(probe);
  probe.style.color = `var(--${name})`;
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

/**
 * Draw bars or lines of several series over the same labels into the figure `id`.
 * @param {string} id @param {"bar" | "line"} type @param {string[]} labels
 * @param {Series[]} series @param {{stacked?: boolean, unit?: string}} [more]
 */
export function draw(id, type, labels, series, { stacked = false, unit = "" } = {}) {
  const figure = byId(id);
  const title = figure.querySelector("figcaption").textContent;
  drawn.get(id)?.destroy();
  figure.querySelectorAll(".canvas, details, p").forEach((/** @type {Element} */ it) => it.remove());
  if (!labels.length || !series.some(({ values }) => values.some((value) => value))) {
    figure.append(el("p", { class: "faint" }, "Nothing in this time."));
    return;
  }
  const canvas = el("canvas", { role: "img", "aria-label": `${title}; the figures are below` });
  figure.append(el("div", { class: "canvas" }, canvas), figures(labels, series, unit));
  const grid = { color: colour("line") };
  const ticks = { color: colour("ink-soft"), maxRotation: 0, autoSkip: true };
  const datasets = series.map(({ label, values, colour: name }) => ({
    label, data: values, backgroundColor: colour(name), borderColor: colour(name),
    borderWidth: type === "line" ? 2 : 0, pointRadius: labels.length > 60 ? 0 : 2, spanGaps: true,
  }));
  // @ts-ignore: Chart.js is a script of its own
  drawn.set(id, new Chart(canvas, {
    type,
    data: { labels, datasets },
    options: {
      animation: false,
      maintainAspectRatio: false,
      interaction: { mode: "index", intersect: false },
      scales: {
        x: { stacked, grid, ticks },
        y: { stacked, grid, ticks, beginAtZero: true, title: { display: !!unit, text: unit, color: colour("ink-soft") } },
      },
      plugins: { legend: { display: series.length > 1, labels: { color: colour("ink"), boxWidth: 12 } } },
    },
  }));
}

/** @param {string[]} labels @param {Series[]} series @param {string} unit */
function figures(labels, series, unit) {
  const heads = ["", ...series.map(({ label }) => label + (unit && ` (${unit})`))];
  const rows = labels.map((label, at) => [label, ...series.map(({ values }) => values[at] ?? "–")]);
  return el("details", {}, el("summary", {}, "Figures"),
    table(heads, rows, "Figures"));
}

/**
 * A table whose first column names its rows, in a region that scrolls where it is too wide.
 * @param {string[]} heads @param {(string | number | Node)[][]} rows @param {string} caption
 */
export function table(heads, rows, caption) {
  const cell = (/** @type {any} */ value, /** @type {number} */ at) => at === 0
    ? el("th", { scope: "row" }, shown(value))
    : el("td", { class: typeof value === "number" ? "figure" : null }, shown(value));
  const made = el("table", { class: "plain" },
    el("caption", { class: "unseen" }, caption),
    el("thead", {}, el("tr", {}, ...heads.map((head, at) => head
      ? el("th", { scope: "col", class: typeof rows[0]?.[at] === "number" ? "figure" : null }, head)
      : el("td", {})))),
    el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map(cell)))));
  return el("div", { class: "wide-table", tabindex: "0", role: "region", "aria-label": caption }, made);
}

/** @param {any} value */
const shown = (value) => typeof value === "number" ? value.toLocaleString("en") : value;
