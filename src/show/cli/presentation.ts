import type { CommandGroup } from "./command.ts"

/** What the command line adds to an operation: other words, arguments without a name, a group. */
type Presentation = {
  readonly words?: readonly string[]
  readonly arguments?: readonly string[]
  readonly group: CommandGroup
  /** Its command is written by hand (run-commands.ts). */
  readonly isByHand?: boolean
}

/** An operation that is not listed here is `qm <room> <verb>` under "See". */
export const PRESENTATION: Readonly<Record<string, Presentation>> = {
  "agents.list": { words: ["runs"], group: "Act" },
  "agents.show": { words: ["runs", "show"], arguments: ["id"], group: "Act" },
  "agents.messages": { words: ["runs", "messages"], arguments: ["id"], group: "Act" },
  "agents.message": { words: ["runs", "message"], arguments: ["id", "seq"], group: "Act" },
  "agents.edit": { words: ["runs", "edit"], arguments: ["id"], group: "Act" },
  "agents.delete": { words: ["runs", "delete"], arguments: ["id"], group: "Act" },
  "agents.turns": { words: ["runs", "turns"], arguments: ["id"], group: "Act" },
  "agents.rewrite": { words: ["runs", "rewrite"], arguments: ["id", "text"], group: "Act" },
  "agents.drop": { words: ["runs", "drop"], arguments: ["id"], group: "Act" },
  "agents.parts": { words: ["runs", "parts"], arguments: ["id"], group: "Act" },
  "agents.mode": { words: ["runs", "mode"], arguments: ["id", "mode"], group: "Act" },
  "agents.export": { words: ["runs", "export"], arguments: ["id"], group: "Act" },
  "agents.save": { words: ["runs", "save"], arguments: ["id", "file"], group: "Act" },
  "agents.import": { words: ["runs", "import"], arguments: ["file"], group: "Act" },
  "agents.sessions": { words: ["runs", "sessions"], group: "Act" },
  "agents.read": { words: ["runs", "read"], arguments: ["session"], group: "Act" },
  "agents.handoff": { words: ["runs", "handoff"], arguments: ["id"], group: "Act" },
  "agents.context": { words: ["runs", "context"], arguments: ["id"], group: "Act" },
  "agents.timeline": { words: ["runs", "timeline"], arguments: ["id"], group: "Act" },
  "agents.approvals": { words: ["approvals"], group: "Act" },
  "agents.providers": { words: ["providers"], group: "Act" },
  "agents.start": { group: "Act", isByHand: true },
  "agents.send": { group: "Act", isByHand: true },
  "agents.stop": { group: "Act", isByHand: true },
  "agents.answer": { group: "Act", isByHand: true },
  "permissions.list": { words: ["permissions"], group: "Act" },
  "permissions.add": { arguments: ["decision"], group: "Act" },
  "permissions.remove": { arguments: ["id"], group: "Act" },
  "permissions.trust": { group: "Act" },
  "capture.take": { words: ["capture"], arguments: ["path"], group: "See" },
  "capture.list": { group: "See" },
  "capture.show": { arguments: ["id"], group: "See" },
  "capture.text": { arguments: ["id", "path"], group: "See" },
  "capture.diff": { arguments: ["from", "to"], group: "See" },
  "capture.settings": { arguments: ["path"], group: "See" },
  "capture.hosts": { group: "See" },
  "map.scan": { words: ["map"], group: "Know" },
  "map.tree": { arguments: ["folder"], group: "Know" },
  "map.show": { arguments: ["what"], group: "Know" },
  "map.export": { arguments: ["out"], group: "Know" },
  "search.find": { words: ["search"], arguments: ["words"], group: "Know" },
  "pack.build": { words: ["pack"], arguments: ["task"], group: "Choose" },
  "pack.list": { group: "Choose" },
  "pack.show": { arguments: ["id"], group: "Choose" },
  "pack.diff": { arguments: ["from", "to"], group: "Choose" },
  "guidelines.list": { words: ["guidelines"], group: "Choose" },
  "bench.recall": { group: "Keep" },
  "bench.scan": { group: "Keep" },
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
