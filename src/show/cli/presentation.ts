import type { CommandGroup } from "./command.ts"

/** What the command line adds to an operation: other words, an argument without a name, a group. */
type Presentation = {
  readonly words?: readonly string[]
  readonly argument?: string
  readonly group: CommandGroup
}

/** An operation that is not listed here is `qm <room> <verb>` under "See". */
export const PRESENTATION: Readonly<Record<string, Presentation>> = {
  "tokens.count": { words: ["tokens"], argument: "paths", group: "See" },
  "events.list": { words: ["events"], group: "See" },
  "store.status": { group: "Keep" },
  "store.check": { group: "Keep" },
  "store.backup": { group: "Keep" },
  "store.restore": { argument: "file", group: "Keep" },
  "config.show": { argument: "key", group: "Set up" },
  "config.check": { group: "Set up" },
  "doctor.run": { words: ["doctor"], group: "Set up" },
}
