import { isAppError } from "#ground/base"
import type { KbWeb, Source } from "#ground/contract"
import type { createAsking } from "./asking.ts"
import { type DescribeDeps, type Described, describeSources, type Usable } from "./describe.ts"
import { readResults } from "./results.ts"
import { searchCall } from "./search-call.ts"
import { toolMissing } from "./tools.ts"
import type { ToolAnswer } from "./wire/connection.ts"

export type WebQuestion = {
  readonly query: string
  readonly limit: number
  /** Which source to ask; empty or absent: the first that may be asked. */
  readonly source?: string | undefined
  readonly signal: AbortSignal
}

type WebDeps = DescribeDeps & {
  readonly ask: ReturnType<typeof createAsking>
  viewOf(described: Described): Promise<Source>
}

/** Searches the web. Whatever a source does, the answer is a list and a word about it. */
export async function searchWeb(question: WebQuestion, deps: WebDeps): Promise<KbWeb> {
  const { query, limit, signal } = question
  const source = await webSource(question.source, deps)
  if (typeof source === "string") return { source: null, note: source, results: [] }
  const { slug, config } = source
  try {
    const answer = await deps.ask(source, { signal }, (connection, options) => {
      const asked = searchCall(connection.tools, { query, limit, tool: config.tool })
      if (asked === undefined) throw toolMissing(slug, config.tool ?? "search", connection)
      return connection.call(asked.tool, asked.args, options)
    })
    const results = readResults(answer, limit)
    return { source: slug, note: noteOn(slug, answer, results.length), results: [...results] }
  } catch (error) {
    if (signal.aborted || !isAppError(error)) throw error
    return { source: slug, note: error.message, results: [] }
  }
}

/** The one to ask, or why there is none. A failure does not lead on to another: it would hide. */
async function webSource(wanted: string | undefined, deps: WebDeps): Promise<Usable | string> {
  const all = await describeSources(deps)
  const searching = all.filter((it) => it.config?.provides.includes("web-search") === true)
  const named = wanted ? all.filter((it) => it.slug === wanted) : searching.toSorted(byNearness)
  const views = await Promise.all(named.map(deps.viewOf))
  const chosen = named[views.findIndex((it) => it.isApproved)]
  if (chosen?.problem === null) return chosen
  if (wanted) return noteOnNamed(wanted, views[0])
  return "No source searches the web here: put one into a folder sources and approve it."
}

const NEAREST_FIRST = ["project", "user", "shipped"]

/** What people put there themselves comes before what is shipped to try things out. */
function byNearness(a: Described, b: Described): number {
  return NEAREST_FIRST.indexOf(a.origin) - NEAREST_FIRST.indexOf(b.origin)
}

function noteOnNamed(slug: string, view: Source | undefined): string {
  if (view === undefined) return `There is no source ${slug}.`
  return view.problem ?? `The source ${slug} is not approved: qm source approve ${slug}`
}

function noteOn(slug: string, answer: ToolAnswer, results: number): string | null {
  if (answer.isError) return `The source ${slug} answered that the search failed.`
  return results === 0 ? `The source ${slug} found nothing.` : null
}
