// What a page has by itself: fetch and EventSource. The page asks its server for the plan.

import { probe, runPlan } from "./probing.mjs";
import { readChat, readEventSource, readLines } from "./reading.mjs";

const eventSource = (step, answer) =>
  readEventSource((url) => new EventSource(url), step, answer);

const tell = (answer) => fetch("/answers", { method: "POST", body: JSON.stringify(answer) });
await runPlan(
  await (await fetch("/plan")).json(),
  [
    probe("fetch in Chromium", "chat", readChat),
    probe("fetch in Chromium", "lines", readLines, { sees: [] }),
    probe("EventSource in Chromium", "events", eventSource, { sees: ["event"], header: false }),
  ],
  tell,
  console.error,
);
await fetch("/done", { method: "POST" });
