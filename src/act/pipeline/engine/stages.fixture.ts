import { PipelineConfig, type StageKind } from "#ground/contract"
import type { BodyOf, RunState } from "../events/state.ts"
import type { StageWork } from "../stage.ts"
import type { SimPorts } from "./simulation.fixture.ts"

/** Simulated stages: model calls, one step, three parallel steps, and a check that may fail. */
export function simStages({ touch }: SimPorts): Readonly<Record<StageKind, StageWork>> {
  const search = { tool: "Knowledge Base Search", kind: "search" } as const
  return {
    async ask({ runId, stage, effects }) {
      const ask = (key: string) => ({
        title: key,
        instructions: "",
        prompt: `${runId} ${stage.name} ${key}`,
      })
      const first = await effects.ask("a", { ...ask("a"), schema: {} })
      const second = await effects.ask("b", ask("b"))
      return { output: [first.text, second.text], summary: "asked" }
    },
    async web({ runId, stage, query, effects }) {
      if (query.split(" ")[1] !== "1") return { output: null, summary: "", skipped: "no web" }
      const label = { tool: "Web Search", kind: "search", title: "find" } as const
      const result = await effects.step("find", label, async () => {
        await touch(runId, stage.name, "find")
        return { result: `${stage.name} find` }
      })
      return { output: [result], summary: "looked" }
    },
    tools: () => Promise.reject(new Error("the simulation calls no source")),
    async retrieve({ runId, stage, effects }) {
      const results = await Promise.all(
        ["1", "2", "3"].map((key) =>
          effects.step(key, { ...search, title: key, needs: { kind: "knowledge" } }, async () => {
            await touch(runId, stage.name, key)
            return { result: `${stage.name} ${key}` }
          }),
        ),
      )
      return { output: results, summary: "fetched" }
    },
    async verify({ runId, stage, query, iteration, effects }) {
      const label = { tool: "Citation Verification", kind: "other", title: "check" } as const
      const result = await effects.step("check", label, async () => {
        await touch(runId, stage.name, "check")
        return { result: `${stage.name} ${iteration}` }
      })
      const isBad = iteration < Number(query.split(" ")[0])
      const failed = { problems: ["not good"], feedback: `round ${iteration}` }
      return { output: [result], summary: "checked", ...(isBad ? { failed } : {}) }
    },
    document: async ({ outputs }) => ({
      output: { markdown: JSON.stringify(outputs) },
      summary: "written",
    }),
    agent: async () => ({ output: null, summary: "" }),
  }
}

export const SIM_CONFIG = PipelineConfig.parse({
  stages: [
    { name: "plan", title: "Plan", kind: "ask", pauseAfter: true },
    { name: "look", title: "Look", kind: "web", optional: true },
    { name: "fetch", title: "Fetch", kind: "retrieve", scope: { knowledge: true } },
    { name: "write", title: "Write", kind: "ask" },
    { name: "check", title: "Check", kind: "verify" },
    { name: "output", title: "Output", kind: "document" },
  ],
  repairUnits: [{ stages: ["write", "check"], maxIterations: 2 }],
})

/** `2 1`: how often the check fails, and whether there is a web source. */
export function simStart(query: string): BodyOf<"run_started"> {
  return {
    type: "run_started",
    agent: "sim",
    digest: "",
    config: SIM_CONFIG,
    prompts: {},
    query,
    depth: "standard",
    session: null,
    budgetUsd: 100,
    provider: "scripted",
    from: null,
    prior: null,
  }
}

export function simDocument(state: RunState): string {
  const [failures = "0", web = "0"] = state.start.query.split(" ")
  const rounds = Math.min(Number(failures), 2)
  const answer = (stage: string, key: string) => `answer to ${state.id} ${stage} ${key}`
  const answersOf = (stage: string) => [answer(stage, "a"), answer(stage, "b")]
  return JSON.stringify({
    plan: answersOf("plan"),
    ...(web === "1" ? { look: ["look find"] } : {}),
    fetch: ["fetch 1", "fetch 2", "fetch 3"],
    write: answersOf("write"),
    check: [`check ${rounds}`],
  })
}
