import path from "node:path"
import { isAppError, statFile, visible } from "#ground/base"
import { type App, createApp } from "#show/app"
import type { Terminal } from "./cli.ts"
import type { EntryName } from "./entry-points.ts"
import type { ParsedLine } from "./parse.ts"
import { createProgressLine } from "./progress.ts"
import { findPrinter } from "./render/renderers.ts"
import { type Screen, safeJson, visibleDeep } from "./screen.ts"

export type RunContext = {
  readonly line: ParsedLine
  readonly terminal: Terminal
  readonly screen: Screen
  readonly directory: string
}

/** Run one operation and print its result: for people, or as JSON. */
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
 * Without a server nobody else tells the truth about runs whose process died. A store that cannot
 * be written is no reason to show nothing.
 */
export async function settleLost(app: App): Promise<void> {
  const agents = await app.agents()
  await agents.recover().catch((error: unknown) => {
    if (!isAppError(error)) throw error
    app.log.warn("lost runs could not be settled", { code: error.code })
  })
}

/** Leave the command line through another door: the server, its links, its token. */
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

/** A few commands on this repository, each as it would be typed. */
export async function runTour(context: RunContext): Promise<number> {
  await using app = await openApp(context)
  const { stdout } = context.terminal
  const { paint } = context.screen
  stdout.write(`A short tour of qm on ${visible(app.places.repository.root)}\n`)
  for (const step of await tourSteps(context.directory)) {
    stdout.write(`\n${paint.accent("$")} ${paint.bold(step.typed)}\n\n`)
    await printResult(app, step, context)
  }
  stdout.write(`\n${paint.muted("That was the tour. `qm --help` lists every command.")}\n`)
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
