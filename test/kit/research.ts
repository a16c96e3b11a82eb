import path from "node:path"
import { loadAgent } from "#act/agents"
import {
  type AgentEnd,
  type AgentStart,
  createFolders,
  createPipelines,
  createStages,
  offlineBrain,
  type StagePorts,
} from "#act/pipeline"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { Config } from "#ground/contract"
import { createModel, type ModelDeps, type ScriptedBrain } from "#ground/model"
import type { KnowledgeDeps } from "#know/knowledge"
import { countQuarters, noWeb, openHandbook, RECIPES, VERIFY } from "./handbook.ts"
import { PIPELINE_OWNER } from "./pipeline-room.ts"
import { tempDirectory } from "./temp.ts"

const WORLD = { clock: systemClock, random: systemRandom, log: silentLog }

type ResearchOptions = {
  readonly brain?: ScriptedBrain
  readonly usd?: number
  readonly model?: Partial<Pick<ModelDeps, "settings" | "key">>
  readonly web?: StagePorts["web"]
  readonly hasClassifier?: boolean
  readonly corpus?: string
  readonly knowledge?: Partial<Pick<KnowledgeDeps, "synonyms" | "wordVectors">>
}

export async function newResearch(options: ResearchOptions = {}) {
  const folder = await tempDirectory()
  const handbook = await openHandbook(options.corpus, options.knowledge)
  const { store, knowledge } = handbook
  const at = (...names: string[]) => path.join(folder.path, ...names)
  const model = createModel({
    ...WORLD,
    settings: Config.parse({}).model,
    key: async () => undefined,
    price: () => options.usd ?? 0.01,
    script: options.brain ?? offlineBrain,
    ...options.model,
  })
  const room = createPipelines({
    ...WORLD,
    db: store.forRoom("pipeline"),
    owner: PIPELINE_OWNER,
    isAlive: () => false,
    onAdvance: store.onAdvance,
    stages: createStages({
      knowledge,
      verify: VERIFY,
      web: options.web ?? noWeb,
      callTool: async () => ({ text: "", isError: true }),
      sourceTools: async () => ({ tools: [], notes: [] }),
      startAgent: playAgent,
      count: async () => countQuarters,
    }),
    model: async () => model,
    folders: createFolders({
      shipped: RECIPES,
      user: [at("user")],
      project: [at("project")],
      trustFile: at("agents.json"),
      log: silentLog,
    }),
    directory: at("results"),
    redact: (text) => text,
    redactJson: (value) => value,
    count: async () => countQuarters,
    windowTokens: () => 200_000,
    hasClassifier: () => options.hasClassifier ?? false,
    sendToSession: async () => {},
    defaultBudgetUsd: () => 10,
  })
  return Object.assign(room, {
    knowledge,
    directory: folder.path,
    async goes(query: string, more: Partial<Parameters<typeof room.run>[0]> = {}) {
      const input = { agent: "deep-research", depth: "standard", auto: true, ...more } as const
      const { id } = await room.run({ ...input, query })
      return room.finished(id)
    },
    async [Symbol.asyncDispose]() {
      await room.close()
      await handbook[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  })
}

let played = 0

async function playAgent({ prompt, mode, script, signal }: AgentStart): Promise<AgentEnd> {
  const agent = await loadAgent("synthetic")
  const session = await agent.start({
    prompt,
    mode,
    signal,
    cwd: "/",
    program: "synthetic",
    ...(script === undefined ? {} : { script: withoutWaiting(script) }),
    environment: {},
    redact: (text) => text,
  })
  for await (const { event } of session.events) {
    if (event.event !== "turn.ended") continue
    void session.stop()
    const { text, outcome } = event
    const runId = `rn_${(played += 1)}`
    return { runId, outcome, text, usd: 0.02, tokens: 100 }
  }
  throw new Error("the agent ended without a turn")
}

/** Removes the pauses of scripts, which have the pace of a human. */
function withoutWaiting(script: string): string {
  return script.replaceAll(/"after":\d+/g, '"after":0')
}
