import { expect, test } from "vitest"
import { createProgressLine } from "./progress.ts"

function sinkOf(isTerminal: boolean) {
  const written: string[] = []
  return { written, isTerminal, write: (text: string) => void written.push(text) }
}

test("[CLI-22] long work is one line on a terminal, overwritten and cleared at the end", () => {
  const sink = sinkOf(true)
  const line = createProgressLine(sink)
  line.show({ what: "reading files", done: 500, total: 1_000 })
  line.show({ what: "reading files", done: 500, total: 1_000 })
  line.clear()
  line.clear()
  expect(sink.written).toEqual([
    `\r\u001b[2K${"━".repeat(12)}${"·".repeat(12)} 50 %  reading files, 500 of 1,000`,
    "\r\u001b[2K",
  ])
})

test("[CLI-22] progress is not written to a pipe, nor for a total of 0", () => {
  const pipe = sinkOf(false)
  createProgressLine(pipe).show({ what: "reading files", done: 1, total: 2 })
  const terminal = sinkOf(true)
  createProgressLine(terminal).show({ what: "reading files", done: 0, total: 0 })
  expect([...pipe.written, ...terminal.written]).toEqual([])
})
