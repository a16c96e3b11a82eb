import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { systemClock } from "#ground/base"
import { AgentsContext, AgentsMessages, CaptureList, Now, PackBuilt, Run } from "#ground/contract"
import { sql } from "#ground/store"
import { tempDirectory } from "#test/temp"
import { type App, createApp } from "../app.ts"

const { signal } = new AbortController()
const ENDED = ["completed", "failed", "stopped", "interrupted"]

async function newApp(directory: string): Promise<App> {
  const project = path.join(directory, "project")
  await mkdir(project)
  await writeFile(path.join(project, "rounding.ts"), "export const roundLine = Math.round\n")
  const environment = { PATH: process.env["PATH"], QM_HOME: path.join(directory, "home") }
  return createApp({ directory: project, environment, settings: [], writeLog: () => {} })
}

async function untilTurns(app: App, id: string, turns: number): Promise<Run> {
  for (;;) {
    const run = Run.parse(await app.call("agents.show", { id }, { signal }))
    if (ENDED.includes(run.status) && run.turns === turns) return run
    await systemClock.sleep(5)
  }
}

async function assistantSays(app: App, id: string): Promise<string[]> {
  const { messages } = AgentsMessages.parse(await app.call("agents.messages", { id }, { signal }))
  return messages.filter((it) => it.type === "assistant").map((it) => it.content)
}

async function start(app: App, pack: string): Promise<Run> {
  const input = { prompt: "round it", type: "synthetic", pack }
  return Run.parse(await app.call("agents.start", input, { signal }))
}

test("[APP-12] the first turn of a run has its stored package, the second does not", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp.path)
  await expect(start(app, "last")).rejects.toMatchObject({ code: "PACK_UNKNOWN" })
  const ask = { task: "rounding", format: "markdown" }
  const { pack, text, textTokens } = PackBuilt.parse(await app.call("pack.build", ask, { signal }))
  const run = await start(app, "last")
  await untilTurns(app, run.id, 1)
  await app.call("agents.send", { id: run.id, text: "and now" }, { signal })
  await untilTurns(app, run.id, 2)
  const [first, second] = await assistantSays(app, run.id)
  expect(text).toContain("roundLine = Math.round")
  expect(first).toContain(`<context label="package ${pack.id}, 1 file">\n${text}`)
  expect(second).toContain("and now")
  expect(second).not.toContain("roundLine")
  const context = AgentsContext.parse(await app.call("agents.context", { id: run.id }, { signal }))
  expect(context.parts).toMatchObject([{ tokens: textTokens, pack: pack.id }])
})

test("[APP-12] a package that is no longer stored is reported, and the run continues", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp.path)
  const built = PackBuilt.parse(await app.call("pack.build", { task: "rounding" }, { signal }))
  // A command of the host comes first, so the package waits for the next turn.
  const input = { prompt: "/review", type: "synthetic", pack: built.pack.id }
  const run = Run.parse(await app.call("agents.start", input, { signal }))
  await untilTurns(app, run.id, 1)
  await (await app.store()).forRoom("pack").run(sql`DELETE FROM packs`)
  await app.call("agents.send", { id: run.id, text: "and now" }, { signal })
  expect(await untilTurns(app, run.id, 2)).toMatchObject({ status: "completed" })
  const [, second] = await assistantSays(app, run.id)
  expect(second).toContain(`The context package ${built.pack.id} of this task is no longer stored.`)
})

test("[T15][APP-60] the context message of a run names its own capture, which is in the list of captures", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp.path)
  await writeFile(path.join(temp.path, "project", "CLAUDE.md"), "Round half up.\n")
  const input = { prompt: "go", type: "synthetic" }
  const run = Run.parse(await app.call("agents.start", input, { signal }))
  await untilTurns(app, run.id, 1)
  const asked = { id: run.id }
  const { messages } = AgentsMessages.parse(await app.call("agents.messages", asked, { signal }))
  const metadata = messages.find((it) => it.type === "context")?.metadata
  expect(metadata?.["inWindow"]).toMatchObject([{ label: "CLAUDE.md" }])
  const id = metadata?.["capture"]
  const { captures } = CaptureList.parse(await app.call("capture.list", { path: "." }, { signal }))
  expect(captures).toMatchObject([{ id, times: 1, lastRun: run.id }])
  const at = { id, path: path.join(temp.path, "project", "CLAUDE.md") }
  expect(await app.call("capture.text", at, { signal })).toMatchObject({ text: "Round half up." })
  // The same context again, by hand and by a second run: one entry, which names the newer run.
  await app.call("capture.take", { path: "." }, { signal })
  const second = Run.parse(await app.call("agents.start", input, { signal }))
  await untilTurns(app, second.id, 1)
  const again = CaptureList.parse(await app.call("capture.list", { path: "." }, { signal }))
  expect(again.captures).toMatchObject([{ id, times: 3, lastRun: second.id }])
})

test("[T15][APP-60] now.show has no cost for a synthetic run, whose script reports one", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp.path)
  const input = { prompt: "go", type: "synthetic", script: "happy" }
  const { id } = Run.parse(await app.call("agents.start", input, { signal }))
  const run = await untilTurns(app, id, 1)
  expect(run.cost.reportedUsd).not.toBeNull()
  const { ended } = Now.parse(await app.call("now.show", {}, { signal }))
  expect(ended.map((it) => [it.id, it.costUsd])).toEqual([[id, undefined]])
})
