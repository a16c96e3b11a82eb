import path from "node:path"
import { type Clock, isAppError, type Log, nearest, type Random, visibleLine } from "#ground/base"
import type {
  Caller,
  KbWeb,
  ModelConnection,
  Source,
  SourceAdded,
  SourceAnswer,
  SourceHealth,
  SourceLogin,
  SourceLogout,
  SourceTemplate,
  SourceTest,
  SourceTools,
} from "#ground/contract"
import type { Db } from "#ground/store"
import { createApprovals } from "./approvals.ts"
import { createAsk, requireTool } from "./ask.ts"
import { readAnswer, redactArguments, showTools, type ToolArguments } from "./call-tool.ts"
import { type Connections, createConnections, startDeadline } from "./connections.ts"
import {
  type DescribeDeps,
  describeNamed,
  describeSources,
  type SourceDescription,
  type Usable,
} from "./describe/describe.ts"
import {
  LoginNotOffered,
  SourceChanged,
  SourceExists,
  SourceInvalid,
  SourceNotApproved,
  SourceOff,
  SourceUnknown,
  TemplateUnknown,
} from "./errors.ts"
import type { OAuthSource } from "./oauth/discovery.ts"
import { createLogins, type Logins } from "./oauth/logins.ts"
import { searchWeb, type WebQuestion } from "./search/web-search.ts"
import { createStatuses } from "./status.ts"
import { createSwitches } from "./switches.ts"
import { type AddRequest, addFromTemplate, readTemplates, viewTemplate } from "./templates.ts"

export type SourcesDeps = DescribeDeps & {
  readonly approvalsFile: string
  /** For the last state of each source. */
  readonly stateDirectory: string
  readonly clock: Clock
  readonly log: Log
  readonly random: Random
  credential(name: string): Promise<string | undefined>
  /** Undefined removes it. */
  storeCredential(name: string, value: string | undefined): Promise<void>
  /** An error text of a server may contain a key. */
  redact(text: string): Promise<string>
  /** Called after an approval or a test. */
  onChange?(change: { readonly slug: string; readonly health: SourceHealth }): Promise<void>
  db(): Promise<Db<"sources">>
  sessionKey?(session: string): Promise<string>
  readonly templatesDirectory: string
  addConnection(connection: ModelConnection): Promise<string>
  alwaysOn?(): readonly string[]
}

/** The caller of a tool: an agent may call only what is on in its session. */
type ToolCaller = {
  readonly caller?: Caller | undefined
  readonly sessionId?: string | undefined
  readonly signal: AbortSignal
}

export type Sources = ReturnType<typeof createSources>

export function createSources(deps: SourcesDeps) {
  const connections = createConnections(deps.clock)
  const approvals = createApprovals(deps.approvalsFile)
  const statuses = createStatuses(path.join(deps.stateDirectory, "source-status.json"), deps)
  const logins = createLogins(deps)
  const ask = createAsk({ ...deps, connections, approvals, statuses, logins })
  const state: SourceState = { connections, approvals, statuses, logins }
  const viewOf = (described: SourceDescription) => viewSource(described, { ...state, ...deps })
  const room: Room = { ...deps, ...state, switches: createSwitches(deps), ask, viewOf }
  return {
    list: (session?: string): Promise<readonly Source[]> => listSources(session, room),
    test: (slug: string, signal: AbortSignal): Promise<SourceTest> =>
      testSource(slug, signal, room),
    approve: (slug: string, digest?: string, signal?: AbortSignal): Promise<Source> =>
      approveSource(slug, { digest, signal }, room),
    tools: (slug: string | undefined, from: ToolCaller): Promise<SourceTools> =>
      listTools(slug, from, room),
    call: (slug: string, question: ToolQuestion, from: ToolCaller): Promise<SourceAnswer> =>
      callTool({ ...question, slug }, from, room),
    switch: (slug: string, session: string, isOn: boolean): Promise<Source> =>
      switchSource({ slug, session, isOn }, room),
    /** Of a recipe that the user mentioned; names that are no source are ignored. */
    enable: (session: string, slugs: readonly string[]): Promise<void> =>
      room.switches.set(session, slugs, { isOn: true, at: deps.clock.now() }),
    login: (slug: string, how: LoginRequest): Promise<SourceLogin> => logIn(slug, how, room),
    logout: (slug: string): Promise<SourceLogout> => logOut(slug, room),
    templates: async (template?: string): Promise<readonly SourceTemplate[]> => {
      const all = (await readTemplates(deps.templatesDirectory)).map(viewTemplate)
      if (template === undefined) return all
      const chosen = all.filter((it) => it.slug === template)
      const slugs = all.map((it) => it.slug)
      if (chosen.length > 0) return chosen
      throw TemplateUnknown({ slug: template, nearest: nearest(template, slugs) })
    },
    add: (request: AddRequest, signal: AbortSignal): Promise<SourceAdded> =>
      addSource(request, signal, room),
    webSearch: (question: WebQuestion): Promise<KbWeb> => searchWeb(question, room),
    async close(): Promise<void> {
      await logins.close()
      await connections.close()
    },
  }
}

/** A sign-in ends earlier by itself. */
const LONGEST_WAIT_MS = 10 * 60_000

type LoginRequest = { readonly signal: AbortSignal; readonly isWaiting?: boolean }

type ToolQuestion = { readonly tool: string; readonly args: ToolArguments }

type SourceState = {
  readonly connections: Connections
  readonly approvals: ReturnType<typeof createApprovals>
  readonly statuses: ReturnType<typeof createStatuses>
  readonly logins: Logins
}

type Room = SourcesDeps &
  SourceState & {
    readonly switches: ReturnType<typeof createSwitches>
    readonly ask: ReturnType<typeof createAsk>
    viewOf(described: SourceDescription): Promise<Source>
  }

async function listSources(session: string | undefined, room: Room): Promise<readonly Source[]> {
  const views = await Promise.all((await describeSources(room)).map(room.viewOf))
  if (session === undefined) return views
  const isOn = await room.switches.of(session)
  return views.map((it) => ({ ...it, isOn: it.isApproved && isOn(it.slug) }))
}

/** Undefined for a user, who may call every approved source. */
async function allowedFor({ caller, sessionId }: ToolCaller, room: Room) {
  if (caller?.client === undefined) return undefined
  const session = sessionId ?? caller.session
  return { session, isOn: await room.switches.of(session) }
}

async function listTools(
  slug: string | undefined,
  from: ToolCaller,
  room: Room,
): Promise<SourceTools> {
  const allowed = await allowedFor(from, room)
  if (slug !== undefined) {
    const source = await usable(slug, room)
    if (allowed?.isOn(slug) === false) throw SourceOff({ slug, session: allowed.session })
    const tools = await room.ask(source, from, async (it) => it.tools)
    return { tools: showTools(slug, tools), notes: [] }
  }
  const views = (await listSources(undefined, room)).filter((it) => it.isApproved)
  const callable = views.filter((it) => allowed?.isOn(it.slug) ?? it.origin !== "shipped")
  const listed = await Promise.all(
    callable.map(async (it) =>
      room
        .ask(await usable(it.slug, room), from, async (connection) => connection.tools)
        .then((tools) => ({ tools: showTools(it.slug, tools), notes: [] }))
        .catch((error: unknown) => {
          if (from.signal.aborted || !isAppError(error)) throw error
          return { tools: [], notes: [error.message] }
        }),
    ),
  )
  const off = allowed === undefined ? [] : views.filter((it) => !allowed.isOn(it.slug))
  return {
    tools: listed.flatMap((it) => it.tools),
    notes: [...listed.flatMap((it) => it.notes), ...off.map((it) => offNote(it, allowed))],
  }
}

function offNote({ slug }: Source, allowed: { readonly session: string } | undefined): string {
  const { message, hint } = SourceOff({ slug, session: allowed?.session ?? "" })
  return `${message} ${hint}`
}

async function callTool(
  { slug, tool, args }: ToolQuestion & { readonly slug: string },
  from: ToolCaller,
  room: Room,
): Promise<SourceAnswer> {
  const source = await usable(slug, room)
  const allowed = await allowedFor(from, room)
  if (allowed?.isOn(slug) === false) throw SourceOff({ slug, session: allowed.session })
  const sent = await redactArguments(args, room.redact)
  const answer = await room.ask(source, from, (connection, options) => {
    requireTool(slug, tool, connection)
    return connection.call(tool, sent, options)
  })
  return readAnswer({ slug, tool }, answer)
}

async function switchSource(
  change: { readonly slug: string; readonly session: string; readonly isOn: boolean },
  room: Room,
): Promise<Source> {
  const { slug, session, isOn } = change
  const view = await room.viewOf(await usable(slug, room))
  await room.switches.set(session, [slug], { isOn, at: room.clock.now() })
  await room.onChange?.({ slug, health: view.health })
  return { ...view, isOn: isOn && view.isApproved }
}

/** The source with its sign-in; only for an approved one, whose address the user has seen. */
async function loginOf(slug: string, room: Room) {
  const source = await usable(slug, room)
  const login = oauthOf(source)
  if (login === undefined) throw LoginNotOffered({ slug })
  const { isApproved } = await room.viewOf(source)
  if (isApproved) return { source, login }
  throw SourceNotApproved({ slug, command: source.command, why: "is not approved" })
}

function oauthOf({ slug, config }: SourceDescription): OAuthSource | undefined {
  const transport = config?.transport
  if (transport === undefined || transport.type === "stdio") return undefined
  const { url, oauth } = transport
  return oauth === undefined ? undefined : { slug, url, oauth }
}

async function logIn(slug: string, how: LoginRequest, room: Room): Promise<SourceLogin> {
  const { source, login } = await loginOf(slug, room)
  if (how.isWaiting !== true) {
    const url = await room.logins.start(login)
    void room.logins.finished(slug).then(
      () => afterLogin(source, room),
      () => {},
    )
    return { source: await room.viewOf(source), url }
  }
  using waiting = startDeadline(room.clock, LONGEST_WAIT_MS, how.signal)
  await waiting.within(room.logins.finished(slug))
  return { source: await room.viewOf(source), url: null }
}

async function logOut(slug: string, room: Room): Promise<SourceLogout> {
  const { source, login } = await loginOf(slug, room)
  const isRevoked = await room.logins.logOut(login)
  await afterLogin(source, room)
  return { source: await room.viewOf(source), isRevoked }
}

/** The next call uses the new tokens, or none. */
async function afterLogin({ slug, digest }: Usable, room: Room): Promise<void> {
  const state = room.connections.of(slug, digest)
  state.connection.hangUp()
  state.health = "unknown"
  state.problem = null
  await room.onChange?.({ slug, health: "unknown" })
}

/** An added API is approved: its address and its requests come from our template. */
async function addSource(
  request: AddRequest,
  signal: AbortSignal,
  room: Room,
): Promise<SourceAdded> {
  const name = request.name ?? request.template
  if ((await describeNamed(name, room)) !== undefined) throw SourceExists({ slug: name })
  const added = await addFromTemplate(request, room)
  if (added.kind === "connection") return added
  const described = await usable(name, room)
  if (described.config.transport.type === "api") {
    await approveSource(name, { digest: undefined, signal }, room)
  }
  return added
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
  deps: SourceState & Pick<SourcesDeps, "credential" | "environment">,
): Promise<Source> {
  const { connections, approvals, statuses, logins } = deps
  const login = await loginState(described, logins)
  const keyProblem = await missingKey(described, deps)
  const { slug, origin, command, digest, config, problem } = described
  const isApproved =
    problem === null && (origin === "shipped" || (await approvals.find(slug, digest)) !== undefined)
  const sourceState = connections.find(slug)
  const own = sourceState?.digest === digest ? sourceState : undefined
  const stored = (await statuses.read()).find((it) => it.slug === slug && it.digest === digest)
  // This process knows more, unless it has not called the source yet.
  const isFresh = own === undefined || (own.health === "unknown" && own.tools === null)
  const state = isFresh ? stored : own
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
    isReady: isApproved && keyProblem === null && (login === null || login === "signed in"),
    health: problem === null ? currentHealth : "invalid",
    checkedAt: stored?.checkedAt ?? null,
    login,
    problem: problem ?? state?.problem ?? (isApproved ? keyProblem : null),
    tools: state?.tools?.slice() ?? null,
  }
}

/** Variables of a program may be optional; the key of an address is not. */
async function missingKey(
  { config }: SourceDescription,
  { credential }: Pick<SourcesDeps, "credential">,
): Promise<string | null> {
  const transport = config?.transport
  if (transport === undefined || transport.type === "stdio") return null
  const { credential: name } = transport
  if (name === undefined || (await credential(name)) !== undefined) return null
  return `It is off until its key is set: \`qm credential set ${visibleLine(name)}\`.`
}

async function loginState(
  described: SourceDescription,
  logins: Pick<Logins, "isPending" | "isSignedIn">,
): Promise<Source["login"]> {
  const login = oauthOf(described)
  if (login === undefined) return null
  if (logins.isPending(described.slug)) return "waiting"
  return (await logins.isSignedIn(login)) ? "signed in" : "needed"
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
