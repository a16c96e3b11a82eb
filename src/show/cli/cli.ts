import path from "node:path"
import {
  isAppError,
  mapStack,
  missingBuiltFile,
  missingPackageFiles,
  packageFile,
  systemRandom,
  truncate,
  versions,
  visible,
  visibleLine,
} from "#ground/base"
import type { WireError } from "#ground/contract"
import type { ExtraOperations } from "#show/app"
import type { Command } from "./command.ts"
import { derivedCommands, loadCommands } from "./command-index.ts"
import { type EntryPoints, isEntryPoint } from "./entry-points.ts"
import { InstallIncomplete, TooManyFiles } from "./errors.ts"
import { type Candidate, COMPLETION_SCRIPTS, type Completion, complete } from "./help/completion.ts"
import { renderHelp } from "./help/help.ts"
import { type ParsedLine, parseLine, wantsJson } from "./parse.ts"
import type { findPrinter } from "./render/renderers.ts"
import { fitText } from "./terminal/layout.ts"
import { createScreen, type Screen, safeJson, wantsColor } from "./terminal/screen.ts"

type Environment = Readonly<Record<string, string | undefined>>
type Sink = {
  write(text: string): void
  readonly isTerminal: boolean
  readonly columns?: number | undefined
}

const USUAL_COLUMNS = 80

/** Operations of tests, with their renderers. */
export type ExtraCommands = ExtraOperations & {
  readonly renderers?: Parameters<typeof findPrinter>[1]
}

export type Terminal = {
  readonly argv: readonly string[]
  readonly environment: Environment
  readonly directory: string
  readonly stdout: Sink
  readonly stderr: Sink
  readonly signal: AbortSignal
  readonly entryPoints: EntryPoints
  readonly extra?: ExtraCommands
  /** All of stdin; absent at a terminal. */
  readonly readStdin?: (() => Promise<string>) | undefined
  /** The next key press; absent without a terminal. */
  readonly readKey?: ((signal: AbortSignal) => Promise<string | undefined>) | undefined
}

export async function runCli(terminal: Terminal): Promise<number> {
  const { argv } = terminal
  const commands = await commandsFor(terminal.extra)
  try {
    if (argv[0] === "complete" && argv[1] === "--") {
      return await printCandidates(complete(argv.slice(2), commands), terminal)
    }
    return await perform(parseLine(argv, commands), { terminal, commands })
  } catch (error) {
    return await fail(error, terminal)
  }
}

async function printCandidates(
  { candidates, list }: Completion,
  terminal: Terminal,
): Promise<number> {
  // Commands, flags and values load no room.
  const ids =
    list === undefined ? [] : await (await import("./help/list-ids.ts")).listIds(list, terminal)
  const rows = [...candidates, ...ids].map((it) => visibleLine(it.text) + aboutOf(it))
  terminal.stdout.write(rows.map((it) => `${it}\n`).join(""))
  return 0
}

/** The longest summary of a command. */
const LONGEST_ABOUT = 70

function aboutOf({ about }: Candidate): string {
  return about === "" ? "" : `\t${visibleLine(truncate(about, LONGEST_ABOUT))}`
}

async function commandsFor(extra: ExtraCommands | undefined): Promise<readonly Command[]> {
  const commands = await loadCommands()
  if (extra === undefined) return commands
  return [...commands, ...(await derivedCommands(Object.values(extra.operations)))]
}

type CommandSetup = { readonly terminal: Terminal; readonly commands: readonly Command[] }

async function perform(line: ParsedLine, { terminal, commands }: CommandSetup): Promise<number> {
  const screen = screenFor(terminal.stdout, line.color, terminal.environment)
  switch (line.action.kind) {
    case "start":
      return showStart(line, { terminal, commands, screen })
    case "help":
      terminal.stdout.write(
        line.action.isManual === true
          ? (await import("./help/manual.ts")).renderManual(commands)
          : renderHelp(line.action, commands, screen),
      )
      return 0
    case "version":
      return printVersion(line, terminal)
    case "run":
      return run(line.action, { line, terminal, screen, commands })
    default:
      return line.action satisfies never
  }
}

/** `qm` alone: at a terminal the state of this repository, in a pipe the short help. */
async function showStart(line: ParsedLine, call: Omit<Call, "line">): Promise<number> {
  const { terminal, commands, screen } = call
  if (terminal.stdout.isTerminal) {
    await import("./zod-without-jit.ts")
    const { runStart } = await import("./start/start-screen.ts")
    const context = { ...call, line, directory: directoryOf({ ...call, line }) }
    if (await runStart(context)) return 0
  }
  terminal.stdout.write(renderHelp({ words: [] }, commands, screen))
  return 0
}

type RunAction = Extract<ParsedLine["action"], { kind: "run" }>
type Call = CommandSetup & { readonly line: ParsedLine; readonly screen: Screen }

async function run(action: RunAction, call: Call): Promise<number> {
  const { operation } = action.command
  if (operation === "completion") {
    call.terminal.stdout.write(COMPLETION_SCRIPTS[String(action.input["shell"])] ?? "")
    return 0
  }
  // Load rooms, zod and renderers only now: help and completion must start fast.
  const live = liveNameOf(operation, action.input)
  if (live !== undefined) {
    const { runLive } = await import("./live-run/live-run.ts")
    return runLive(live, action.input, { ...call, directory: directoryOf(call) })
  }
  if (!isEntryPoint(operation)) await import("./zod-without-jit.ts")
  const commands = await import("./run-operation.ts")
  const context = { ...call, directory: directoryOf(call) }
  if (operation === "session.activity") {
    return (await import("./terminal/watch-activity.ts")).runWatch(action.input, context)
  }
  if (operation === "credential.set" || operation === "credential.give") {
    return commands.enterCredential(operation, action.input, context)
  }
  if (operation === "source.login") return commands.signIn(action.input, context)
  if (operation === "tour") return (await import("./start/tour.ts")).runTour(context)
  if (operation === "gateway.run") {
    return (await import("./gateway-run.ts")).runThroughGateway(action.input, context)
  }
  if (operation === "connect" || operation.startsWith("connect.")) {
    return (await import("./connect/connect.ts")).runConnect(operation, action.input, context)
  }
  if (isFollowed(operation)) {
    const { runPipeline } = await import("./pipeline/follow.ts")
    return runPipeline(operation, action.input, context)
  }
  return isEntryPoint(operation)
    ? commands.runEntryPoint(operation, action.input, context)
    : commands.runOperation(operation, action.input, context)
}

function directoryOf({ line, terminal }: Call): string {
  return path.resolve(terminal.directory, line.directory ?? ".")
}

async function printVersion(line: ParsedLine, terminal: Terminal): Promise<number> {
  const current = versions()
  const text = `qm ${current.qm} (node ${current.node}, sqlite ${current.sqlite})\n`
  terminal.stdout.write(line.json ? `${safeJson(current)}\n` : text)
  return 0
}

async function fail(thrown: unknown, terminal: Terminal): Promise<number> {
  if (terminal.signal.aborted) return 130
  const screen = screenFor(terminal.stderr, "auto", terminal.environment)
  const error = isAppError(thrown) ? thrown : (findMissingFile(thrown) ?? thrown)
  const { text, wire, exitCode } = explain(error, screen)
  // Errors quote input, which may contain a key that was pasted in the wrong place.
  const { createSecrets } = await import("#ground/secrets")
  const { redact, redactJson } = createSecrets({ random: systemRandom })
  const output = wantsJson(terminal.argv)
    ? safeJson({ error: redactJson(wire).value })
    : redact(text).text
  terminal.stderr.write(`${output}\n`)
  return exitCode
}

/** The cause of an unexpected error may be a package that npm did not unpack completely. */
function findMissingFile(cause: unknown): Error | undefined {
  const folder = packageFile("")
  const missing = missingBuiltFile(cause, folder) ?? missingPackageFiles()[0]
  return missing === undefined ? undefined : InstallIncomplete({ folder, missing }, cause)
}

function screenFor(sink: Sink, choice: string, environment: Environment): Screen {
  const isColored = wantsColor({ choice, isTerminal: sink.isTerminal, environment })
  const columns = sink.isTerminal ? (sink.columns ?? USUAL_COLUMNS) : undefined
  return createScreen({ isColored, columns })
}

/** Commands that start or resume a pipeline and follow it; a list, because no room is loaded yet. */
const FOLLOWED: ReadonlySet<string> = new Set([
  "pipeline.run",
  "pipeline.resume",
  "pipeline.amend",
  "pipeline.skip",
  "pipeline.rerun",
  "pipeline.say",
])

export function isFollowed(operation: string): boolean {
  return FOLLOWED.has(operation)
}

/** Commands that follow a run, by operation. */
const LIVE_NAMES = {
  "agents.start": "run",
  "agents.send": "send",
  attach: "attach",
  "agents.stop": "stop",
  "agents.answer": "answer",
} as const
export type LiveName = (typeof LIVE_NAMES)[keyof typeof LIVE_NAMES] | "handoff"

/** Undefined for an ordinary operation. */
function liveNameOf(
  operation: string,
  input: Readonly<Record<string, unknown>>,
): LiveName | undefined {
  // Only a started session is followed; the package alone is an ordinary result.
  if (operation === "agents.handoff") return input["start"] === true ? "handoff" : undefined
  return Object.entries(LIVE_NAMES).find(([name]) => name === operation)?.[1]
}

type ExplainedError = {
  readonly text: string
  readonly wire: WireError
  readonly exitCode: number
}

/** Also of a thread, whose error is only a text here. */
const TOO_MANY_FILES = /\bE[MN]FILE\b/

export function explain(thrown: unknown, screen: Screen): ExplainedError {
  const { paint } = screen
  const isExhausted = !isAppError(thrown) && TOO_MANY_FILES.test(String(thrown))
  const error = isExhausted ? TooManyFiles({}) : thrown
  const advice = (hint: string, code: string) =>
    fitText(`  ${paint.accent("→")} ${visible(hint)}  ${paint.muted(`[${code}]`)}`, screen)
  if (isAppError(error)) {
    const { code, formerCode, message, hint, data } = error
    const former = formerCode === undefined ? {} : { formerCode }
    const text = `${fitText(visible(message), screen)}\n${advice(hint, code)}`
    return { text, wire: { code, message, hint, data, ...former }, exitCode: 1 }
  }
  const message = error instanceof Error ? error.message : String(error)
  const stack = error instanceof Error ? (error.stack ?? message) : message
  const hint = "This is a bug in Quartermaster. Report it with the lines above."
  return {
    text: `${visible(mapStack(stack))}\n${advice(hint, "BUG")}`,
    wire: { code: "BUG", message, hint, data: null },
    exitCode: 70,
  }
}
