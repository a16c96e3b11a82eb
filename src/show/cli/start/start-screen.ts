import {
  formatBytes,
  formatCount,
  formatExact,
  isAppError,
  plural,
  visible,
  visibleLine,
} from "#ground/base"
import type { HostSession, HostStatus, OperationName, OperationOutput } from "#ground/contract"
import type { App } from "#show/app"
import { renderBar } from "../render/bar.ts"
import { hostRows } from "../render/config.ts"
import { openApp, type RunContext } from "../run-operation.ts"
import { table } from "../terminal/layout.ts"
import { createProgressLine } from "../terminal/progress.ts"

const MOST_SESSIONS = 500

/**
 * What `qm` alone prints at a terminal: agents on this machine, what one of them loads here, stored
 * sessions, and the next steps. False outside a git repository, where it would have to create a
 * folder for its state.
 */
export async function runStart(context: RunContext): Promise<boolean> {
  await using app = await openApp(context)
  const { repository } = app.places
  if (repository.gitCommonDirectory === undefined) return false
  const { stdout } = context.terminal
  const { screen } = context
  const call = callOf(app, context)
  const hosts = (await call("hosts.list", {})).hosts.map(withVisibleText)
  const write = (lines: readonly string[]) => stdout.write(`${lines.join("\n")}\n\n`)
  write([
    `${screen.paint.bold("Quartermaster")} in ${visible(repository.root)}`,
    "",
    screen.paint.bold("Agents"),
    table(hostRows(hosts, screen), screen),
  ])
  write(await captureLines(call, hosts, context))
  const sessions = await orNothing(async () => {
    return (await call("agents.sessions", { limit: MOST_SESSIONS })).sessions
  })
  const fresh = (sessions ?? []).filter((it) => it.runId === null)
  if (fresh.length > 0) await offerImport(call, fresh, context)
  write([screen.paint.bold("Next"), table(nextSteps(hosts, fresh), screen)])
  return true
}

/** Both come from names of files on this machine. */
function withVisibleText(host: HostStatus): HostStatus {
  const { version, loginFrom } = host
  return {
    ...host,
    version: version === null ? null : visibleLine(version),
    loginFrom: loginFrom === null ? null : visibleLine(loginFrom),
  }
}

type Call = <Name extends OperationName>(
  name: Name,
  input: object,
) => Promise<OperationOutput<Name>>

function callOf(app: App, { terminal }: RunContext): Call {
  function isOutput<Name extends OperationName>(it: unknown): it is OperationOutput<Name> {
    // The app has parsed it with the schema of this operation.
    return typeof it === "object"
  }
  return async <Name extends OperationName>(name: Name, input: object) => {
    const output = await app.call(name, input, { signal: terminal.signal })
    if (isOutput<Name>(output)) return output
    throw new Error(`${name} returned no object`)
  }
}

/** A part that cannot be read, such as with a broken store, is left out; `qm doctor` says why. */
async function orNothing<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await read()
  } catch (error) {
    if (isAppError(error)) return undefined
    throw error
  }
}

async function captureLines(
  call: Call,
  hosts: readonly HostStatus[],
  { screen }: RunContext,
): Promise<readonly string[]> {
  const installed = hosts.find((it) => it.isInstalled && it.isCaptured)
  const host = installed?.name ?? "claude-code"
  const capture = await orNothing(() => call("capture.take", { host }))
  if (capture === undefined) return [screen.paint.warn("No capture. Run `qm doctor`.")]
  const { headline, budget } = capture
  const title = hosts.find((it) => it.name === host)?.title ?? host
  const share = `${(headline.share * 100).toFixed(1)} % of ${formatCount(headline.window)}`
  return [
    screen.paint.bold(
      `Before the first prompt, ${title} ${installed === undefined ? "would load" : "loads"} ${formatExact(headline.tokens)} tokens, ${share}`,
    ),
    renderBar(headline.kinds, budget.startBudget, screen),
  ]
}

async function offerImport(
  call: Call,
  sessions: readonly HostSession[],
  { terminal, screen }: RunContext,
): Promise<void> {
  const bytes = sessions.reduce((sum, it) => sum + it.sizeBytes, 0)
  const hosts = [...new Set(sessions.map((it) => it.host))].join(" and ")
  const { stdout, stderr, readKey, signal } = terminal
  stdout.write(
    `${screen.paint.bold("Sessions")}\n${plural(sessions.length, "session")} of ${hosts} in this repository, ${formatBytes(bytes)}, not imported\n`,
  )
  if (readKey === undefined) {
    stdout.write("\n")
    return
  }
  stdout.write(
    "Import them now, to read and search them here? Press y for yes, any other key for no: ",
  )
  const key = await readKey(signal)
  stdout.write("\n")
  if (key === "y" || key === "Y") {
    const progress = createProgressLine(stderr)
    const { done, failed } = await importAll(call, sessions, (count) =>
      progress.show({ what: "importing sessions", done: count, total: sessions.length }),
    ).finally(progress.clear)
    const failures = failed === 0 ? "" : `, ${plural(failed, "failure")}`
    stdout.write(`${plural(done, "session")} imported${failures}. List them with \`qm runs\`.\n`)
  }
  stdout.write("\n")
}

/** One after the other; Ctrl-C ends it after what is stored, and another import continues there. */
async function importAll(
  call: Call,
  sessions: readonly HostSession[],
  onDone: (count: number) => void,
): Promise<{ readonly done: number; readonly failed: number }> {
  let [done, failed] = [0, 0]
  for (const { sessionId } of sessions) {
    const run = await orNothing(() => call("agents.read", { session: sessionId }))
    if (run === undefined) failed += 1
    else done += 1
    onDone(done + failed)
  }
  return { done, failed }
}

function nextSteps(
  hosts: readonly HostStatus[],
  fresh: readonly HostSession[],
): readonly string[][] {
  const idle = hosts.find((it) => it.isInstalled && it.hooks === "none")
  const [session] = fresh
  return [
    ...(idle === undefined
      ? []
      : [[["qm init --host", idle.name].join(" "), `Connect ${idle.title}; shows a plan first`]]),
    ['qm pack "fix the login"', "Build a package for a task"],
    hosts.some((it) => it.isInstalled)
      ? ['qm run "What is this?"', "Start a run"]
      : ["qm hosts", "Show how to install an agent"],
    ...(session === undefined
      ? []
      : [[`qm runs import-session ${session.sessionId.slice(0, 8)}`, "Import one stored session"]]),
    ["qm up", "Open the console in the browser"],
    ["qm tour", "Try capture, search and pack on this repository"],
    ["qm help", "List the main commands"],
  ]
}
