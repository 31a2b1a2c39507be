// The AI SDK: its OpenAI-compatible, OpenAI and Anthropic providers, and its UI transport.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { DefaultChatTransport, jsonSchema, readUIMessageStream, streamText, tool } from "ai";
import { PASSAGES, PRICE, QUESTION, probe, run } from "./probing.mjs";
import { major } from "./versions.mjs";

globalThis.AI_SDK_LOG_WARNINGS = false; // the mock's model names are unknown to it
const NAME = `AI SDK ${major("ai")}`;

async function read(model, step, answer, rawKey) {
  const price = tool({ inputSchema: jsonSchema(PRICE.function.parameters) });
  const result = streamText({
    model,
    system: PASSAGES,
    prompt: QUESTION,
    maxRetries: 0,
    includeRawChunks: true,
    headers: step.headers,
    tools: ["tools", "calls"].includes(step.model) ? { price } : undefined,
    onError: () => {},
  });
  for await (const part of result.fullStream) {
    if (part.type === "text-delta") answer.said(part.text);
    else if (part.type === "reasoning-delta") answer.thought += part.text;
    else if (part.type === "tool-call") answer.tool_args += JSON.stringify(part.input);
    else if (part.type === "raw") answer.see(rawKey(part.rawValue ?? {}));
    else if (part.type === "finish-step") {
      answer.seeHeaders(part.response.headers);
      const { inputTokens, outputTokens } = part.usage;
      answer.usage = { inputTokens, outputTokens };
      answer.finish_reason[0] = part.finishReason;
    } else if (part.type === "error") {
      answer.error = `${part.error?.name}: ${part.error?.message ?? JSON.stringify(part.error)}`;
    }
  }
}

const top = (raw) => raw.streamguard;

function compatible(step, answer) {
  const provider = createOpenAICompatible({
    name: "mock", baseURL: `${step.base}/v1`, includeUsage: step.model === "usage",
  });
  return read(provider(step.model), step, answer, top);
}

function openai(step) {
  return createOpenAI({ baseURL: `${step.base}/v1`, apiKey: "none" });
}

const chat = (step, answer) => read(openai(step).chat(step.model), step, answer, top);
const responses = (step, answer) =>
  read(openai(step).responses(step.model), step, answer, (raw) =>
    raw.streamguard ?? raw.response?.streamguard);

function anthropic(step, answer) {
  const provider = createAnthropic({ baseURL: `${step.base}/v1`, apiKey: "none" });
  return read(provider(step.model), step, answer, top);
}

async function ui(step, answer) {
  const transport = new DefaultChatTransport({
    api: `${step.base}/ui?model=${step.model}`,
    headers: step.headers,
    fetch: async (...asked) => {
      const response = await fetch(...asked);
      answer.seeHeaders(response.headers);
      return response;
    },
  });
  const messages = [{ id: "q", role: "user", parts: [{ type: "text", text: QUESTION }] }];
  const stream = await transport.sendMessages({
    chatId: "c", messages, trigger: "submit-message", messageId: undefined, abortSignal: undefined,
  });
  let last;
  const onError = (error) => { answer.error = `${error.name}: ${error.message}`; };
  for await (const message of readUIMessageStream({ stream, onError })) last = message;
  answer.see(last?.metadata?.streamguard);
  for (const part of last?.parts ?? []) {
    if (part.type === "text") answer.said(part.text);
    else if (part.type === "reasoning") answer.thought += part.text;
    else if (part.type === "data-streamguard") answer.see(part.data);
    else if (part.type.startsWith("tool-")) answer.tool_args += JSON.stringify(part.input);
  }
}

run([
  probe(`${NAME}, openai-compatible`, "chat", compatible),
  probe(`${NAME}, openai`, "chat", chat),
  probe(`${NAME}, openai`, "responses", responses),
  probe(`${NAME}, anthropic`, "anthropic", anthropic),
  probe(`${NAME}, UI transport`, "ui", ui),
]);
