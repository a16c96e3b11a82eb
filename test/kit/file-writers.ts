import { spawn } from "node:child_process"
import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { text } from "node:stream/consumers"
import { configFields, OPERATIONS, type Operation } from "#ground/contract"
import { LAUNCHER, type QmResult } from "./qm.ts"

export type Call = {
  readonly args: readonly string[]
  readonly stdin?: string
  /** Text that is in a file, or in the name of one, after the call succeeded. */
  readonly marker: string
}

const name = (n: number): string => `writer-number-${n}`
const keys = (): readonly string[] =>
  configFields()
    .filter((it) => !it.isSecret && typeof it.schema.parse(undefined) === "boolean")
    .map((it) => it.key)

/** Every operation that writes a file which processes share, by name: the nth call of many. */
export const FILE_WRITERS: Readonly<Record<string, (n: number) => Call>> = {
  "config.set": (n) => {
    const [, field = ""] = (keys()[n] ?? "").split(".")
    return { args: ["config", "set", keys()[n] ?? "", "true"], marker: `"${field}"` }
  },
  "permissions.add": (n) => ({
    args: ["permissions", "add", "deny", "--tool", "Bash", "--command", name(n)],
    marker: name(n),
  }),
  "recipe.new": (n) => ({ args: ["recipe", "new", `new-${name(n)}`], marker: `new-${name(n)}` }),
  "recipe.trust": (n) => ({
    args: ["recipe", "trust", `trust-${name(n)}`],
    marker: `trust-${name(n)}`,
  }),
  "source.approve": (n) => ({
    args: ["source", "approve", `source-${name(n)}`],
    marker: `"source-${name(n)}"`,
  }),
  "credential.set": (n) => ({
    args: ["credential", "set", `key-${name(n)}`],
    stdin: `value of ${n}\n`,
    marker: `key-${name(n)}`,
  }),
  "memory.record": (n) => ({
    args: ["memory", "add", `Title of ${name(n)}`, "abc ".repeat(n + 1), "--kind", "pitfall"],
    marker: `Title of ${name(n)}`,
  }),
  "decision.add": (n) => ({
    args: ["decision", "add", `Use ${name(n)}`, `Decided ${"xyz".repeat(n + 1)}`, "--context", "c"],
    marker: `Use ${name(n)}`,
  }),
  "session.register": (n) => ({
    args: ["session", "register", name(n), `Request of ${name(n)}`],
    marker: `Request of ${name(n)}`,
  }),
  "sessions.dismiss": (n) => {
    const id = (n + 1).toString(16).padStart(8, "0")
    return { args: ["waste", "dismiss", id], marker: `"${id}"` }
  },
  "claim.take": (n) => ({
    args: ["claim", "take", `src/${name(n)}.ts`, "--session", name(n)],
    marker: `src/${name(n)}.ts`,
  }),
  "guard.override": (n) => ({
    args: ["override", `src/override-${name(n)}.ts`, "--reason", "test"],
    marker: `src/override-${name(n)}.ts`,
  }),
  "fleet.add": (n) => ({
    args: ["fleet", "add", path.join(".qm", "sources", `source-${name(n)}`)],
    marker: `source-${name(n)}"`,
  }),
  "connection.add": (n) => ({
    args: ["connection", "add", name(n), "--provider", "anthropic", "--model", "claude-haiku-4-5"],
    marker: `"${name(n)}"`,
  }),
  "plan.submit": (n) => ({
    args: ["plan", "submit", `Plan of ${name(n)}`, "--step", "Add a test"],
    marker: `Plan of ${name(n)}`,
  }),
  "plan.state": (n) => ({
    args: ["plan", "state", name(n), "--value", "done", "--session", "shared-session"],
    marker: `"${name(n)}"`,
  }),
  "ticket.new": (n) => ({
    args: ["ticket", "new", `Ticket of ${name(n)}`],
    marker: `Ticket of ${name(n)}`,
  }),
}

const ROWS = "rows of the database, in transactions"
const SAME_FILE = "removes or changes one entry of a file above, with the same function"
const ONE_FILE = "one file per call, with a random or chosen name"
const BOARD = "under the lock of the board, as ticket.new"
const SWARM = "under the lock of the swarm's file"
const REMOTE = "writes on the server of the remote, no file"
const FETCH = "git fetches under its own locks"
const PLANS = "under the lock of the plans"
const SOURCE_STATE = "the last state of a source, under the lock of its file"
const COMPARED = "under a lock, and only over the bytes that were read"

/** All other operations that write, and why two of them cannot lose a write of each other. */
export const OTHER_WRITERS: Readonly<Record<string, string>> = {
  "agents.answer": ROWS,
  "agents.delete": ROWS,
  "agents.drop": ROWS,
  "agents.edit": ROWS,
  "agents.handoff": ROWS,
  "agents.import": ROWS,
  "agents.mode": ROWS,
  "agents.read": ROWS,
  "agents.rewrite": ROWS,
  "agents.save": ONE_FILE,
  "agents.send": ROWS,
  "agents.start": ROWS,
  "agents.stop": ROWS,
  "autonomy.resume": SAME_FILE,
  "autonomy.stop": ONE_FILE,
  "capture.take": ROWS,
  "claim.release": SAME_FILE,
  "config.unset": SAME_FILE,
  "credential.remove": SAME_FILE,
  "dashboard.write": ONE_FILE,
  "demo.create": ONE_FILE,
  "fold.branch": ROWS,
  "fold.charge": ROWS,
  "fold.end": ROWS,
  "fold.return": ROWS,
  "fold.status": ROWS,
  "forge.agent": ONE_FILE,
  "forge.command": ONE_FILE,
  "forge.skill": ONE_FILE,
  "gateway.delete": ROWS,
  "guard.simulate": ONE_FILE,
  "kb.add": ROWS,
  "kb.remove": ROWS,
  "kit.init": "one installer at a time (KIT-14)",
  "kit.level": "one installer at a time (KIT-14)",
  "kit.uninstall": "one installer at a time (KIT-14)",
  "map.export": ONE_FILE,
  "map.scan": ROWS,
  "media.image": ONE_FILE,
  "media.video": ONE_FILE,
  "memory.confirm": SAME_FILE,
  "memory.feedback": SAME_FILE,
  "memory.forget": SAME_FILE,
  "pack.build": ROWS,
  "packs.install": "one installer at a time (KIT-14)",
  "packs.remove": "one installer at a time (KIT-14)",
  "people.invite": ROWS,
  "people.issue": ROWS,
  "people.revoke": ROWS,
  "people.role": ROWS,
  "people.withdraw": ROWS,
  "permissions.remove": SAME_FILE,
  "permissions.trust": ONE_FILE,
  "pipeline.amend": ROWS,
  "pipeline.rerun": ROWS,
  "pipeline.resume": ROWS,
  "pipeline.run": ROWS,
  "pipeline.say": ROWS,
  "pipeline.skip": ROWS,
  "pipeline.stop": ROWS,
  "fleet.remove": SAME_FILE,
  "remote.attach": ROWS,
  "remote.report": ROWS,
  "remote.start": ROWS,
  "remote.stop": ROWS,
  "review.create": REMOTE,
  "review.post": REMOTE,
  "scaffold.tests": ONE_FILE,
  "session.index": "derived from the files beside it, and written again until it is current",
  "sessions.apply": COMPARED,
  "sessions.import": ROWS,
  "sessions.undo": COMPARED,
  "source.test": ROWS,
  "agents.title": ROWS,
  "connection.remove": SAME_FILE,
  "connection.test": "asks a model and writes no file",
  "credential.deny": ROWS,
  "credential.give": SAME_FILE,
  "credential.request": ROWS,
  "gateway.fold": ROWS,
  "organise.label": ROWS,
  "organise.state": ROWS,
  "organise.view": ROWS,
  "plan.answer": PLANS,
  "plan.archive": PLANS,
  "plan.tick": PLANS,
  "source.add": ONE_FILE,
  "source.call": SOURCE_STATE,
  "source.login": SAME_FILE,
  "source.logout": SAME_FILE,
  "source.switch": ROWS,
  "source.tools": SOURCE_STATE,
  "store.backup": ONE_FILE,
  "store.restore": "the store is closed and sealed while it is replaced",
  "swarm.approve": SWARM,
  "swarm.discard": SWARM,
  "swarm.pause": SWARM,
  "swarm.reject": SWARM,
  "swarm.retry": SWARM,
  "swarm.run": SWARM,
  "sync.preflight": FETCH,
  "sync.prepr": FETCH,
  "ticket.approve": BOARD,
  "ticket.block": BOARD,
  "ticket.edit": BOARD,
  "ticket.evidence": BOARD,
  "ticket.link": BOARD,
  "ticket.move": BOARD,
  "ticket.reject": BOARD,
  "ticket.undo": BOARD,
  "worktree.new": "one record per name, created under the lock of the worktrees",
  "worktree.remove": "one record per name, created under the lock of the worktrees",
}

export function writeOperations(): readonly string[] {
  const operations: readonly Operation[] = Object.values(OPERATIONS)
  return operations.filter((it) => it.effect === "write").map((it) => it.name)
}

/** Creates recipes of another user to trust, and sources to approve. */
export async function prepareProject(project: string, calls: number): Promise<void> {
  for (let n = 0; n < calls; n++) {
    const source = path.join(project, ".qm", "sources", `source-${name(n)}`)
    await mkdir(source, { recursive: true })
    const transport = { type: "stdio", command: "sh", args: ["server.sh"] }
    const config = { title: name(n), provides: ["web-search"], transport, timeoutMs: 1_000 }
    await writeFile(path.join(source, "config.json"), JSON.stringify(config))
    const recipe = path.join(project, ".qm", "recipes", `trust-${name(n)}`)
    await mkdir(recipe, { recursive: true })
    await writeFile(path.join(recipe, "RECIPE.md"), `---\nname: ${name(n)}\n---\n`)
  }
}

export async function runCall(
  { args, stdin }: Call,
  { project, home }: { readonly project: string; readonly home: string },
): Promise<QmResult> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: home }
  const child = spawn(LAUNCHER, args, { cwd: project, env, stdio: ["pipe", "pipe", "pipe"] })
  child.stdin.end(stdin ?? "")
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", resolve)
  })
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, stdout, stderr }
}
