import { systemClock, visible } from "#ground/base"
import { PipelineReply, PipelineRun, PipelineShow, type PipelineStatus } from "#ground/contract"
import type { App } from "#show/app"
import { layOutProse } from "../live-run/prose.ts"
import { pauseCard, renderPipelineRun } from "../render/pipelines.ts"
import { openApp, type RunContext } from "../run-operation.ts"
import { readTyped } from "../terminal/read-line.ts"
import { safeJson, visibleDeep } from "../terminal/screen.ts"
import { eventLines } from "./lines.ts"

type FlagValues = Readonly<Record<string, unknown>>
type Call = { readonly app: App; readonly context: RunContext }

/** Polls, because another process may drive the run. */
const LOOK_EVERY_MS = 150

/**
 * Starts or resumes a pipeline and follows it until it ends or pauses; at a terminal it asks here.
 */
export async function runPipeline(
  operation: string,
  input: FlagValues,
  context: RunContext,
): Promise<number> {
  await using app = await openApp(context, { mayWriteFiles: true })
  const call = { app, context }
  const from = await lastSeqOf(input["id"], call)
  const started = await ask(operation, input, call)
  // A message after the end gets an answer, and nothing is resumed.
  const isOver = operation === "pipeline.say" && started.endedAt !== null
  if (isOver && !context.line.json) return 0
  startText(started, call)
  return await stayWith(started.id, operation === "pipeline.rerun" ? 0 : from, call)
}

/** Until it ends or pauses; at a terminal pauses are answered here. */
export async function stayWith(id: string, from: number, call: Call): Promise<number> {
  const { context } = call
  let run = await follow(id, from, call)
  while (run.status === "paused" && context.terminal.readKey !== undefined && !context.line.json) {
    const answer = await readAnswer(run, call)
    if (answer === undefined) break
    const before = run.lastSeq
    await ask(answer.operation, answer.input, call)
    run = await follow(run.id, before, call)
  }
  finish(run, context)
  return context.terminal.signal.aborted ? 130 : EXIT_CODES[run.status]
}

const EXIT_CODES: Readonly<Record<PipelineStatus, number>> = {
  completed: 0,
  paused: 0,
  running: 0,
  breakout: 0,
  failed: 1,
  "over-budget": 3,
  stopped: 3,
  interrupted: 4,
}

async function lastSeqOf(id: unknown, { app, context }: Call): Promise<number> {
  if (typeof id !== "string") return 0
  const { signal } = context.terminal
  const shown = PipelineShow.parse(
    await app.call("pipeline.show", { id, after: Number.MAX_SAFE_INTEGER }, { signal }),
  )
  return shown.run.lastSeq
}

async function ask(
  operation: string,
  input: FlagValues,
  { app, context }: Call,
): Promise<PipelineRun> {
  const { line, screen, terminal } = context
  const output = await app.call(operation, input, { signal: terminal.signal })
  const parsed = PipelineReply.safeParse(output)
  if (!parsed.success) return PipelineRun.parse(output)
  if (!line.json && parsed.data.reply !== "") {
    const rows = layOutProse(visible(parsed.data.reply), screen.width, screen.paint)
    terminal.stdout.write(`${rows.join("\n")}\n\n`)
  }
  return parsed.data.run
}

function startText(run: PipelineRun, { context: { line, terminal, screen } }: Call): void {
  if (line.json) return
  const text = `${run.agent} ${run.id}, ${run.depth}, ${run.provider}`
  terminal.stdout.write(`${screen.paint.muted(visible(text))}\n`)
}

/** Prints every event once, until no process works on the run. */
async function follow(id: string, from: number, { app, context }: Call): Promise<PipelineRun> {
  const { line, terminal, screen } = context
  const { signal } = terminal
  let after = from
  for (;;) {
    // Not our Ctrl-C signal: the final state must still be read.
    const output = await app.call("pipeline.show", { id, after }, { signal: NEVER })
    const { run, events } = PipelineShow.parse(visibleDeep(output))
    const rows = line.json ? [] : events.flatMap((it) => eventLines(it, run, screen))
    if (rows.length > 0) terminal.stdout.write(`${rows.join("\n")}\n`)
    after = events.at(-1)?.seq ?? after
    if (run.status !== "running" || signal.aborted) return run
    await systemClock.sleep(LOOK_EVERY_MS, signal).catch(() => {})
  }
}

const NEVER = new AbortController().signal

function finish(run: PipelineRun, { line, terminal, screen }: RunContext): void {
  if (line.json) {
    terminal.stdout.write(`${safeJson(run)}\n`)
    return
  }
  const isAsking = run.status === "paused" && run.pause !== null
  const left = terminal.signal.aborted
    ? [screen.paint.muted(`Detached. Resume it with \`qm pipeline resume ${run.id}\`.`)]
    : []
  const rows = isAsking && terminal.readKey !== undefined ? [] : [renderPipelineRun(run, screen)]
  terminal.stdout.write(`\n${[...rows, ...left].join("\n")}\n`)
}

type Answer = { readonly operation: string; readonly input: Readonly<Record<string, unknown>> }

/** The three choices of a pause as keys; other keys are ignored. */
async function readAnswer(
  run: PipelineRun,
  { context }: Pick<Call, "context">,
): Promise<Answer | undefined> {
  const { terminal, screen } = context
  const { readKey, signal, stdout } = terminal
  if (run.pause === null || readKey === undefined) return undefined
  const { id } = run
  stdout.write(`\n${pauseCard(run.pause, screen).join("\n")}\n`)
  for (;;) {
    const key = await readKey(signal)
    if (key === undefined || key === "q") return undefined
    if (run.pause.isConfirmingExit && (key === "1" || key === "2")) {
      return { operation: "pipeline.say", input: { id, text: key } }
    }
    if (key === "1") return { operation: "pipeline.resume", input: { id } }
    if (key === "3") return { operation: "pipeline.say", input: { id, text: "3" } }
    if (key !== "2") continue
    stdout.write(screen.paint.muted("What should be different? "))
    const text = await readTyped({
      readKey,
      signal,
      echo: (it) => stdout.write(it),
      end: () => stdout.write("\n"),
    })
    if (text === undefined) return undefined
    if (text.trim() !== "") return { operation: "pipeline.amend", input: { id, text } }
  }
}
