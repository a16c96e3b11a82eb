import type { AgentFolder, PipelineLine, Source } from "../src/contract.ts"
import { CONFIG } from "./fake-pipeline-events.ts"
import type { WorldState } from "./fake-world.ts"

/** Agents that people can run, in the fake world. */
export function answerAgents(state: WorldState, url: URL, runs: readonly PipelineLine[]) {
  const all = state === "empty" ? AGENTS.slice(0, 2) : AGENTS
  switch (url.pathname) {
    case "/api/agent/list":
      return ok({ agents: all })
    case "/api/agent/show": {
      const agent = all.find((it) => it.slug === url.searchParams.get("slug"))
      if (agent === undefined) return NO_SUCH
      return ok({
        agent,
        prompts: agent.config === null ? [] : PROMPTS,
        runs: runs.filter((it) => it.agent === agent.slug),
      })
    }
    case "/api/agent/trust":
      return ok({ ...(all[3] ?? all[0]), isTrusted: true })
    case "/api/source/list":
      return ok({ sources: SOURCES })
    default:
      return undefined
  }
}

const ok = (answer: object) => ({ status: 200, answer })

const NO_SUCH = {
  status: 404,
  answer: {
    code: "PIPELINE_AGENT_UNKNOWN",
    message: "There is no agent of this name.",
    hint: "List them with `qm agent list`.",
    data: {},
  },
}

const agent = (slug: string, more: Partial<AgentFolder>): AgentFolder => ({
  slug,
  name: slug,
  description: "",
  origin: "shipped",
  folder: `/usr/lib/quartermaster/agents/${slug}`,
  digest: "sha256:5f2c81d07be4493a8c1d",
  isTrusted: true,
  sources: [],
  tools: [],
  config: CONFIG,
  problems: [],
  ...more,
})

const AGENTS: readonly AgentFolder[] = [
  agent("deep-research", {
    name: "Deep research",
    description: "Answers a question from a knowledge base, with citations that were checked.",
    sources: ["demo-web", "web-search"],
    tools: ["kb_hybrid_search"],
  }),
  agent("dev-loop", {
    name: "Development loop",
    description: "Plans a change, has an agent make it, tests it, and repairs what fails.",
  }),
  agent("berth-review", {
    name: "Berth review",
    description: "Reads a berth plan against the handbook.",
    origin: "project",
    folder: "/home/ada/code/tideline/.qm/agents/berth-review",
    isTrusted: false,
  }),
  agent("tariff-check", {
    name: "Tariff check \u202Ehctam",
    description: "Holds a tariff <b>against</b> last year's.",
    origin: "project",
    folder: "/home/ada/code/tideline/.qm/agents/tariff-check",
    isTrusted: false,
    config: null,
    problems: [
      {
        file: "config.json",
        line: 14,
        stage: "verify",
        field: "kind",
        problem: "`kind` is `verfy`; one of ask, web, retrieve, verify, document, agent",
      },
      {
        file: "config.json",
        line: 31,
        stage: null,
        field: "repairUnits[0].stages",
        problem: "There is no stage `sythesize`; did you mean `synthesize`?",
      },
    ],
  }),
]

const PROMPTS = [
  { file: "analyze-query.md", text: "Split the question into parts.\n\n<data>{{query}}</data>\n" },
  { file: "synthesize.md", text: "Answer from the paragraphs alone.\nCite each sentence.\n" },
]

const SOURCES: readonly Source[] = [
  {
    slug: "demo-web",
    title: "Demo web",
    description: "A scripted web search.",
    origin: "shipped",
    provides: ["web-search"],
    command: "node sources/demo-web/server.mjs",
    digest: "sha256:11",
    isApproved: true,
    health: "ok",
    problem: null,
    tools: ["search"],
  },
]
