// Readers that need no package: loops over `fetch`, and any EventSource.

import { MESSAGES } from "./probing.mjs";

export const asked = (step) => ({
  method: "POST",
  headers: { "content-type": "application/json", ...step.headers },
  body: JSON.stringify({ model: step.model, stream: true, messages: MESSAGES }),
});

// Yield the lines of a body, without those that are empty.
async function* lines(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const whole = (rest + read.value).split("\n");
    rest = whole.pop();
    yield* whole.map((line) => line.trim()).filter(Boolean);
  }
}

export async function readChat(step, answer) {
  const response = await fetch(`${step.base}/v1/chat/completions`, asked(step));
  answer.seeHeaders(response.headers);
  for await (const line of lines(response.body)) {
    if (!line.startsWith("data: ")) throw new Error(`odd line ${line}`);
    if (line === "data: [DONE]") return;
    answer.chunk(JSON.parse(line.slice(6)));
  }
}

export async function readLines(step, answer) {
  const response = await fetch(`${step.base}/lines`, asked(step));
  answer.seeHeaders(response.headers);
  for await (const line of lines(response.body)) answer.said(JSON.parse(line).text);
}

// An EventSource sends no headers by itself: what is asked for goes into the query.
export function readEventSource(open, step, answer) {
  const url = new URL(`${step.base}/events?model=${step.model}`);
  for (const [name, value] of Object.entries(step.headers)) {
    url.searchParams.set(name.replace(/^x-/, ""), value);
  }
  return new Promise((done, refuse) => {
    const source = open(url);
    source.onmessage = (event) => {
      if (event.data !== "[DONE]") return answer.said(event.data);
      source.close();
      done();
    };
    source.addEventListener("streamguard.result", (event) => answer.see(JSON.parse(event.data)));
    source.addEventListener("error", (event) => {
      source.close();
      refuse(new Error(event.data ?? event.message ?? "closed"));
    });
  });
}
