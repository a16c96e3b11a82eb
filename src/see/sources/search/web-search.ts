import { isAppError, visibleLine } from "#ground/base"
import type { KbWeb, Source } from "#ground/contract"
import { type createAsk, toolMissing } from "../ask.ts"
import {
  type DescribeDeps,
  describeNamed,
  describeSources,
  type SourceDescription,
  type Usable,
} from "../describe/describe.ts"
import type { ToolAnswer } from "../wire/connection.ts"
import { readResults } from "./results.ts"
import { searchCall } from "./search-call.ts"

export type WebQuestion = {
  readonly query: string
  readonly limit: number
  readonly source?: string | undefined
  readonly signal: AbortSignal
}

type WebDeps = DescribeDeps & {
  readonly ask: ReturnType<typeof createAsk>
  viewOf(described: SourceDescription): Promise<Source>
  redact(text: string): Promise<string>
}

export async function searchWeb(question: WebQuestion, deps: WebDeps): Promise<KbWeb> {
  const { limit, signal } = question
  const source = await webSource(question.source, deps)
  if (typeof source === "string") return { source: null, note: source, results: [] }
  const { slug, config } = source
  // Redact first: even if the call fails, the original text is not sent.
  const query = await deps.redact(question.query)
  try {
    const answer = await deps.ask(source, { signal }, (connection, options) => {
      const toolCall = searchCall(connection.tools, { query, limit, tool: config.tool })
      if (toolCall === undefined) throw toolMissing(slug, config.tool ?? "search", connection)
      return connection.call(toolCall.tool, toolCall.args, options)
    })
    const results = readResults(answer, limit)
    return { source: slug, note: noteOn(slug, answer, results.length), results: [...results] }
  } catch (error) {
    if (signal.aborted || !isAppError(error)) throw error
    return { source: slug, note: error.message, results: [] }
  }
}

async function webSource(slug: string | undefined, deps: WebDeps): Promise<Usable | string> {
  if (slug) return namedSource(slug, deps)
  const searching = (await describeSources(deps)).filter(searchesWeb).toSorted(byNearness)
  const views = await Promise.all(searching.map(deps.viewOf))
  const chosen = searching[views.findIndex((it) => it.isReady)]
  if (chosen?.problem === null) return chosen
  return "No web search source is available. Add one in a sources folder and approve it."
}

async function namedSource(slug: string, deps: WebDeps): Promise<Usable | string> {
  const described = await describeNamed(slug, deps)
  if (described === undefined) return `Source ${visibleLine(slug)} does not exist.`
  if (described.problem !== null) return described.problem
  // It was approved for something else and would misinterpret the query.
  if (!searchesWeb(described)) {
    return `Source ${slug} does not search the web: its config.json does not provide web-search.`
  }
  const { isApproved, problem } = await deps.viewOf(described)
  if (isApproved) return described
  return problem ?? `Source ${slug} is not approved. Run \`qm source approve ${slug}\`.`
}

function searchesWeb({ config }: SourceDescription): boolean {
  return config?.provides.includes("web-search") === true
}

const NEAREST_FIRST = ["project", "user", "shipped"]

/** Sources that users added come before the shipped demo. */
function byNearness(a: SourceDescription, b: SourceDescription): number {
  return NEAREST_FIRST.indexOf(a.origin) - NEAREST_FIRST.indexOf(b.origin)
}

function noteOn(slug: string, answer: ToolAnswer, results: number): string | null {
  if (answer.isError) return `Source ${slug} reported that the search failed.`
  return results === 0 ? `Source ${slug} found no results.` : null
}
