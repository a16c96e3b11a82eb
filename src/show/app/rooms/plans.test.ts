import { readFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { Plan, PlanList, PlanState } from "#ground/contract"
import { tempDirectory } from "#test/temp"
import { type App, createApp } from "../app.ts"

const { signal } = new AbortController()
const agent = { principal: "agent", session: "s-1" }

async function newApp(directory: string): Promise<App> {
  const environment = { PATH: process.env["PATH"], QM_HOME: path.join(directory, "home") }
  return createApp({ directory, environment, settings: [], writeLog: () => {} })
}

test("[PLANS-2] [PLANS-3] an agent submits, a user approves, the agent ticks off, and the file is archived", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp.path)
  const input = { title: "Retry uploads", steps: ["Add a test", "Add the retry"] }
  const { id, file, session } = Plan.parse(
    await app.call("plan.submit", input, { signal, caller: agent }),
  )
  expect(session).toBe("s-1")
  expect(await readFile(path.join(temp.path, file), "utf8")).toContain("- [ ] Add the retry")
  const { plans } = PlanList.parse(await app.call("plan.list", {}, { signal }))
  expect(plans).toMatchObject([{ id, status: "waiting" }])
  await app.call("plan.answer", { id, decision: "approve" }, { signal })
  const steps = { id, steps: [1, 2] }
  expect(await app.call("plan.tick", steps, { signal, caller: agent })).toMatchObject({
    status: "done",
    isArchived: true,
  })
  expect(await app.call("plan.show", { id }, { signal })).toMatchObject({ status: "done" })
})

test("[PLANS-2] answering a plan is no MCP tool", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp.path)
  const operations = await app.operations()
  const answer = operations.find((it) => it.name === "plan.answer")
  expect(answer?.surfaces).toEqual(["cli", "http"])
  expect(answer?.mcp).toBeUndefined()
})

test("[PLANS-3] an abandoned plan is archived by hand", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp.path)
  const input = { title: "Old", steps: ["One"] }
  const { id } = Plan.parse(await app.call("plan.submit", input, { signal, caller: agent }))
  expect(await app.call("plan.archive", { id }, { signal })).toMatchObject({ isArchived: true })
})

test("[PLANS-5] notes belong to the session of the caller", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp.path)
  const keep = (caller: typeof agent, input: object) =>
    app.call("plan.state", input, { signal, caller })
  await keep(agent, { key: "phase", value: "tests" })
  expect(PlanState.parse(await keep(agent, {})).entries).toMatchObject([
    { key: "phase", value: "tests" },
  ])
  expect(PlanState.parse(await keep({ ...agent, session: "s-2" }, {})).entries).toEqual([])
  await expect(app.call("plan.state", {}, { signal })).rejects.toMatchObject({
    code: "PLAN_NO_SESSION",
  })
})
