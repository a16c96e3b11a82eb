import { expect, test } from "vitest"
import { inputFields, OPERATIONS, type Operation } from "#ground/contract"
import { commit, git } from "#test/git"
import { tempDirectory } from "#test/temp"
import { createApp } from "./app.ts"

type Field = ReturnType<typeof inputFields>[number]

/** Fields that name something and that no list completes at the shell. */
const NAMING_FIELDS: Readonly<Record<string, readonly string[]>> = {
  "agents.rewrite": ["id"],
  "agents.drop": ["id"],
  "forge.show": ["name"],
  "audit.api": ["from", "to"],
  "audit.debt": ["paths"],
  "audit.security": ["paths"],
  "audit.tests": ["from"],
  "kb.original": ["document"],
  "map.show": ["what"],
  "packs.install": ["packs"],
  "packs.remove": ["packs"],
  "report.changes": ["from"],
  "report.signoff": ["tickets"],
  "review.status": ["ticket"],
  "sessions.search": ["session"],
  "swarm.plan": ["tickets"],
  "swarm.run": ["tickets"],
  "swarm.approve": ["workstream"],
  "swarm.reject": ["workstream"],
  "swarm.pause": ["workstream"],
  "swarm.retry": ["workstream"],
  "swarm.discard": ["workstream"],
  "ticket.new": ["dependsOn"],
  "worktree.diff": ["name"],
  "worktree.new": ["from"],
}

/** Only the host knows its sessions, and `claim.release` reports paths that are not held. */
const ANSWERED = new Set(["agents.start.resume", "claim.release.paths"])

/** Optional fields without which the operation refuses the call for another reason. */
const NEEDED: Readonly<Record<string, object>> = {
  "memory.feedback": { verdict: "helpful" },
  "plan.tick": { steps: [1] },
  "ticket.block": { reason: "waits" },
}

function valueOf({ type, values, isList }: Field): unknown {
  if (type !== "text") return type === "number" ? 1 : true
  const text = values[0] ?? "other"
  return isList ? [text] : text
}

const CALLS = Object.entries<Operation>(OPERATIONS).flatMap(([name, operation]) => {
  const fields = inputFields(operation)
  const required = fields.filter((it) => it.isRequired).map((it) => [it.key, valueOf(it)] as const)
  return fields
    .filter((it) => it.listedBy !== undefined || (NAMING_FIELDS[name] ?? []).includes(it.key))
    .filter((it) => !ANSWERED.has(`${name}.${it.key}`))
    .map(({ key, isList }) => ({
      name,
      key,
      input: {
        ...Object.fromEntries(required),
        ...NEEDED[name],
        [key]: isList ? ["nosuch"] : "nosuch",
      },
    }))
})

test("[APP-66] an id that does not exist is an error of the family not-found, never an empty answer", async () => {
  await using folder = await tempDirectory()
  git(folder.path, "init", "-q", "-b", "main")
  commit(folder.path, "start", { "a.ts": "export const a = 1\n" })
  await using app = await createApp({
    directory: folder.path,
    environment: { QM_HOME: folder.path, HOME: folder.path, PATH: process.env["PATH"] },
    settings: [],
    writeLog: () => {},
  })
  const { signal } = new AbortController()
  const answers: Record<string, unknown> = {}
  for (const { name, key, input } of CALLS) {
    answers[`${name} ${key}`] = await app.call(name, input, { signal }).then(
      (answer) => answer,
      (error: unknown) =>
        error instanceof Error && "family" in error ? error.family : String(error),
    )
  }
  expect(CALLS.length).toBeGreaterThan(90)
  expect(answers).toEqual(
    Object.fromEntries(CALLS.map((it) => [`${it.name} ${it.key}`, "not-found"])),
  )
})
