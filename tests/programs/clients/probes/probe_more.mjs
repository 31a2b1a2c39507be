// The Anthropic, Ollama and LangChain packages for Node, readers of event streams, and bare fetch.

import Anthropic from "@anthropic-ai/sdk";
import { ChatOpenAI } from "@langchain/openai";
import { fetchEventSource } from "@microsoft/fetch-event-source";
import { EventSource } from "eventsource";
import { Ollama } from "ollama";
import { MESSAGES, PASSAGES, PRICE, QUESTION, probe, run, watching } from "./probing.mjs";
import { asked, readChat, readEventSource } from "./reading.mjs";

// fetch-event-source is made for browsers; it asks whether its page is hidden.
globalThis.window ??= globalThis;
globalThis.document ??= { hidden: false, addEventListener() {}, removeEventListener() {} };

function readAnthropic(event, answer) {
  answer.see(event.streamguard);
  if (event.type === "content_block_delta") {
    answer.said(event.delta.text ?? "");
    answer.thought += event.delta.thinking ?? "";
    answer.tool_args += event.delta.partial_json ?? "";
  } else if (event.type === "message_delta") {
    answer.usage = event.usage;
    answer.finish_reason[0] = event.delta.stop_reason;
  }
}

const anthropicOf = (step, more) =>
  new Anthropic({ baseURL: step.base, apiKey: "none", maxRetries: 0, ...more });
const anthropicRequest = (step) => ({
  model: step.model, max_tokens: 100, system: PASSAGES,
  messages: [{ role: "user", content: QUESTION }],
});

async function anthropic(step, answer) {
  const { data, response } = await anthropicOf(step)
    .messages.create({ ...anthropicRequest(step), stream: true }, { headers: step.headers })
    .withResponse();
  answer.seeHeaders(response.headers);
  for await (const event of data) readAnthropic(event, answer);
}

async function anthropicHelper(step, answer) {
  const stream = anthropicOf(step, { fetch: watching(answer) })
    .messages.stream(anthropicRequest(step), { headers: step.headers });
  stream.on("streamEvent", (event) => readAnthropic(event, answer));
  const final = await stream.finalMessage();
  answer.usage = final.usage;
  answer.finish_reason[0] = final.stop_reason;
}

function ollamaOf(step, answer) {
  return new Ollama({ host: step.base, headers: step.headers, fetch: watching(answer) });
}

async function ollama(stream, answer) {
  for await (const part of stream) {
    answer.see(part.streamguard);
    answer.said(part.message ? part.message.content : part.response);
    answer.thought += part.message?.thinking ?? "";
    for (const call of part.message?.tool_calls ?? []) {
      answer.tool_args += JSON.stringify(call.function.arguments);
    }
    if (part.done) {
      answer.finish_reason[0] = part.done_reason;
      answer.usage = [part.prompt_eval_count, part.eval_count];
    }
  }
}

const ollamaChat = async (step, answer) =>
  ollama(
    await ollamaOf(step, answer).chat({ model: step.model, messages: MESSAGES, stream: true }),
    answer,
  );
const ollamaGenerate = async (step, answer) =>
  ollama(
    await ollamaOf(step, answer).generate({ model: step.model, prompt: QUESTION, stream: true }),
    answer,
  );

async function langchain(step, answer, more) {
  let model = new ChatOpenAI({
    model: step.model, apiKey: "none", maxRetries: 0, streamUsage: step.model === "usage",
    configuration: {
      baseURL: `${step.base}/v1`, defaultHeaders: step.headers, fetch: watching(answer),
    },
    ...more,
  });
  if (["tools", "calls"].includes(step.model)) model = model.bindTools([PRICE]);
  let whole;
  for await (const chunk of await model.stream(MESSAGES)) {
    answer.said(chunk.text);
    answer.see(chunk.response_metadata?.streamguard);
    whole = whole ? whole.concat(chunk) : chunk;
  }
  answer.usage = whole.usage_metadata ?? null;
  answer.finish_reason[0] = whole.response_metadata.finish_reason ?? null;
  answer.tool_args = (whole.tool_call_chunks ?? []).map((call) => call.args).join("");
}

function fetchEvents(path, read) {
  return async (step, answer) => {
    await fetchEventSource(step.base + path, {
      ...asked(step),
      openWhenHidden: true,
      onopen: async (response) => answer.seeHeaders(response.headers),
      onmessage: (event) => read(event, answer),
      onerror: (error) => { throw error; },
    });
  };
}

function eventSource(step, answer) {
  return readEventSource((url) => new EventSource(url, { fetch: watching(answer) }), step, answer);
}

function chatEvent(event, answer) {
  if (event.data !== "[DONE]") answer.chunk(JSON.parse(event.data));
}

function plainEvent(event, answer) {
  if (event.event === "error") throw new Error(event.data);
  if (event.event === "streamguard.result") answer.see(JSON.parse(event.data));
  else if (event.data !== "[DONE]") answer.said(event.data);
}

run([
  probe("anthropic Node", "anthropic", anthropic),
  probe("anthropic Node, helper", "anthropic", anthropicHelper),
  probe("LangChain JS", "chat", langchain, { sees: [] }),
  probe("LangChain JS", "responses", (s, a) => langchain(s, a, { useResponsesApi: true }),
    { sees: ["attach"] }),
  probe("ollama JS", "ollama_chat", ollamaChat),
  probe("ollama JS", "ollama_generate", ollamaGenerate),
  probe("fetch-event-source", "chat", fetchEvents("/v1/chat/completions", chatEvent)),
  probe("fetch-event-source", "events", fetchEvents("/events", plainEvent),
    { sees: ["event"] }),
  probe("eventsource", "events", eventSource, { sees: ["event"] }),
  probe("lines by hand (fetch)", "chat", readChat),
]);
