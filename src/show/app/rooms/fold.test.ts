import { randomBytes } from "node:crypto"
import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { systemClock } from "#ground/base"
import {
  AgentsContext,
  AgentsMessages,
  type Caller,
  FoldBranch,
  FoldShow,
  Memory,
  MemoryRecorded,
  Run,
} from "#ground/contract"
import { tempDirectory } from "#test/temp"
import { type App, createApp } from "../app.ts"

const { signal } = new AbortController()
const SOURCE = "export function roundLine(cents: number) {\n  return Math.round(cents)\n}\n"

async function newApp(directory: string, logged: string[] = []): Promise<App> {
  const project = path.join(directory, "project")
  await mkdir(project)
  await writeFile(path.join(project, "rounding.ts"), SOURCE)
  return createApp({
    directory: project,
    environment: { PATH: process.env["PATH"], QM_HOME: path.join(directory, "home") },
    settings: ["log.level=debug"],
    writeLog: (line) => logged.push(line),
  })
}

async function remember(
  app: App,
  changes: Record<string, unknown> = {},
  caller?: Caller,
): Promise<Memory> {
  const note = {
    kind: "pitfall",
    title: "Rounding of quotes",
    body: "Quotes are rounded line by line, never at the end.",
    cites: ["rounding.ts#roundLine"],
  }
  const context = { signal, ...(caller !== undefined && { caller }) }
  const recorded = await app.call("memory.record", { ...note, ...changes }, context)
  return MemoryRecorded.parse(recorded).memory
}

const show = async (app: App, id: string) =>
  Memory.parse(await app.call("memory.show", { id }, { signal }))

async function finished(app: App, id: string, turns: number): Promise<void> {
  for (;;) {
    const run = Run.parse(await app.call("agents.show", { id }, { signal }))
    if (["completed", "stopped"].includes(run.status) && run.turns === turns) return
    await systemClock.sleep(5)
  }
}

test("[APP-13] the first turn has the matching memories, the second does not", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp.path)
  const { id: memory } = await remember(app)
  await remember(app, { title: "Paint of the boat", body: "The boat is blue.", cites: [] })
  const input = { prompt: "fix the rounding of quotes", type: "synthetic" }
  const { id } = Run.parse(await app.call("agents.start", input, { signal }))
  await finished(app, id, 1)
  await app.call("agents.send", { id, text: "rounding of quotes again" }, { signal })
  await finished(app, id, 2)
  const { messages } = AgentsMessages.parse(await app.call("agents.messages", { id }, { signal }))
  const [first = "", second = ""] = messages.flatMap((it) =>
    it.type === "assistant" ? [it.content] : [],
  )
  expect(first).toContain('<context label="memory, 1 item">')
  expect(first).toContain("never at the end")
  expect(first).toContain(`qm:memory ${memory}`)
  expect(first).not.toContain("blue")
  expect(second).not.toContain("never at the end")
  expect((await show(app, memory)).uses).toBe(1)
  const context = AgentsContext.parse(await app.call("agents.context", { id }, { signal }))
  expect(context.parts.map((it) => it.label)).toEqual(["memory, 1 item"])
})

test("[APP-13] memories take at most a fifth of the budget", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp.path)
  for (const place of ["north", "south", "east", "west"]) {
    const body = `Quotes of the ${place} are rounded. ${`${place} rounding `.repeat(40)}`
    await remember(app, { title: `Rounding of quotes in the ${place}`, body, cites: [] })
  }
  const input = { prompt: "rounding of quotes", type: "synthetic", budgetTokens: 1_500 }
  const { id } = Run.parse(await app.call("agents.start", input, { signal }))
  await finished(app, id, 1)
  const context = AgentsContext.parse(await app.call("agents.context", { id }, { signal }))
  const [part] = context.parts
  expect(part?.tokens).toBeGreaterThan(50)
  expect(part?.tokens).toBeLessThanOrEqual(300)
})

test("[APP-14] a citation of a symbol is stale when the symbol's own lines change", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp.path)
  const file = path.join(temp.path, "project", "rounding.ts")
  const { id } = await remember(app)
  expect(await show(app, id)).toMatchObject({ state: "confirmed", cites: [{ state: "fresh" }] })
  await writeFile(file, `// a new first line\n${SOURCE}export const other = 1\n`)
  expect(await show(app, id)).toMatchObject({ state: "confirmed", cites: [{ state: "fresh" }] })
  await writeFile(file, SOURCE.replace("round(cents)", "floor(cents)"))
  expect(await show(app, id)).toMatchObject({ state: "stale", cites: [{ state: "changed" }] })
  await writeFile(file, "export const nothing = 1\n")
  expect(await show(app, id)).toMatchObject({ state: "stale", cites: [{ state: "gone" }] })
})

test("[APP-15] secrets are redacted in log lines", async () => {
  await using temp = await tempDirectory()
  const logged: string[] = []
  await using app = await newApp(temp.path, logged)
  await remember(app)
  const token = `ghp_${randomBytes(18).toString("hex")}`
  app.log.warn("something failed", { error: new Error(`no access with ${token}`) })
  expect(logged.at(-1)).toContain("no access with [redacted: github-token")
  expect(logged.join("\n")).not.toContain(token)
})

test("[APP-16] a branch that was asked for memories is finished, also by a duplicate memory", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp.path)
  await remember(app)
  const caller = { principal: "owner", client: "some-agent", session: "own" }
  const ask = (name: string, input: object) =>
    app.call(name, { ...input, sessionId: "named" }, { signal, caller })
  const opened = await ask("fold.branch", { description: "rounding", prompt: "look" })
  const { branchId } = FoldBranch.parse(opened)
  await ask("fold.return", { branchId, message: "seen", extractMemory: true })
  await remember(app, { branchId, sessionId: "named" }, caller)
  const { branch } = FoldShow.parse(await app.call("fold.show", { id: branchId }, { signal }))
  expect(branch.distillation).toBe("done")
})
