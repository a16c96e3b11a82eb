import { z } from "zod"
import { type DepthConfig, type StageConfig, StageConfig as StageShape } from "#ground/contract"
import type { Effects, StageAsk, StageInput, StepDone, StepLabel } from "../stage.ts"
import type { StagePorts } from "./ports.ts"

export const STANDARD: DepthConfig = {
  subQueries: 8,
  paragraphs: 20,
  repairs: 2,
  contextTokens: 12_000,
  web: true,
}

type StageTrace =
  | { readonly what: "ask"; readonly key: string; readonly ask: StageAsk }
  | ({ readonly what: "step"; readonly key: string } & StepLabel &
      Omit<StepDone<unknown>, "result">)
  | ({ readonly what: "note"; readonly key: string } & StepLabel)

export type RecordedEffects = Effects & {
  readonly seen: readonly StageTrace[]
  /** The same effects after a crash: all results are recorded, and nothing is executed again. */
  again(): RecordedEffects
}

type Answer = (ask: StageAsk) => unknown

export function recordEffects(
  answer: Answer,
  files: Map<string, string> = new Map(),
  signal = new AbortController().signal,
): RecordedEffects {
  const seen: StageTrace[] = []
  const used = new Set<string>()
  async function replayOrRun<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    if (used.has(key)) throw new Error(`the key ${key} was used twice`)
    used.add(key)
    const before = files.get(key)
    if (before !== undefined) return z.custom<Result>().parse(JSON.parse(before))
    const result = await work()
    files.set(key, JSON.stringify(result ?? null))
    return z.custom<Result>().parse(JSON.parse(files.get(key) ?? "null"))
  }
  return {
    seen,
    again: () =>
      recordEffects(
        () => {
          throw new Error("nobody is asked again")
        },
        files,
        signal,
      ),
    ask: (key, ask) =>
      replayOrRun(key, async () => {
        seen.push({ what: "ask", key, ask })
        const value = await answer(ask)
        return { text: typeof value === "string" ? value : JSON.stringify(value), value }
      }),
    step: (key, { tool, kind, title }, work) =>
      replayOrRun(key, async () => {
        const worked = await work(signal)
        if ("error" in worked) throw worked.error
        const { result, ...done } = worked
        seen.push({ what: "step", key, tool, kind, title, ...done })
        return result
      }),
    note: (key, label) =>
      replayOrRun(key, async () => {
        seen.push({ what: "note", key, ...label })
      }),
  }
}

type FixtureOptions = Partial<Omit<StageInput, "stage" | "prompt" | "effects">> & {
  readonly stage: Partial<StageConfig> & Pick<StageConfig, "kind">
  readonly template?: string
  readonly effects?: Effects
}

export function stageInput({ stage, template = "{{query}}", ...own }: FixtureOptions): StageInput {
  return {
    runId: "p-1",
    query: "When may a booking be re-priced after arrival?",
    person: undefined,
    settings: {},
    depth: STANDARD,
    iteration: 0,
    outputs: {},
    amendments: [],
    feedback: undefined,
    prior: undefined,
    leftUsd: () => 2,
    prompt: () => template,
    effects: recordEffects(() => ({})),
    signal: new AbortController().signal,
    ...own,
    stage: StageShape.parse({ name: "work", title: "Work", prompt: "work.md", ...stage }),
  }
}

/** One token per word, so that the numbers in tests are readable. */
export function countWords(text: string): number {
  return text.split(/\s+/).filter((it) => it !== "").length
}

/** All ports throw except those given. */
export function portsWith(own: Partial<StagePorts>): StagePorts {
  const untouched = () => {
    throw new Error("this stage does not touch it")
  }
  return {
    knowledge: { search: untouched, hop: untouched, trace: untouched, paragraphs: untouched },
    verify: {
      entityGrounding: untouched,
      citationAccuracy: untouched,
      relationPreservation: untouched,
      findContradictions: untouched,
    },
    web: untouched,
    callTool: untouched,
    sourceTools: untouched,
    startAgent: untouched,
    count: async () => countWords,
    ...own,
  }
}
