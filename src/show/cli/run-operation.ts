import { isAppError, openPage, visible } from "#ground/base"
import { SourceLogin } from "#ground/contract"
import { type App, createApp, InputInvalid } from "#show/app"
import type { Terminal } from "./cli.ts"
import type { EntryName } from "./entry-points.ts"
import { CredentialMissing, spellFields } from "./errors.ts"
import type { ParsedLine } from "./parse.ts"
import { findPrinter } from "./render/renderers.ts"
import { createProgressLine } from "./terminal/progress.ts"
import { readTyped } from "./terminal/read-line.ts"
import { type Screen, safeJson, visibleDeep } from "./terminal/screen.ts"
import { createTerminalTitle, titleFor } from "./terminal/terminal-title.ts"

export type RunContext = {
  readonly line: ParsedLine
  readonly terminal: Terminal
  readonly screen: Screen
  readonly directory: string
}

export async function runOperation(
  name: string,
  input: unknown,
  context: RunContext,
): Promise<number> {
  await using app = await openApp(context, { mayWriteFiles: true })
  if (name.startsWith("agents.") && !(await app.hasNoState())) await settleLost(app)
  return await printResult(app, { name, input }, context)
}

/**
 * Without a server, no other process recovers runs of dead processes. If the store cannot be
 * written, continue.
 */
export async function settleLost(app: App): Promise<void> {
  try {
    await (await app.agents()).recover()
  } catch (error) {
    if (!isAppError(error)) throw error
    app.log.warn("interrupted runs could not be ended", { code: error.code })
  }
}

/** Processes that answer many calls; the system tells them what changed in the tree. */
const STAYING: readonly EntryName[] = ["up", "mcp"]

/** Calls another surface: the server, its links, its token. */
export async function runEntryPoint(
  name: EntryName,
  input: Readonly<Record<string, unknown>>,
  context: RunContext,
): Promise<number> {
  await using app = await openApp(context, { watchesTree: STAYING.includes(name) })
  const { stdout, environment, signal, entryPoints } = context.terminal
  const title = createTerminalTitle(stdout, environment)
  return await entryPoints[name]({
    app,
    input,
    environment,
    signal,
    openApp: (directory) => openApp({ ...context, directory }, { watchesTree: true }),
    isTerminal: stdout.isTerminal,
    showWaiting: (repository, waiting) => title.show(titleFor(repository, waiting)),
    say: (text) => stdout.write(`${visible(text)}\n`),
  }).finally(title.restore)
}

export async function openApp(
  { line, terminal, directory }: RunContext,
  options: Pick<
    Parameters<typeof createApp>[0],
    "mayWriteFiles" | "storeMode" | "watchesTree"
  > = {},
): Promise<App> {
  return createApp({
    ...options,
    ...(terminal.extra !== undefined && { extra: terminal.extra }),
    attack: (places) => terminal.entryPoints.attack(places),
    directory,
    environment: terminal.environment,
    settings: line.verbose ? ["log.level=debug", ...line.settings] : line.settings,
    writeLog: (text) => terminal.stderr.write(`${text}\n`),
  })
}

export async function printResult(
  app: App,
  call: { readonly name: string; readonly input: unknown },
  { line, terminal, screen }: RunContext,
): Promise<number> {
  const progress = createProgressLine(terminal.stderr)
  const context = { signal: terminal.signal, onProgress: progress.show }
  const output = await app
    .call(call.name, call.input, context)
    .catch((error: unknown) => {
      throw inTypedWords(error, line)
    })
    .finally(progress.clear)
  const printer = await findPrinter(call.name, terminal.extra?.renderers)
  const shown = printer?.isExact === true ? output : visibleDeep(output)
  const text = line.json ? safeJson(output) : printer?.text(shown, screen)
  terminal.stdout.write(`${text ?? safeJson(output)}\n`)
  return printer?.exitCode(output) ?? 0
}

/** An input error names the command and its flags, not the operation and its fields. */
function inTypedWords(error: unknown, { action }: ParsedLine): unknown {
  if (!InputInvalid.is(error) || action.kind !== "run") return error
  const { operation, problem } = error.data
  const command = action.command.words.join(" ")
  return InputInvalid({ operation, problem: spellFields(problem, action.command), command }, error)
}

/** Shows and opens the page, then waits until the user has signed in there. */
export async function signIn(
  input: Readonly<Record<string, unknown>>,
  context: RunContext,
): Promise<number> {
  const { stderr, signal, environment } = context.terminal
  await using app = await openApp(context, { mayWriteFiles: true })
  const { url } = SourceLogin.parse(await app.call("source.login", input, { signal }))
  // Not stdout, which belongs to the result.
  stderr.write(`Sign in on this page; Ctrl-C cancels.\n${visible(url ?? "")}\n`)
  if (url !== null) await openPage(url, environment)
  return await printResult(app, { name: "source.login", input: { ...input, wait: true } }, context)
}

/** The value is read from stdin or typed without echo; it is never an argument. */
export async function enterCredential(
  operation: "credential.set" | "credential.give",
  input: Readonly<Record<string, unknown>>,
  context: RunContext,
): Promise<number> {
  const value = (await readHidden("Value (hidden): ", context))?.trim() ?? ""
  if (value === "") throw CredentialMissing({ name: String(input["name"] ?? input["id"]) })
  return runOperation(operation, { ...input, value }, context)
}

/** Typed without echo; without a terminal, all of stdin. */
export async function readHidden(
  label: string,
  { terminal }: RunContext,
): Promise<string | undefined> {
  const { readKey, readStdin, stderr, signal } = terminal
  if (readKey === undefined) return readStdin?.()
  stderr.write(label)
  return readTyped({ readKey, signal, echo: () => {}, end: () => stderr.write("\n") })
}
