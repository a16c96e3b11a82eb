import type { CommandGroup } from "./command.ts"

/** What the command line adds to an operation: other words, arguments without a name, a group. */
type Presentation = {
  readonly words?: readonly string[]
  readonly arguments?: readonly string[]
  readonly group: CommandGroup
}

/** An operation that is not listed here is `qm <room> <verb>` under "See". */
export const PRESENTATION: Readonly<Record<string, Presentation>> = {
  "agents.list": { words: ["runs"], group: "See" },
  "agents.show": { words: ["runs", "show"], arguments: ["id"], group: "See" },
  "agents.messages": { words: ["runs", "messages"], arguments: ["id"], group: "See" },
  "agents.approvals": { words: ["approvals"], group: "See" },
  "capture.take": { words: ["capture"], arguments: ["path"], group: "See" },
  "capture.list": { group: "See" },
  "capture.show": { arguments: ["id"], group: "See" },
  "capture.text": { arguments: ["id", "path"], group: "See" },
  "capture.diff": { arguments: ["from", "to"], group: "See" },
  "capture.settings": { arguments: ["path"], group: "See" },
  "capture.hosts": { group: "See" },
  "now.show": { words: ["now"], group: "See" },
  "tokens.count": { words: ["tokens"], arguments: ["paths"], group: "See" },
  "events.list": { words: ["events"], group: "See" },
  "store.status": { group: "Keep" },
  "store.check": { group: "Keep" },
  "store.backup": { group: "Keep" },
  "store.restore": { arguments: ["file"], group: "Keep" },
  "config.show": { arguments: ["key"], group: "Set up" },
  "config.set": { arguments: ["key", "value"], group: "Set up" },
  "config.unset": { arguments: ["key"], group: "Set up" },
  "config.check": { group: "Set up" },
  "doctor.run": { words: ["doctor"], group: "Set up" },
}
