import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { createFolders, createPipelines, type PipelinesDeps, type StageWork } from "#act/pipeline"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import type { StageKind } from "#ground/contract"
import { createModel, type ScriptedBrain } from "#ground/model"
import { openStore, type StoreLocation } from "#ground/store"
import { tempDirectory } from "./temp.ts"

export const PIPELINE_OWNER = { pid: process.pid, startedAt: "now", machine: "here", instance: "1" }

/** Six stages; the first pauses, the fourth and fifth are a repair unit. */
export const SIX_STAGES = {
  stages: [
    { name: "plan", title: "Plan", kind: "ask", prompt: "ask.md", pauseAfter: true, budgetUsd: 1 },
    { name: "look", title: "Look", kind: "web", prompt: "ask.md", optional: true, budgetUsd: 1 },
    { name: "fetch", title: "Fetch", kind: "retrieve", scope: { knowledge: true }, budgetUsd: 1 },
    { name: "write", title: "Write", kind: "ask", prompt: "ask.md", budgetUsd: 1 },
    { name: "check", title: "Check", kind: "verify", budgetUsd: 1 },
    { name: "output", title: "Output", kind: "document", budgetUsd: 1 },
  ],
  repairUnits: [{ stages: ["write", "check"], maxIterations: 2 }],
  budgetUsd: 6,
}

export type PlainStages = Readonly<Record<StageKind, StageWork>>

/**
 * Each stage has one ask or step, named after it; the document contains the results of the others.
 */
export function plainStages(overrides: Partial<PlainStages> = {}): PlainStages {
  const ask: StageWork = async ({ stage, query, amendments, feedback, effects }) => {
    const words = [query, ...amendments, ...(feedback === undefined ? [] : [feedback])]
    const prompt = words.join("\n")
    const { text } = await effects.ask("ask", {
      title: `ask ${stage.name}`,
      instructions: "",
      prompt,
    })
    return { output: { text }, summary: `${stage.name} done` }
  }
  const step =
    (tool: string): StageWork =>
    async ({ stage, effects }) => {
      const label = { tool, kind: "search", title: stage.name } as const
      const names = await effects.step("find", label, async () => ({ result: [stage.name] }))
      return { output: { found: names }, summary: `${names.length} found` }
    }
  return {
    ask,
    web: step("Web Search"),
    tools: step("Source Tool"),
    retrieve: step("Knowledge Base Search"),
    verify: step("Citation Verification"),
    agent: step("Agent"),
    document: async ({ outputs, query }) => ({
      output: { title: query, markdown: JSON.stringify(outputs), references: [] },
      summary: "written",
    }),
    ...overrides,
  }
}

/** Repeats its prompt; each call costs ten thousand tokens and no money. */
export const echo: ScriptedBrain = async ({ name, prompt }) => ({
  text: `${name}: ${prompt}`,
  usage: { input: 100, output: 10, cacheRead: 0, cacheWrite: 0 },
})

type PipelineRoomOptions = {
  readonly deps?: Partial<PipelinesDeps>
  readonly config?: object
  readonly stages?: Partial<PlainStages>
  readonly brain?: ScriptedBrain
  readonly usd?: number
  readonly location?: StoreLocation
}

export async function newPipelines(options: PipelineRoomOptions = {}) {
  const folder = await tempDirectory()
  const { location = { kind: "memory" } as const } = options
  const clock = systemClock
  const store = await openStore({ location, clock, random: systemRandom, log: silentLog })
  const at = (...names: string[]) => path.join(folder.path, ...names)
  await writeAgent(at("user", "tester"), options.config ?? SIX_STAGES)
  const folders = createFolders({
    shipped: at("shipped"),
    user: [at("user")],
    project: [at("project")],
    trustFile: at("agents.json"),
    log: silentLog,
  })
  const make = (more: Partial<PipelinesDeps> = {}) =>
    createPipelines({
      db: store.forRoom("pipeline"),
      clock,
      log: silentLog,
      owner: PIPELINE_OWNER,
      isAlive: () => false,
      onAdvance: store.onAdvance,
      stages: plainStages(options.stages),
      model: async () => scriptedModel(options.brain ?? echo, options.usd ?? 0.01),
      folders,
      directory: at("results"),
      redact: (text) => text.replaceAll("hunter2", "[redacted]"),
      redactJson: (value) => JSON.parse(JSON.stringify(value).replaceAll("hunter2", "[redacted]")),
      count: async () => (text) => Math.ceil(text.length / 4),
      windowTokens: () => 200_000,
      hasClassifier: () => false,
      sendToSession: async () => {},
      defaultBudgetUsd: () => 10,
      ...options.deps,
      ...more,
    })
  const room = make()
  return Object.assign(room, {
    store,
    directory: folder.path,
    another: make,
    async goes(query = "what is it", more: object = {}) {
      const input = { agent: "tester", query, depth: "standard", auto: false, ...more } as const
      const { id } = await room.run(input)
      return room.finished(id)
    },
    async [Symbol.asyncDispose]() {
      await room.close()
      await store.close()
      await folder[Symbol.asyncDispose]()
    },
  })
}

export type PipelineRoom = Awaited<ReturnType<typeof newPipelines>>

export async function writeAgent(folder: string, config: object): Promise<void> {
  await mkdir(path.join(folder, "prompts"), { recursive: true })
  const head = "---\nname: Tester\ndescription: Tries things\n---\n"
  await writeFile(path.join(folder, "RECIPE.md"), head)
  await writeFile(path.join(folder, "prompts", "ask.md"), "{{query}}")
  await writeFile(path.join(folder, "config.json"), JSON.stringify(config))
}

export function scriptedModel(brain: ScriptedBrain, usd: number) {
  return createModel({
    settings: {
      provider: "scripted",
      name: "",
      baseUrl: "",
      apiVersion: "",
      effort: "medium",
      retries: 0,
      timeout: 60,
    },
    key: async () => undefined,
    price: () => usd,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    script: brain,
  })
}
