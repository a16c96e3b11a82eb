import { attend, visibleLine } from "#ground/base"
import { AutoFoldMode, WireName } from "#ground/contract"
import type { App } from "#show/app"
import { CommandNotStarted, InvalidPercent } from "./errors.ts"
import { openApp, type RunContext } from "./run-operation.ts"

/** A shell's exit code for a signal is 128 plus its number. */
const BY_SIGNAL = 128
const SIGNALS: Readonly<Record<string, number>> = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }

/**
 * Runs the user's own program on their terminal, with its model requests going through the gateway.
 */
export async function runThroughGateway(
  input: Readonly<Record<string, unknown>>,
  context: RunContext,
): Promise<number> {
  const { terminal, directory } = context
  const [program = "", ...args] = Array.isArray(input["command"])
    ? input["command"].map(String)
    : []
  await using app = await openApp(context)
  const notices: string[] = []
  const proxied = await open(app, { program, args, input, context, notices })
  const print = (lines: readonly string[]): void => {
    for (const it of lines) terminal.stderr.write(`${visibleLine(it)}\n`)
  }
  print(notices.splice(0))
  const environment = { ...terminal.environment, ...proxied.environment }
  const outcome = await attend(program, [...proxied.args, ...args], {
    cwd: directory,
    env: Object.fromEntries(
      Object.entries(environment).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      ),
    ),
  })
  await proxied.end()
  // Printed at the end: until then the screen belongs to the program.
  print(notices)
  return exitCodeOf(outcome, program)
}

type GatewayRunInput = {
  readonly program: string
  readonly args: readonly string[]
  readonly input: Readonly<Record<string, unknown>>
  readonly context: RunContext
  readonly notices: string[]
}

async function open(app: App, { program, args, input, context, notices }: GatewayRunInput) {
  const { Bypassed, bypassingArgument, hostOfProgram } = await import("#act/gateway")
  const bypass = bypassingArgument(hostOfProgram(program), args)
  if (bypass !== undefined) throw Bypassed({ file: "The command line", key: bypass })
  return app.proxySession({
    run: null,
    title: visibleLine(program),
    host: hostOfProgram(program),
    mode: input["mode"] === "fold" ? "fold" : "record",
    wire: WireName.optional().parse(input["wire"]),
    hasContent: input["content"] === true || app.config().gateway.content,
    autoFold: AutoFoldMode.optional().parse(input["autoFold"]),
    autoFoldAt: percentOf(input["at"]),
    workingDirectory: context.directory,
    environment: context.terminal.environment,
    tell: (text) => void notices.push(text),
  })
}

/** `60%` or `60`. */
function percentOf(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined
  const percent = /^(\d{1,3})\s?%?$/.exec(value)?.[1]
  const number = percent === undefined ? Number.NaN : Number(percent)
  if (!(number <= 100)) throw InvalidPercent({ value })
  return number
}

function exitCodeOf(outcome: Awaited<ReturnType<typeof attend>>, program: string): number {
  switch (outcome.kind) {
    case "exited":
      return outcome.code
    case "signalled":
      return BY_SIGNAL + (SIGNALS[outcome.signal] ?? 0)
    case "not-found":
      throw CommandNotStarted({ program, reason: "it is not on the PATH" })
    case "not-started":
      throw CommandNotStarted({ program, reason: outcome.reason })
    case "aborted":
      return BY_SIGNAL + 2
    default:
      return outcome satisfies never
  }
}
