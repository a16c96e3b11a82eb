import { type Clock, createLog, systemRandom } from "#ground/base"
import { Config, type ModelProvider, type TokenUsage } from "#ground/contract"
import { createModel, type ModelAsk, type ScriptedBrain } from "#ground/model"
import { type ModelWires, modelWires, type WireAnswer, type WireScript } from "./wires.ts"

export const WIRE_PROVIDERS = ["anthropic", "openai", "azure", "custom"] as const

type Settings = Partial<Config["model"]>

export async function wiredModel(options: {
  readonly provider: ModelProvider
  readonly script?: WireScript
  readonly settings?: Settings
  readonly clock?: Clock
  readonly key?: (wires: ModelWires) => string | undefined
  readonly price?: (usage: TokenUsage, model: string) => number | undefined
}) {
  const { provider, clock = hastyClock() } = options
  const wires = await modelWires(options.script)
  const logged: string[] = []
  const settings = Config.shape.model.parse({
    provider,
    ...SETTINGS[provider],
    baseUrl: provider === "custom" ? `${wires.url}/v1` : wires.url,
    ...options.settings,
  })
  const model = createModel({
    settings,
    key: async () => (options.key === undefined ? wires.key : options.key(wires)),
    price: options.price ?? (() => undefined),
    clock,
    random: systemRandom,
    log: createLog({ clock, level: "debug", write: (line) => logged.push(line) }),
    script: noScript,
  })
  return {
    wires,
    model,
    logged,
    ask: (overrides: Partial<ModelAsk> = {}) => model.ask({ ...QUESTION, ...overrides }),
    [Symbol.asyncDispose]: () => wires[Symbol.asyncDispose](),
  }
}

const SETTINGS: Readonly<Record<ModelProvider, Settings>> = {
  scripted: {},
  anthropic: { name: "claude-sonnet-5-5" },
  openai: { name: "gpt-5.4" },
  azure: { name: "our-gpt" },
  custom: { name: "local-model" },
}

const noScript: ScriptedBrain = () => Promise.reject(new Error("a wire is asked, not a script"))

export const QUESTION: ModelAsk = {
  name: "test/question",
  instructions: "Be brief.",
  prompt: "What is a berth?",
  maxOutputTokens: 500,
  signal: new AbortController().signal,
}

export function inTurn(...answers: readonly WireAnswer[]): WireScript {
  let next = 0
  return () => answers[Math.min(next++, answers.length - 1)] ?? { text: "" }
}

/** Waits between retries end at once, and the deadline of minutes never comes. */
export function hastyClock(): Clock & { readonly waitsMs: readonly number[] } {
  const waitsMs: number[] = []
  let monotonic = 0
  return {
    waitsMs,
    now: () => Date.UTC(2026, 0, 1) + monotonic,
    monotonicMs: () => monotonic,
    async sleep(ms, signal) {
      const isDeadline = ms >= 100_000
      if (isDeadline)
        return new Promise<void>((_, reject) =>
          signal?.addEventListener("abort", () => reject(new Error("aborted"))),
        )
      waitsMs.push(ms)
      monotonic += ms
    },
  }
}
