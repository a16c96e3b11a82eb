import { execFile } from "node:child_process"
import path from "node:path"
import { promisify } from "node:util"
import { z } from "zod"
import { tempDirectory } from "#test/temp"
import { buildConsole } from "../test/browser/world.ts"
import { atMost, type Bench, createSamples, makeRow } from "./frame.ts"

const OPENINGS = 10
const HANG_MS = 300_000

const Figures = z.object({
  openMs: z.array(z.number()),
  frameMs: z.array(z.number()),
  plainFrameMs: z.array(z.number()),
  mostRows: z.int(),
})

/**
 * A transcript of 100,000 messages in Chromium. The messages are made up by the console's own fake
 * server, which speaks the real wire: what is measured is the page.
 */
export const bench: Bench = {
  name: "console-transcript",
  about: "A run of 100,000 messages: opened, and scrolled through, against a plain list",
  async run({ root, rounds = OPENINGS, note }) {
    await using temp = await tempDirectory()
    note("building the console")
    await buildConsole(temp.path)
    note("opening and scrolling")
    const script = path.join(root, "console/dev/transcript-figures.ts")
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [script, temp.path, String(rounds)],
      { timeout: HANG_MS, maxBuffer: 10_000_000 },
    )
    const figures = Figures.parse(JSON.parse(stdout))
    const opening = createSamples(figures.openMs)
    const frames = createSamples(figures.frameMs)
    const plain = createSamples(figures.plainFrameMs)
    return [
      makeRow({
        what: "a run of 100,000 messages opens, p95",
        measured: Math.round(opening.p95),
        unit: "ms",
        against: "the fastest of these",
        floor: Math.round(opening.min),
        bar: atMost(1_000, "ms"),
      }),
      makeRow({
        what: "work of a frame while one scrolls, p95",
        measured: round(frames.p95),
        unit: "ms",
        against: "a plain list of 5,000 lines",
        floor: round(plain.p95),
        bar: atMost(16, "ms"),
      }),
      makeRow({
        what: "rows in the document at most",
        measured: figures.mostRows,
        unit: "rows",
        against: "all of them",
        floor: 100_000,
        bar: atMost(300, "rows"),
      }),
    ]
  },
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10
}
