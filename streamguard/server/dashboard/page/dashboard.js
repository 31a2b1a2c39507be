// @ts-check
/** The dashboard: one question to the server for each view, asked again when the scope changes. */
import { byId, button, el } from "./chat/dom.js";
import { draw, table } from "./charts.js";
import { showResult } from "./result.js";

const DAY_MS = 86_400_000;
const COLOURS = ["accent", "warn", "bad", "good", "ink-soft", "line-strong"];
const CITATIONS = ["citation_unknown", "citation_mismatch", "uncited_claim"];
const HOLES = { refused: "refused", unsupported: "without support", low_confidence: "low confidence" };
let token = "";
/** @type {Record<string, any>} */
let narrowed = {};
let asked = 0;

/** Ask for a view; what is no answer is said on the page. @param {string} name @param {any} [more] */
async function ask(name, more = {}) {
  const query = new URLSearchParams({ ...scope(), ...more });
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const path = name.includes("/") ? name : `${name}?${query}`;
  const response = await fetch(`/dashboard/api/${path}`, { headers });
  const found = await response.json();
  if (response.ok) return found;
  byId("entry").hidden = response.status !== 401;
  throw new Error(found.error.message);
}

/** @returns {Record<string, string>} */
function scope() {
  const chosen = new FormData(byId("scope"));
  return Object.fromEntries([...chosen].filter(([, value]) => value).map(([k, v]) => [k, String(v)]));
}

async function refresh() {
  const number = ++asked;
  byId("said").replaceChildren("Loading.");
  try {
    const names = ["summary", "areas", "values", "feedback"];
    const [summary, areas, values, feedback] = await Promise.all(names.map((name) => ask(name)));
    if (number !== asked) return; // a later choice is on its way
    showSummary(summary);
    showAreas(areas.areas);
    showChecks(summary, values.values);
    showFeedback(feedback);
    await list({});
    byId("entry").hidden = true;
    byId("said").replaceChildren();
    document.body.dataset.shown = String(number);
  } catch (error) {
    byId("said").replaceChildren(/** @type {Error} */ (error).message);
  }
}

// ---------------------------------------------------------------- summary

/** Counts of one kind, by name. @param {[number, string, number][]} rows */
function totals(rows) {
  /** @type {Record<string, number>} */
  const found = {};
  for (const [, name, count] of rows) found[name] = (found[name] ?? 0) + count;
  return found;
}

/** @param {any} summary */
function showSummary(summary) {
  const { days, first_day: first, bounds_ms: bounds, parts } = summary;
  const statuses = totals(days.status);
  const all = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  const share = (/** @type {number} */ count) => (all ? `${(100 * count / all).toFixed(1)} %` : "–");
  byId("tiles").replaceChildren(...[
    ["Answers", all.toLocaleString("en")],
    ...["PASS", "WARN", "REFUSE"].map((name) => [name, share(statuses[name] ?? 0)]),
    ["Not checked", share(statuses.none ?? 0)],
  ].map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", { class: name }, value))));

  const today = Math.floor(Date.now() / DAY_MS);
  const begin = Math.max(first, Math.min(today, ...days.status.map((/** @type {any} */ row) => row[0])));
  const span = Array.from({ length: today - begin + 1 }, (_, at) => begin + at);
  const labels = span.map((day) => new Date(day * DAY_MS).toISOString().slice(0, 10));
  const byDay = (/** @type {any[]} */ rows, /** @type {string} */ name) => {
    const counts = new Map(rows.filter((row) => row[1] === name).map(([day, , count]) => [day, count]));
    return span.map((day) => counts.get(day) ?? 0);
  };
  const series = (/** @type {any[]} */ rows, /** @type {string[]} */ names, colours = COLOURS) =>
    names.map((label, at) => ({ label, values: byDay(rows, label), colour: colours[at % colours.length] }));

  draw("status-days", "bar", labels, series(days.status, ["PASS", "WARN", "REFUSE", "none"], ["good", "warn", "bad", "line-strong"]), { stacked: true });
  const flags = totals(days.flag);
  const most = Object.keys(flags).sort((a, b) => flags[b] - flags[a]).slice(0, COLOURS.length);
  draw("flag-days", "line", labels, series(days.flag, most));
  draw("citations", "line", labels, series(days.flag, CITATIONS));
  const levels = totals(days.level);
  const order = ["high", "medium", "low", "insufficient", "none"];
  draw("levels", "bar", order, [{ label: "answers", values: order.map((name) => levels[name] ?? 0), colour: "accent" }]);
  const tenths = Array.from({ length: 10 }, (_, at) => `0.${at}`);
  draw("groundedness", "bar", tenths, [["groundedness", "accent"], ["doubt", "warn"]].map(([kind, colour]) => {
    const counts = totals(days[kind]);
    return { label: kind, values: tenths.map((name) => counts[name] ?? 0), colour };
  }));
  draw("added-days", "line", labels, [{
    label: "95th percentile", colour: "accent",
    values: span.map((day) => percentile(days.added_ms.filter((/** @type {any} */ row) => row[0] === day), bounds)),
  }], { unit: "ms" });
  showRefusals(totals(days.refusal));
  showParts(parts);
}

/** @param {any[]} rows @param {number[]} bounds */
function percentile(rows, bounds) {
  const counts = totals(rows);
  const measured = Object.entries(counts).reduce((sum, [name, n]) => sum + (name === "none" ? 0 : n), 0);
  let below = 0;
  for (const bound of measured ? bounds : []) {
    below += counts[String(bound)] ?? 0;
    if (below >= 0.95 * measured) return bound;
  }
  return measured ? bounds[bounds.length - 1] : null;
}

/** @param {Record<string, number>} kinds */
function showRefusals(kinds) {
  const count = (/** @type {string} */ kind) => kinds[kind] ?? 0;
  byId("refusal-table").replaceChildren(table(
    ["", "Passages hold an answer", "Passages hold none"],
    [["Answered", count("none"), count("missing_refusal")],
      ["Refused", count("over_refusal"), count("expected")]],
    "Answers that refuse and answers that do not, by whether the passages hold an answer",
  ));
}

/** @param {Record<string, any[]>} parts */
function showParts(parts) {
  byId("part-tables").replaceChildren(...Object.entries(parts).map(([part, rows]) => {
    /** @type {HTMLSelectElement} */
    const select = byId("scope").elements[part];
    const known = new Set([...select.options].map((option) => option.value));
    for (const { name } of rows) {
      if (name && !known.has(name)) select.append(el("option", { value: name }, name));
    }
    const figures = rows.map(({ name, statuses, added_ms: added }) => [
      name || "not named",
      ...["PASS", "WARN", "REFUSE"].map((status) => statuses[status] ?? 0),
      added === "more" ? "over 5 s" : added === null ? "–" : `${added} ms`,
    ]);
    const heads = [part, "PASS", "WARN", "REFUSE", "Added time (p95)"];
    return el("div", {}, el("h3", {}, `By ${part}`), table(heads, figures, `Answers by ${part}`));
  }));
}

// ---------------------------------------------------------------- areas, checks, feedback

/** @param {any[]} areas */
function showAreas(areas) {
  const cards = areas.map((area) => {
    const why = Object.entries(HOLES).filter(([hole]) => area.holes[hole]);
    const examples = area.examples.map((/** @type {any} */ it) => el("li", {}, link(it.question || it.keywords, () => open(it.id))));
    return el("li", {},
      el("h3", {}, [area.keyword, ...area.with].join(", ")),
      el("p", { class: "faint" }, why.map(([hole, words]) => `${area.holes[hole]} ${words}`).join(", ")),
      el("ul", {}, ...examples),
      link("All of them", () => list({ keyword: area.keyword }, `about “${area.keyword}”`)));
  });
  byId("area-list").replaceChildren(...(cards.length ? cards : [el("li", {}, "None in this time.")]));
}

/** @param {any} summary @param {any[]} values */
function showChecks({ days }, values) {
  const warned = totals(days.warning);
  const told = totals(days.info);
  const names = [...new Set([...Object.keys(warned), ...Object.keys(told)])];
  names.sort((a, b) => (warned[b] ?? 0) - (warned[a] ?? 0) || (told[b] ?? 0) - (told[a] ?? 0));
  const filter = (/** @type {any} */ by, /** @type {string} */ words) => link(words, () => list(by, `with ${words}`));
  byId("check-table").replaceChildren(table(["Check", "Warnings", "Told quietly"],
    names.map((check) => [filter({ check }, check), warned[check] ?? 0, told[check] ?? 0]),
    "Findings by check"));
  byId("value-table").replaceChildren(values.length
    ? table(["Value or name", "Check", "Times"],
      values.map(({ check, value, count }) => [filter({ check, value }, value), check, count]),
      "Values and names that were warned of")
    : el("p", { class: "faint" }, "None, or no text is stored."));
}

/** @param {any} feedback */
function showFeedback({ labels, checks, statuses }) {
  const said = Object.entries(labels).map(([label, count]) => `${count} ${label.replaceAll("_", " ")}`);
  byId("marks").replaceChildren(said.length ? `Marks: ${said.join(", ")}.` : "No feedback in this time.");
  const percent = (/** @type {number} */ a, /** @type {number} */ b) => `${Math.round(100 * a / (a + b))} %`;
  const rows = checks.map((/** @type {any} */ { check, wrong, right }) => [check, wrong, right, percent(wrong, right)]);
  for (const status of ["PASS", "WARN", "REFUSE"]) {
    const of = (/** @type {string} */ label) => statuses
      .filter((/** @type {any} */ it) => it.status === status && it.said === label)
      .reduce((/** @type {number} */ sum, /** @type {any} */ it) => sum + it.count, 0);
    const [wrong, right] = [of("down"), of("up")];
    if (wrong + right) {
      const agreed = status === "PASS" ? percent(right, wrong) : percent(wrong, right);
      rows.push([`answers with ${status}`, wrong, right, agreed]);
    }
  }
  byId("agreement-table").replaceChildren(
    rows.length ? table(["Check", "Wrong indeed", "Right after all", "Agreement"], rows, "Agreement by check") : "");
}

// ---------------------------------------------------------------- results

/** @param {string} words @param {() => void} onclick */
const link = (words, onclick) => button(words, onclick, { class: "link" });

/** List results; `words` say which. @param {any} by @param {string} [words] */
async function list(by, words = "") {
  narrowed = by;
  const { results } = await ask("results", by);
  if (narrowed !== by) return; // others were asked for meanwhile
  byId("listed").replaceChildren(words ? `Those ${words}. ` : "The newest. ",
    words ? link("All results", () => list({})) : "");
  byId("result-table").replaceChildren(table(
    ["Time (UTC)", "Status", "Model", "Collection", "Flags", "Asked"], results.map(row),
    "Results, newest first"));
  offerOlder(results, new Set(results.map((/** @type {any} */ it) => it.id)));
  if (words) byId("listing").focus();
}

/** @param {any[]} results @param {Set<string>} shown */
function offerOlder(results, shown) {
  const older = byId("older");
  older.hidden = results.length < 50;
  older.onclick = async () => {
    const last = results[results.length - 1].created_ms;
    const { results: more } = await ask("results", { ...narrowed, before_ms: last });
    const unseen = more.filter((/** @type {any} */ it) => !shown.has(it.id)); // of the same moment
    byId("result-table").querySelector("tbody").append(
      ...table([], unseen.map(row), "").querySelectorAll("tbody tr"));
    unseen.forEach((/** @type {any} */ it) => shown.add(it.id));
    offerOlder(unseen.length ? more : [], shown);
  };
}

/** @param {any} it */
function row(it) {
  const time = new Date(it.created_ms).toISOString().slice(0, 19).replace("T", " ");
  return [link(time, () => open(it.id)), el("span", { class: it.status }, it.status ?? "–"),
    it.model || "–", it.collection || "–", it.flags.filter(Boolean).join(", ") || "–",
    it.question || it.keywords || "–"];
}

/** @param {string} id */
async function open(id) {
  try {
    showResult(await ask(`results/${encodeURIComponent(id)}`));
  } catch (error) {
    byId("said").replaceChildren(/** @type {Error} */ (error).message);
  }
}

byId("scope").addEventListener("change", refresh);
byId("entry").addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  token = byId("token").value;
  refresh();
});
byId("result-close").addEventListener("click", () => byId("result").close());
byId("theme").addEventListener("click", () => {
  const { dataset } = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  dataset.theme = (dataset.theme ?? (dark ? "dark" : "light")) === "dark" ? "light" : "dark";
  refresh(); // a chart is a picture: its colours are those of when it was drawn
});
refresh();
