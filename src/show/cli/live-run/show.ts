import type { Clock } from "#ground/base"
import { plural, truncate } from "#ground/base"
import { type Approval, type Message, type Run } from "#ground/contract"
import { type Screen, safeJsonLine } from "../terminal/screen.ts"
import { drawEnd, drawLine, drawLive, firstVisibleLine, type SayClock } from "./draw.ts"
import { applyMessage, EMPTY_VIEW, type Line, nowAtWork, type View } from "./fold.ts"
import type { Painter } from "./painter.ts"

const QUESTION_CHARACTERS = 600

/** Streaming text is redrawn at most this often. */
const DRAW_TEXT_EVERY_MS = 40

export type Show = {
  /** Earlier messages: they update the view and are not shown. */
  recall(messages: readonly Message[]): void
  messages(messages: readonly Message[]): void
  /** The whole streaming text so far. */
  writing(text: string): void
  showStatus(run: Run): void
  question(approval: Approval, isAskedHere: boolean): void
  /** The question that waits for a key. */
  asking(approval: Approval | undefined): void
  note(text: string): void
  /** Redraws what changes with time. */
  tick(): void
  end(run: Run): void
  /** Stops following; the run continues. */
  leave(id: string): void
}

type Deps = {
  readonly painter: Painter
  screen(): Screen
  readonly clock: Clock
  readonly clockText: SayClock
}

/** The transcript for users: permanent lines, and below them the current activity. */
export function createTranscript(deps: Deps): Show {
  let view = EMPTY_VIEW
  const now: LiveRowState = { run: undefined, text: "", asked: undefined, drawnMs: 0 }

  function take(messages: readonly Message[]): Line[] {
    return messages.flatMap((message) => {
      const step = applyMessage(view, message)
      view = step.view
      return step.lines
    })
  }
  function draw(lines: readonly Line[]): void {
    const rows = lines.flatMap((line) => drawLine(line, deps.screen(), deps.clockText))
    deps.painter.draw(rows, liveRows(now, view, deps))
    now.drawnMs = deps.clock.monotonicMs()
  }
  const note = (text: string): void => draw([noteLine(text, deps.clock.now())])

  return {
    recall: (messages) => void take(messages),
    messages(messages) {
      // They include the streaming text.
      if (messages.some((it) => it.type === "assistant" || it.type === "response")) now.text = ""
      draw(take(messages))
    },
    writing(text) {
      now.text = text
      if (deps.clock.monotonicMs() - now.drawnMs >= DRAW_TEXT_EVERY_MS) draw([])
    },
    showStatus(run) {
      now.run = run
      draw([])
    },
    question: (approval, isAskedHere) => draw([lineOfQuestion(approval, isAskedHere)]),
    asking(approval) {
      now.asked = approval
      draw([])
    },
    note,
    tick: () => draw([]),
    end(run) {
      now.run = undefined
      deps.painter.draw(drawEnd(run, view.context, deps.screen()), [])
    },
    leave(id) {
      now.run = undefined
      note(`The run continues: qm attach ${id}`)
    },
  }
}

/** One of our own notes. */
function noteLine(text: string, at: number): Line {
  return { at, mark: "note", depth: 0, text, isProse: true }
}

type LiveRowState = {
  run: Run | undefined
  text: string
  asked: Approval | undefined
  drawnMs: number
}

function liveRows(now: LiveRowState, view: View, { screen, clock }: Deps): readonly string[] {
  const { run, text: writing, asked } = now
  if (run === undefined) return []
  const elapsedMs = Math.max(0, clock.now() - (run.startedAt ?? run.createdAt))
  const question = asked === undefined ? undefined : questionLine(asked)
  const state = { run, atWork: nowAtWork(view), writing, question, elapsedMs }
  return drawLive({ ...state, context: view.context }, screen())
}

function questionLine({ title }: Approval): string {
  return `Allow? [y]es once, [a]lways, [n]o: ${firstVisibleLine(title)}`
}

function lineOfQuestion(approval: Approval, isAskedHere: boolean): Line {
  const { id, tool, title, input, requestedAt: at } = approval
  const isLong = input.length > QUESTION_CHARACTERS
  const lines = truncate(input, QUESTION_CHARACTERS)
    .split("\n")
    .filter((it) => it.trim() !== "")
  const more = isLong ? [`${plural(input.length, "character")} in all`] : []
  const way = isAskedHere ? [] : [`Answer: qm approve ${id}`, `    or: qm deny ${id}`]
  const text = title.includes(tool) ? title : `${tool}: ${title}`
  return { at, mark: "asks", depth: 0, text, below: [...lines, ...more, ...way] }
}

type JsonDeps = { writeOut(text: string): void; writeError(text: string): void }

/** For programs: JSON lines on stdout, everything else on stderr. */
export function createJsonLines({ writeOut, writeError }: JsonDeps): Show {
  const line = (value: unknown): void => writeOut(`${safeJsonLine(value)}\n`)
  return {
    recall: () => {},
    messages: (messages) => messages.forEach((message) => line({ type: "message", message })),
    writing: () => {},
    showStatus: () => {},
    question: ({ id, title }) =>
      writeError(
        `Asks: ${firstVisibleLine(title)}. Answer with \`qm approve ${id}\` or \`qm deny ${id}\`.\n`,
      ),
    asking: () => {},
    note: (text) => writeError(`${firstVisibleLine(text)}\n`),
    tick: () => {},
    end: (run) => line({ type: "end", run }),
    leave: () => {},
  }
}
