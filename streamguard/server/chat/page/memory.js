// @ts-check
/** The conversation, kept by the browser for this tab until it is closed. */

/** @typedef {import("./turn.js").Turn} Turn */

const KEY = "streamguard.chat";

/** @param {{session: string, turns: Turn[]}} chat */
export function keep({ session, turns }) {
  let kept = turns.filter((turn) => turn.done).map(
    ({ question, preset, text, retrieval, annotation, failed, on_refuse }) =>
      ({ question, preset, text, retrieval, annotation, failed, on_refuse }));
  // What does not fit goes, the oldest first: a browser keeps some millions of letters.
  for (;;) {
    try {
      sessionStorage.setItem(KEY, JSON.stringify({ session, turns: kept }));
      return;
    } catch {
      if (!kept.length) return; // not allowed here at all
      kept = kept.slice(1);
    }
  }
}

/** @returns {{session: string | null, turns: any[]}} */
export function kept() {
  try {
    const found = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    return { session: found?.session ?? null, turns: found?.turns ?? [] };
  } catch {
    return { session: null, turns: [] };
  }
}
