import path from "node:path"
import { visible } from "#ground/base"
import { MapTreemap } from "#ground/contract"
import { headCommit, openGit } from "#see/repo"
import type { App } from "#show/app"
import { openApp, printResult, type RunContext } from "../run-operation.ts"

type Step = {
  readonly about: string
  readonly typed: string
  readonly name: string
  readonly input: unknown
}

/** Enough to see what a command does; the whole output is one command away. */
const MOST_LINES = 24
const TOUR_BUDGET = 8_000
const RECENT_COMMITS = 30
const SHORTEST_TASK_WORDS = 3

/** Runs capture, search and pack on this repository, with a task from its own history. */
export async function runTour(context: RunContext): Promise<number> {
  await using app = await openTourApp(context)
  const { stdout, signal } = context.terminal
  const { paint } = context.screen
  const task = (await taskOf(app, context, signal)) ?? (await taskFromFiles(app, signal))
  stdout.write(`A short tour of qm on ${visible(app.places.repository.root)}\n`)
  for (const { about, typed, ...call } of stepsFor(task)) {
    stdout.write(`\n${about}\n${paint.accent("$")} ${paint.bold(visible(typed))}\n\n`)
    await printResult(app, call, { ...context, terminal: shortened(context) })
  }
  stdout.write(
    [
      "",
      "Start an agent on a task (it asks a model and may cost money, so try it later):",
      `${paint.accent("$")} ${paint.bold(visible(`qm run ${quoted(task)} --mode plan`))}`,
      "",
      paint.muted("End of the tour. List all commands with `qm help --all`."),
      "",
    ].join("\n"),
  )
  return 0
}

/** In a folder without git and without state, the tour works on a copy and leaves nothing behind. */
async function openTourApp(context: RunContext): Promise<App> {
  const app = await openApp(context)
  if (!(await app.hasNoState())) return app
  await app[Symbol.asyncDispose]()
  return openApp(context, { storeMode: "copy" })
}

function stepsFor(task: string): readonly Step[] {
  return [
    {
      about: "Context that an agent loads here before the first prompt:",
      typed: "qm capture",
      name: "capture.take",
      input: {},
    },
    {
      about: "Files and symbols for a task from this repository:",
      typed: `qm search ${quoted(task)} --limit 5`,
      name: "search.find",
      input: { words: task, limit: 5 },
    },
    {
      about: `The context for it, within ${TOUR_BUDGET} tokens:`,
      typed: `qm pack ${quoted(task)} --budget ${TOUR_BUDGET}`,
      name: "pack.build",
      input: { task, budget: TOUR_BUDGET },
    },
  ]
}

/** Without a usable commit: a question about the largest source file, so that search finds something. */
async function taskFromFiles(app: App, signal: AbortSignal): Promise<string> {
  await app.call("map.scan", {}, { signal })
  const { tiles } = MapTreemap.parse(await app.call("map.treemap", { limit: 50 }, { signal }))
  const visible = tiles.filter((it) => !it.path.startsWith("."))
  const largest = visible.find((it) => it.files === 1 && it.rank > 0) ?? visible[0]
  const name = path.parse(largest?.path ?? "").name.replaceAll(/[^\p{L}\p{N}]+/gu, " ")
  return name.trim() === "" ? "where does the program start" : `how does ${name.trim()} work`
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\$`]/g, "")}"`
}

/** The subject of the newest commit that has enough words to be a task. */
async function taskOf(app: App, { terminal }: RunContext, signal: AbortSignal) {
  const { repository } = app.places
  const head = await headCommit(repository)
  if (head === undefined) return undefined
  const opened = await openGit({ repository, environment: terminal.environment, signal })
  if (opened.kind !== "ready") return undefined
  const commits = await opened.git.history({ from: head, limit: RECENT_COMMITS })
  return commits
    .map((it) => (it.message.split("\n")[0] ?? "").replace(/^\w+(\([^)]*\))?!?:\s*/, "").trim())
    .find((it) => it.split(/\s+/).length >= SHORTEST_TASK_WORDS)
}

/** Its stdout shows the first lines of each write. */
function shortened({ terminal, screen }: RunContext): RunContext["terminal"] {
  const { stdout } = terminal
  return {
    ...terminal,
    stdout: {
      ...stdout,
      write(text) {
        const lines = text.trimEnd().split("\n")
        const rest = lines.length - MOST_LINES
        const more = rest > 0 ? [screen.paint.muted(`and ${rest} more lines`)] : []
        stdout.write(`${[...lines.slice(0, MOST_LINES), ...more].join("\n")}\n`)
      },
    },
  }
}
