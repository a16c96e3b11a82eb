import { type Clock, isAppError, type Log, nearest } from "#ground/base"
import type { KbWeb, Source, SourceHealth, SourceTest } from "#ground/contract"
import { createApprovals } from "./approvals.ts"
import { createAsk, requireTool } from "./ask.ts"
import { type Connections, createConnections } from "./connections.ts"
import {
  type DescribeDeps,
  describeNamed,
  describeSources,
  type SourceDescription,
  type Usable,
} from "./describe.ts"
import { SourceChanged, SourceInvalid, SourceUnknown } from "./errors.ts"
import { searchWeb, type WebQuestion } from "./web-search.ts"
import type { ToolAnswer } from "./wire/connection.ts"

export type SourcesDeps = DescribeDeps & {
  readonly approvalsFile: string
  readonly clock: Clock
  readonly log: Log
  credential(name: string): Promise<string | undefined>
  /** An error text of a server may contain a key. */
  redact(text: string): Promise<string>
  /** Called after an approval or a test. */
  onChange?(change: { readonly slug: string; readonly health: SourceHealth }): Promise<void>
}

export type Sources = ReturnType<typeof createSources>

export function createSources(deps: SourcesDeps) {
  const connections = createConnections(deps.clock)
  const approvals = createApprovals(deps.approvalsFile)
  const ask = createAsk({ ...deps, connections, approvals })
  const viewOf = (described: SourceDescription) => viewSource(described, { connections, approvals })
  const room: Room = { ...deps, connections, approvals, ask, viewOf }

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
    close: connections.close,
  }
}

type SourceState = {
  readonly connections: Connections
  readonly approvals: ReturnType<typeof createApprovals>
}

type Room = SourcesDeps &
  SourceState & {
    readonly ask: ReturnType<typeof createAsk>
    viewOf(described: SourceDescription): Promise<Source>
  }

async function testSource(slug: string, signal: AbortSignal, room: Room): Promise<SourceTest> {
  const { connections, clock, ask } = room
  const source = await usable(slug, room)
  const state = connections.of(slug, source.digest)
  // Reconnect: an open connection does not prove that the next start works.
  state.connection.hangUp()
  state.health = "unknown"
  const startedMs = clock.monotonicMs()
  const tools = await ask(source, { signal, isForced: true }, async (it) => it.tools).catch(
    (error: unknown) => {
      // A failed source is a valid test result; a missing approval is an error.
      if (state.health === "dead" && isAppError(error)) return []
      throw error
    },
  )
  const durationMs = Math.round(clock.monotonicMs() - startedMs)
  await room.onChange?.({ slug, health: state.health })
  return {
    source: await room.viewOf(source),
    durationMs,
    tools: tools.map(({ name, description }) => ({ name, description })),
  }
}

async function approveSource(
  slug: string,
  options: { readonly digest: string | undefined; readonly signal: AbortSignal | undefined },
  room: Room,
): Promise<Source> {
  const { connections, approvals } = room
  const source = await usable(slug, room)
  const { digest } = source
  if (options.digest !== undefined && options.digest !== digest) throw SourceChanged({ slug })
  const isShipped = source.origin === "shipped"
  if (!isShipped) await approvals.put({ slug, digest, tools: null, at: room.clock.now() })
  const state = connections.of(slug, digest)
  state.health = "unknown"
  state.problem = null
  // Lists the tools once, so that the current ones are the approved ones.
  const askOptions = { signal: options.signal ?? new AbortController().signal, isForced: true }
  await room
    .ask(source, askOptions, async () => undefined)
    .catch((error: unknown) => {
      if (!isAppError(error)) throw error
    })
  await room.onChange?.({ slug, health: state.health })
  return room.viewOf(source)
}

async function viewSource(
  described: SourceDescription,
  { connections, approvals }: SourceState,
): Promise<Source> {
  const { slug, origin, command, digest, config, problem } = described
  const isApproved =
    problem === null && (origin === "shipped" || (await approvals.find(slug, digest)) !== undefined)
  const sourceState = connections.find(slug)
  const state = sourceState?.digest === digest ? sourceState : undefined
  const currentHealth: SourceHealth = isApproved ? (state?.health ?? "unknown") : "unapproved"
  return {
    slug,
    title: config?.title ?? slug,
    description: config?.description ?? "",
    origin,
    provides: [...(config?.provides ?? [])],
    command,
    digest,
    isApproved,
    health: problem === null ? currentHealth : "invalid",
    problem: problem ?? state?.problem ?? null,
    tools: state?.tools?.slice() ?? null,
  }
}

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
