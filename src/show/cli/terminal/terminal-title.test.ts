import { expect, test } from "vitest"
import { createTerminalTitle, titleFor } from "./terminal-title.ts"

const sinkOf = (isTerminal: boolean) => {
  const written: string[] = []
  return { written, isTerminal, write: (text: string) => void written.push(text) }
}

test("[CLI-40] the title names waiting approvals, escapes control characters and is restored", () => {
  const sink = sinkOf(true)
  const title = createTerminalTitle(sink, { TERM: "xterm-256color" })
  title.show(titleFor("harbor", 0))
  title.show(titleFor("harbor", 0))
  title.show(titleFor("har\u001b]0;evil\u0007bor", 2))
  title.restore()
  expect(sink.written).toEqual([
    "\u001b[22;0t",
    "\u001b]0;qm, harbor\u0007",
    expect.stringMatching(/^\u001b\]0;\(2 waiting\) qm, har[^\u001b\u0007]+bor\u0007$/),
    "\u001b[23;0t",
  ])
})

test("[CLI-40] a pipe and a dumb terminal get no title", () => {
  for (const [sink, TERM] of [
    [sinkOf(false), "xterm"],
    [sinkOf(true), "dumb"],
  ] as const) {
    const title = createTerminalTitle(sink, { TERM })
    title.show("qm")
    title.restore()
    expect(sink.written).toEqual([])
  }
})
