import { type Clock, isAppError, type Log, nearest } from "#ground/base"
import type { KbWeb, Source, SourceHealth, SourceTest } from "#ground/contract"
import { createApprovals } from "./approvals.ts"
import { createAsking, requireTool } from "./ask.ts"
import { createKeeper, type Keeper } from "./connections.ts"
import {
  type DescribeDeps,
  type Described,
  describeNamed,
  describeSources,
  type Usable,
} from "./describe.ts"
import { SourceChanged, SourceInvalid, SourceUnknown } from "./errors.ts"
import { searchWeb, type WebQuestion } from "./web-search.ts"
import type { ToolAnswer } from "./wire/connection.ts"

export type SourcesDeps = DescribeDeps & {
  /** Where it is kept what people said yes to. */
  readonly approvalsFile: string
  readonly clock: Clock
  readonly log: Log
  /** A value of the credential store, by name; undefined when none was set. */
  credential(name: string): Promise<string | undefined>
  /** What a server says of its failure may hold a key. */
  redact(text: string): Promise<string>
  /** Told when a source was approved or tested. */
  onChange?(change: { readonly slug: string; readonly health: SourceHealth }): Promise<void>
}

export type Sources = ReturnType<typeof createSources>

/** Servers of others that are asked for something: seen whole, approved by content, bounded. */
export function createSources(deps: SourcesDeps) {
  const keeper = createKeeper(deps.clock)
  const approvals = createApprovals(deps.approvalsFile)
  const ask = createAsking({ ...deps, keeper, approvals })
  const viewOf = (described: Described) => viewSource(described, { keeper, approvals })
  const room: Room = { ...deps, keeper, approvals, ask, viewOf }

  /** One tool of one source. Throws for whatever goes wrong, with the source's name. */
  async function call(
    slug: string,
    question: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> },
    signal: AbortSignal,
  ): Promise<ToolAnswer> {
    const source = await usable(slug, deps)
    return ask(source, { signal }, (connection, options) => {
      requireTool(slug, question.tool, connection)
      return connection.call(question.tool, question.args, options)
    })
  }

  return {
    list: async (): Promise<readonly Source[]> =>
      Promise.all((await describeSources(deps)).map(viewOf)),
    test: (slug: string, signal: AbortSignal): Promise<SourceTest> =>
      testSource(slug, signal, room),
    approve: (slug: string, digest?: string, signal?: AbortSignal): Promise<Source> =>
      approveSource(slug, { digest, signal }, room),
    call,
    webSearch: (question: WebQuestion): Promise<KbWeb> => searchWeb(question, room),
    /** Ends every server that was started, and waits for it. */
    close: keeper.close,
  }
}

type Known = {
  readonly keeper: Keeper
  readonly approvals: ReturnType<typeof createApprovals>
}

type Room = SourcesDeps &
  Known & {
    readonly ask: ReturnType<typeof createAsking>
    viewOf(described: Described): Promise<Source>
  }

async function testSource(slug: string, signal: AbortSignal, room: Room): Promise<SourceTest> {
  const { keeper, clock, ask } = room
  const source = await usable(slug, room)
  const standing = keeper.of(slug, source.digest)
  // From the beginning: a line that is open says nothing about the next start.
  standing.line.hangUp()
  standing.health = "unknown"
  const startedMs = clock.monotonicMs()
  const tools = await ask(source, { signal, isForced: true }, async (it) => it.tools).catch(
    (error: unknown) => {
      // That it failed is the answer to a test; whether it may be tested at all is not.
      if (standing.health === "dead" && isAppError(error)) return []
      throw error
    },
  )
  const durationMs = Math.round(clock.monotonicMs() - startedMs)
  await room.onChange?.({ slug, health: standing.health })
  return {
    source: await room.viewOf(source),
    durationMs,
    tools: tools.map(({ name, description }) => ({ name, description })),
  }
}

async function approveSource(
  slug: string,
  given: { readonly digest: string | undefined; readonly signal: AbortSignal | undefined },
  room: Room,
): Promise<Source> {
  const { keeper, approvals } = room
  const source = await usable(slug, room)
  const { digest } = source
  if (given.digest !== undefined && given.digest !== digest) throw SourceChanged({ slug })
  const isShipped = source.origin === "shipped"
  if (!isShipped) await approvals.put({ slug, digest, tools: null, at: room.clock.now() })
  const standing = keeper.of(slug, digest)
  Object.assign(standing, { health: "unknown", problem: null })
  // Seen once, so that the tools it has now are those that were approved.
  const asked = { signal: given.signal ?? new AbortController().signal, isForced: true }
  await room
    .ask(source, asked, async () => undefined)
    .catch((error: unknown) => {
      if (!isAppError(error)) throw error
    })
  await room.onChange?.({ slug, health: standing.health })
  return room.viewOf(source)
}

async function viewSource(described: Described, { keeper, approvals }: Known): Promise<Source> {
  const { slug, origin, command, digest, config, problem } = described
  const isApproved =
    problem === null && (origin === "shipped" || (await approvals.find(slug, digest)) !== undefined)
  const seen = keeper.find(slug)
  const standing = seen?.digest === digest ? seen : undefined
  const known: SourceHealth = isApproved ? (standing?.health ?? "unknown") : "unapproved"
  return {
    slug,
    title: config?.title ?? slug,
    description: config?.description ?? "",
    origin,
    provides: [...(config?.provides ?? [])],
    command,
    digest,
    isApproved,
    health: problem === null ? known : "invalid",
    problem: problem ?? standing?.problem ?? null,
    tools: standing?.tools?.slice() ?? null,
  }
}

/** The source of that name as it is described now, or why it cannot be asked. */
async function usable(slug: string, deps: DescribeDeps): Promise<Usable> {
  const described = await describeNamed(slug, deps)
  if (described === undefined) {
    const slugs = (await describeSources(deps)).map((it) => it.slug)
    throw SourceUnknown({ slug, nearest: nearest(slug, slugs) })
  }
  const { problem } = described
  if (problem !== null) throw SourceInvalid({ slug, problem })
  return described
}
