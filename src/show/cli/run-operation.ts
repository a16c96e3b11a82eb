import path from "node:path"
import { isAppError, statFile, systemClock, visible } from "#ground/base"
import { OPERATIONS } from "#ground/contract"
import { type App, createApp } from "#show/app"
import type { Terminal } from "./cli.ts"
import type { EntryName } from "./entry-points.ts"
import { CredentialMissing } from "./errors.ts"
import type { ParsedLine } from "./parse.ts"
import { createProgressLine } from "./progress.ts"
import { readTyped } from "./read-line.ts"
import { renderActivity } from "./render/ledger.ts"
import { findPrinter } from "./render/renderers.ts"
import { type Screen, safeJson, safeJsonLine, visibleDeep } from "./screen.ts"

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
  if (name.startsWith("agents.")) await settleLost(app)
  return await printResult(app, { name, input }, context)
}

/**
 * Without a server, no other process recovers runs of dead processes. If the store cannot be
 * written, continue.
 */
export async function settleLost(app: App): Promise<void> {
  const agents = await app.agents()
  await agents.recover().catch((error: unknown) => {
    if (!isAppError(error)) throw error
    app.log.warn("lost runs could not be settled", { code: error.code })
  })
}

/** Calls another surface: the server, its links, its token. */
export async function runEntryPoint(
  name: EntryName,
  input: Readonly<Record<string, unknown>>,
  context: RunContext,
): Promise<number> {
  await using app = await openApp(context)
  const { stdout, environment, signal, entryPoints } = context.terminal
  return await entryPoints[name]({
    app,
    input,
    environment,
    signal,
    isTerminal: stdout.isTerminal,
    say: (text) => stdout.write(`${visible(text)}\n`),
  })
}

type Step = { readonly typed: string; readonly name: string; readonly input: unknown }

/** Runs a few commands on this repository and prints each. */
export async function runTour(context: RunContext): Promise<number> {
  await using app = await openApp(context)
  const { stdout } = context.terminal
  const { paint } = context.screen
  stdout.write(`A short tour of qm on ${visible(app.places.repository.root)}\n`)
  for (const step of await tourSteps(context.directory)) {
    stdout.write(`\n${paint.accent("$")} ${paint.bold(step.typed)}\n\n`)
    await printResult(app, step, context)
  }
  stdout.write(`\n${paint.muted("End of the tour. List all commands with `qm help --all`.")}\n`)
  return 0
}

const WORTH_COUNTING = ["README.md", "AGENTS.md", "CLAUDE.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]

async function tourSteps(directory: string): Promise<readonly Step[]> {
  const paths: string[] = []
  for (const name of WORTH_COUNTING) {
    const found = await statFile(path.join(directory, name))
    if (found.kind === "found" && found.what === "regular file") paths.push(name)
  }
  const tokens = { typed: `qm tokens ${paths.join(" ")}`, name: "tokens.count", input: { paths } }
  return [
    { typed: "qm doctor", name: "doctor.run", input: {} },
    { typed: "qm config show --sources", name: "config.show", input: { sources: true } },
    ...(paths.length === 0 ? [] : [tokens]),
    { typed: "qm store status", name: "store.status", input: {} },
    { typed: "qm events --limit 5", name: "events.list", input: { limit: 5 } },
  ]
}

export async function openApp(
  { line, terminal, directory }: RunContext,
  options: { readonly mayWriteFiles?: boolean } = {},
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

async function printResult(
  app: App,
  call: Pick<Step, "name" | "input">,
  { line, terminal, screen }: RunContext,
): Promise<number> {
  const progress = createProgressLine(terminal.stderr)
  const context = { signal: terminal.signal, onProgress: progress.show }
  const output = await app.call(call.name, call.input, context).finally(progress.clear)
  const operation = app.operations.find((it) => it.name === call.name)
  const printer = operation && (await findPrinter(operation, terminal.extra?.renderers))
  const shown = printer?.isExact === true ? output : visibleDeep(output)
  const text = line.json ? safeJson(output) : printer?.text(shown, screen)
  terminal.stdout.write(`${text ?? safeJson(output)}\n`)
  return printer?.exitCode(output) ?? 0
}

/** How often the ledger files are read: often enough to watch, too rarely to cost much. */
const LOOK_EVERY_MS = 500
const MOST_AT_ONCE = 1_000

/** Prints ledger entries; with `--follow` until Ctrl-C, with exit code 0. */
export async function runWatch(
  input: Readonly<Record<string, unknown>>,
  context: RunContext,
): Promise<number> {
  await using app = await openApp(context)
  const { signal } = context.terminal
  const ask = async (asked: object) =>
    OPERATIONS["session.activity"].output.parse(
      await app.call("session.activity", asked, { signal }),
    ).entries
  const first = await ask({ limit: input["limit"] })
  showEntries(first, context)
  if (input["follow"] !== true) return 0
  let seen = new Set(first.map((it) => JSON.stringify(it)))
  let after = first.at(-1)?.at ?? systemClock.now()
  while (!signal.aborted) {
    await systemClock.sleep(LOOK_EVERY_MS, signal).catch(() => {})
    if (signal.aborted) break
    // Two entries may have the same millisecond, so the last one is read again.
    const found = await ask({ after: after - 1, limit: MOST_AT_ONCE })
    showEntries(
      found.filter((it) => !seen.has(JSON.stringify(it))),
      context,
    )
    after = found.at(-1)?.at ?? after
    seen = new Set(found.map((it) => JSON.stringify(it)))
  }
  return 0
}

type Entries = Parameters<typeof renderActivity>[0]

function showEntries(entries: readonly Entries[], { line, terminal, screen }: RunContext): void {
  for (const entry of entries) {
    const shown = OPERATIONS["session.activity"].output.shape.entries.element.parse(
      visibleDeep(entry),
    )
    terminal.stdout.write(`${line.json ? safeJsonLine(entry) : renderActivity(shown, screen)}\n`)
  }
}

/** The value is read from stdin or typed without echo; it is never an argument. */
export async function setCredential(
  input: Readonly<Record<string, unknown>>,
  context: RunContext,
): Promise<number> {
  const value = (await readCredential(context))?.trim() ?? ""
  if (value === "") throw CredentialMissing({ name: String(input["name"]) })
  return runOperation("credential.set", { ...input, value }, context)
}

async function readCredential({ terminal }: RunContext): Promise<string | undefined> {
  const { readKey, readStdin, stderr, signal } = terminal
  if (readKey === undefined) return readStdin?.()
  stderr.write("Value (it is not shown): ")
  return readTyped({ readKey, signal, echo: () => {}, end: () => stderr.write("\n") })
}
