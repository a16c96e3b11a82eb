import type { KbWeb } from "#ground/contract"
import type { StageInput, StageResult, StageWork } from "../stage.ts"
import { LONGEST_SEARCH_CHARACTERS, MOST_HITS } from "./limits.ts"
import { findOutput, Plan, type SubQuery, type WebResult } from "./outputs.ts"
import type { StagePorts } from "./ports.ts"
import { instructionsFor, promptFor, templateOf } from "./prompt.ts"
import { whyFailed } from "./retrieve.ts"

const MOST_WEB_FAILURES = 2

/** More results repeat the first ones. */
const WEB_RESULTS_A_QUERY = 4

/** Sub-queries compared with the web; each search takes some seconds. */
const MOST_WEB_QUERIES = 3

export const ANY_WEB_SOURCE = "web-search"

const CHANGED = "changed"

type Ports = Pick<StagePorts, "web" | "knowledge">
type WebSearchResult = Pick<KbWeb, "source" | "note" | "results">

export function webStage(ports: Ports): StageWork {
  return async (input) => {
    const plan = planOf(input)
    if (!input.depth.web) return skip("This depth does not search the web.")
    const searched = await searchAll(input, plan, ports)
    const web = distinct(searched.flatMap((it) => it.results))
    if (web.length === 0) return skip(whyNothing(searched))
    const documents = await documentsFor(input, ports)
    const refined = await refine(input, plan, { web, documents })
    const changed = refined.filter((it) => it.note === CHANGED).length
    await validated(input, refined)
    return {
      output: { subQueries: refined, web, changed },
      summary: `plan refined, ${changed} of ${refined.length} sub-queries changed`,
    }
  }
}

const skip = (note: string): StageResult => ({ output: null, summary: note, skipped: note })

function planOf(input: StageInput): readonly SubQuery[] {
  const plan = findOutput(input.outputs, Plan)?.subQueries
  return plan ?? [{ question: input.query, why: "", target: "" }]
}

async function searchAll(
  input: StageInput,
  plan: readonly SubQuery[],
  ports: Ports,
): Promise<readonly WebSearchResult[]> {
  const searched: WebSearchResult[] = []
  let failures = 0
  for (const [index, { question }] of plan.slice(0, MOST_WEB_QUERIES).entries()) {
    const result = await searchOne(input, { key: `web:${index + 1}`, question }, ports)
    searched.push(result)
    const hasFailed = result.note !== null && result.results.length === 0
    failures = hasFailed ? failures + 1 : 0
    if (failures >= MOST_WEB_FAILURES || result.source === null) break
  }
  return searched
}

type Search = { readonly key: string; readonly question: string }

function searchOne(input: StageInput, search: Search, ports: Ports): Promise<WebSearchResult> {
  const source = input.stage.scope.sources.find((it) => it !== ANY_WEB_SOURCE && it !== "*")
  const slug = source ?? ANY_WEB_SOURCE
  const label = { tool: "Web Search", kind: "search", title: search.question } as const
  return input.effects.step(
    search.key,
    { ...label, needs: { kind: "source", slug } },
    async (signal) => {
      const result = await searchWeb(ports, {
        query: search.question.slice(0, LONGEST_SEARCH_CHARACTERS),
        source,
        signal,
      })
      const isFailed = result.note !== null && result.results.length === 0
      const detail = result.note ?? `${result.results.length} pages of ${result.source}`
      return { result, detail, outcome: isFailed ? "failed" : "done" }
    },
  )
}

/** A source that throws counts as a failed search. */
async function searchWeb(
  ports: Ports,
  ask: {
    readonly query: string
    readonly source: string | undefined
    readonly signal: AbortSignal
  },
): Promise<WebSearchResult> {
  try {
    const { source, note, results } = await ports.web({ ...ask, limit: WEB_RESULTS_A_QUERY })
    return { source, note, results }
  } catch (error) {
    ask.signal.throwIfAborted()
    return { source: ask.source ?? ANY_WEB_SOURCE, note: whyFailed(error), results: [] }
  }
}

function whyNothing(searched: readonly WebSearchResult[]): string {
  const note = searched.find((it) => it.note !== null)?.note
  return note ?? "The web search found nothing for this plan."
}

function distinct(results: readonly WebResult[]): readonly WebResult[] {
  return [...new Map(results.map((it) => [it.url, it])).values()]
}

async function documentsFor(input: StageInput, { knowledge }: Ports): Promise<readonly string[]> {
  if (!input.stage.scope.knowledge) return []
  const label = { tool: "Knowledge Base Search", kind: "search", title: input.query } as const
  const needs = { kind: "knowledge" } as const
  return input.effects.step("documents", { ...label, needs }, async (signal) => {
    try {
      const query = input.query.slice(0, LONGEST_SEARCH_CHARACTERS)
      const request = { query, limit: Math.min(input.depth.paragraphs, MOST_HITS), hops: 0 }
      const results = await knowledge.search(request, { signal })
      const titles = [...new Set(results.hits.map((it) => it.paragraph.title))]
      return { result: titles, detail: `${titles.length} documents` }
    } catch (error) {
      signal.throwIfAborted()
      return { result: [], detail: whyFailed(error), outcome: "failed" }
    }
  })
}

type Findings = { readonly web: readonly WebResult[]; readonly documents: readonly string[] }

async function refine(
  input: StageInput,
  plan: readonly SubQuery[],
  findings: Findings,
): Promise<readonly SubQuery[]> {
  const { value } = await input.effects.ask("refine", {
    title: "compare the plan with what was found",
    instructions: instructionsFor(input),
    prompt: promptFor(input, templateOf(input), findings),
    schema: input.stage.output,
    effort: input.stage.effort,
    maxOutputTokens: input.stage.maxOutputTokens,
  })
  const refined = Plan.safeParse(value)
  if (!refined.success) return plan
  const before = new Set(plan.map((it) => it.question))
  return refined.data.subQueries
    .slice(0, input.depth.subQueries)
    .map((it) => ({ ...it, note: before.has(it.question) ? "" : CHANGED }))
}

function validated(input: StageInput, plan: readonly SubQuery[]): Promise<void> {
  const aimed = plan.filter((it) => it.target.trim() !== "").length
  return input.effects.note("plan", {
    tool: "Plan validated",
    kind: "plan",
    title: `${aimed} of ${plan.length} sub-queries have a target document`,
  })
}
