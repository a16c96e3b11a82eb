import path from "node:path"
import type { ServerClient } from "#act/remote"
import {
  ensureDirectory,
  isAppError,
  lockHolder,
  systemClock,
  systemRandom,
  thisMachine,
  visible,
  withFileLock,
} from "#ground/base"
import { type RemoteRun, SharedKind } from "#ground/contract"
import type { App } from "#show/app"
import { ConnectBusy, ConnectTokenMissing, NotConnected } from "../errors.ts"
import { timeText } from "../render/lines.ts"
import { openApp, type RunContext, readHidden, settleLost } from "../run-operation.ts"
import { safeJson } from "../terminal/screen.ts"
import { type Connection, changeConnection, readConnections } from "./connections.ts"
import { createLocalRepository, nameFor } from "./local-repository.ts"

const NOTE_CONTACT_EVERY_MS = 10_000
const LONGEST_PROMPT_SHOWN = 2_000

type Input = Readonly<Record<string, unknown>>
type Call = {
  readonly app: App
  readonly input: Input
  readonly context: RunContext
  say(text: string): void
}

export async function runConnect(
  operation: string,
  input: Input,
  context: RunContext,
): Promise<number> {
  await using app = await openApp(context)
  const say = (text: string) => context.terminal.stdout.write(`${visible(text)}\n`)
  const call: Call = { app, input, context, say }
  if (operation === "connect.status") return await showStatus(call)
  if (operation === "connect.share") return await changeShare(call)
  if (operation === "connect.forget") return await forget(call)
  return await connect(call)
}

async function connect({ app, input, context, say }: Call): Promise<number> {
  const { checkServerUrl, createServerClient, runRunner } = await import("#act/remote")
  const { home, repository } = app.places
  const { signal } = context.terminal
  const saved = (await readConnections(home))[repository.root]
  const url = typeof input["url"] === "string" ? checkServerUrl(input["url"]) : saved?.url
  if (url === undefined) throw NotConnected({})
  // Another server gets another runner, which shares nothing.
  const connection = saved?.url === url ? saved : newConnection(url)
  const { id } = connection
  const name = machineName()
  await ensureDirectory(home)
  const lock = path.join(home, `${id}.lock`)
  return withFileLock(lock, onlyOne, async () => {
    const credentials = await app.credentials()
    const stored = input["tokenStdin"] === true ? undefined : await credentials.use(keyOf(url))
    const token = stored ?? (await readToken(input, context))
    const server = createServerClient({ url, token, signal })
    const local = createLocalRepository({
      app,
      url,
      signal,
      say,
      shares: async () => (await readConnections(home))[repository.root]?.shares ?? [],
    })
    if (stored === undefined) {
      // Only a token that works is stored.
      const repositories = [{ name: local.name, shares: connection.shares }]
      await server.attach({ id, name, repositories })
      await credentials.set(keyOf(url), token)
    }
    await changeConnection(home, repository.root, () => connection)
    await settleLost(app)
    // As a server does: a run whose process died before its first prompt is queued again.
    const agents = await app.agents()
    agents.watch()
    say(`Connecting ${local.name} to ${url}. Ctrl-C ends it.`)
    await runRunner({
      id,
      name,
      server,
      repositories: [local],
      consent: consentBy(input, context, say),
      contact: noteContact(home, repository.root),
      clock: systemClock,
      log: app.log,
      signal,
      say,
    })
    return 0
  })
}

function newConnection(url: string): Connection {
  const id = `rn_${Buffer.from(systemRandom.bytes(16)).toString("hex")}`
  return { url, id, shares: [], contactAt: null }
}

function machineName(): string {
  return nameFor(thisMachine().name.split(" ")[0] ?? "")
}

const onlyOne = {
  clock: systemClock,
  random: systemRandom,
  tries: 1,
  tryMs: 0,
  busy: ConnectBusy,
}

/** The name of the credential; `qm credential list` shows it. */
function keyOf(url: string): string {
  return `connect-${new URL(url).host.replace(/[^a-z0-9.-]+/g, "-")}`
}

async function readToken(input: Input, context: RunContext): Promise<string> {
  const { readKey, readStdin } = context.terminal
  const isPiped = input["tokenStdin"] === true
  const read = isPiped
    ? await readStdin?.()
    : readKey && (await readHidden("Token (hidden): ", context))
  const token = read?.trim() ?? ""
  if (token === "") throw ConnectTokenMissing({})
  return token
}

/** On this machine only: flags of this command, or a key press in its terminal. */
function consentBy(input: Input, { terminal }: RunContext, say: (text: string) => void) {
  const allowed: readonly unknown[] = Array.isArray(input["allow"]) ? input["allow"] : []
  let turn: Promise<unknown> = Promise.resolve()
  async function ask(run: RemoteRun, signal: AbortSignal): Promise<string | undefined> {
    if (signal.aborted || terminal.readKey === undefined) return "the question was not answered"
    say(`${run.requestedBy} asks to run ${run.type} in ${run.repository}, mode ${run.mode}:`)
    say(run.prompt.slice(0, LONGEST_PROMPT_SHOWN))
    const { length } = run.prompt
    if (length > LONGEST_PROMPT_SHOWN) say(`(the first 2,000 of ${length} characters)`)
    say("Its messages, with what its tools print, go to the server. Start it? y/N")
    const key = await terminal.readKey(AbortSignal.any([signal, terminal.signal]))
    say(key?.toLowerCase() === "y" ? "Yes." : "No.")
    return key?.toLowerCase() === "y" ? undefined : "its user refused"
  }
  return async (run: RemoteRun, signal: AbortSignal): Promise<string | undefined> => {
    if (allowed.includes(run.type)) return undefined
    if (terminal.readKey === undefined) {
      say(`Denied ${run.type} for ${run.requestedBy}: no terminal to ask in.`)
      return `its user cannot be asked: qm connect has no terminal and no --allow ${run.type}`
    }
    const answer = turn.then(() => ask(run, signal))
    turn = answer.catch(() => {})
    return answer
  }
}

function noteContact(home: string, root: string): () => Promise<void> {
  let notedMs = Number.NEGATIVE_INFINITY
  return async () => {
    if (systemClock.monotonicMs() - notedMs < NOTE_CONTACT_EVERY_MS) return
    notedMs = systemClock.monotonicMs()
    await changeConnection(home, root, (it) => it && { ...it, contactAt: systemClock.now() })
  }
}

async function showStatus({ app, context, say }: Call): Promise<number> {
  const { home } = app.places
  const all = Object.entries(await readConnections(home)).map(async ([root, it]) => ({
    repository: root,
    ...it,
    isRunning: (await lockHolder(path.join(home, it.id))) !== undefined,
  }))
  const connections = await Promise.all(all)
  if (context.line.json) context.terminal.stdout.write(`${safeJson({ connections })}\n`)
  else if (connections.length === 0) say("No repository is connected.")
  else
    for (const it of connections) {
      say(
        `${it.repository}\n  server: ${it.url}${it.isRunning ? "" : " (qm connect is not running)"}`,
      )
      say(`  runner: ${it.id}`)
      say(`  shares: ${it.shares.join(", ") || "nothing"}`)
      say(`  last contact: ${it.contactAt === null ? "none" : timeText(it.contactAt)}`)
    }
  return 0
}

async function changeShare({ app, input, say }: Call): Promise<number> {
  const { home, repository } = app.places
  const kind = SharedKind.parse(input["kind"])
  const isOn = input["state"] === "on"
  await changeConnection(home, repository.root, (it) => {
    if (it === undefined) throw NotConnected({})
    const others = it.shares.filter((one) => one !== kind)
    return { ...it, shares: isOn ? [...others, kind] : others }
  })
  say(
    isOn
      ? `${kind} of this repository goes to the server while \`qm connect\` runs.`
      : `${kind} of this repository is no longer shared; \`qm connect\` removes it from the server.`,
  )
  return 0
}

async function forget({ app, context, say }: Call): Promise<number> {
  const { home, repository } = app.places
  const { [repository.root]: connection, ...others } = await readConnections(home)
  if (connection === undefined) throw NotConnected({})
  const { id, url } = connection
  const pid = await lockHolder(path.join(home, id))
  if (pid !== undefined) throw ConnectBusy({ pid })
  const credentials = await app.credentials()
  const token = await credentials.use(keyOf(url)).catch(() => undefined)
  const { createServerClient } = await import("#act/remote")
  const { signal } = context.terminal
  const hasWithdrawn =
    token !== undefined && (await withdraw(createServerClient({ url, token, signal }), id))
  const isUsed = Object.values(others).some((it) => keyOf(it.url) === keyOf(url))
  if (token !== undefined && !isUsed) await credentials.remove(keyOf(url))
  await changeConnection(home, repository.root, () => undefined)
  say(
    hasWithdrawn
      ? `Forgot ${url}. The server removed all shared records of this repository.`
      : `Forgot ${url}. The server did not answer and still has shared records of this repository.`,
  )
  return 0
}

async function withdraw(server: ServerClient, id: string): Promise<boolean> {
  try {
    await server.attach({ id, name: machineName(), repositories: [] })
    return true
  } catch (error) {
    if (!isAppError(error)) throw error
    return false
  }
}
