import { visible } from "#ground/base"

type Sink = { write(text: string): void; readonly isTerminal: boolean }
type Environment = Readonly<Record<string, string | undefined>>

const SAVE = "\u001b[22;0t"
const RESTORE = "\u001b[23;0t"

/**
 * The title of the terminal window, so that a waiting agent is seen in a list of windows. The user's
 * own title is saved before the first change and restored at the end. Silent in a pipe.
 */
export function createTerminalTitle(sink: Sink, environment: Environment) {
  const isShown = sink.isTerminal && environment["TERM"] !== "dumb"
  let current: string | undefined
  return {
    show(title: string): void {
      if (!isShown || title === current) return
      if (current === undefined) sink.write(SAVE)
      current = title
      sink.write(`\u001b]0;${visible(title)}\u0007`)
    },
    restore(): void {
      if (current !== undefined) sink.write(RESTORE)
      current = undefined
    },
  }
}

/** `(2 waiting) qm, harbor-shop`. */
export function titleFor(repository: string, waiting: number): string {
  return `${waiting === 0 ? "" : `(${waiting} waiting) `}qm, ${repository}`
}
