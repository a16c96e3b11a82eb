import { expect, test } from "vitest"
import { digest } from "#know/ledger"
import { hookFixture } from "#test/hook-fixture"
import { noteWindow, windowRule } from "./window.ts"

const EDIT = { tool: "Edit", paths: ["a.ts"], tokens: 0 }

test("[GUARD-80] each of 50, 70 and 85 % is reported once per session", async () => {
  await using it = await hookFixture()
  const judge = (session = "mine") => windowRule.judge(it.event("after-edit", EDIT, session), it)
  const note = (percent: number, session = "mine") =>
    noteWindow({ session, at: it.clock.now(), percent }, it.stateDirectory)
  expect(await judge(), "without a status line").toEqual({ kind: "silent" })
  await note(49.9)
  expect(await judge()).toEqual({ kind: "silent" })
  await note(50)
  expect(await judge()).toMatchObject({ kind: "context", text: expect.stringMatching(/half full/) })
  expect(await judge()).toEqual({ kind: "silent" })
  await note(86)
  expect(await judge()).toMatchObject({ text: expect.stringMatching(/85 % full/) })
  // A compaction empties the window; the same thresholds are not reported again.
  await note(20)
  expect(await judge()).toEqual({ kind: "silent" })
  await note(72)
  expect(await judge()).toMatchObject({ text: expect.stringMatching(/70 % full/) })
  await note(90)
  expect(await judge()).toEqual({ kind: "silent" })
  await note(51, "other")
  expect(await judge("other")).toMatchObject({ kind: "context" })
})

test("[GUARD-80] the status line writes only when a threshold is crossed", async () => {
  await using it = await hookFixture()
  for (const percent of [10, 20, 51, 52, 69, 70.4, 71, 30]) {
    await noteWindow({ session: "mine", at: 1, percent }, it.stateDirectory)
  }
  const lines = await it.lines(`window/${digest("mine")}.jsonl`)
  expect(lines).toMatchObject([{ percent: 51 }, { percent: 70 }, { percent: 30 }])
})

test("[GUARD-80] a sub-agent is not told about the window of the main agent", async () => {
  await using it = await hookFixture()
  await noteWindow({ session: "mine", at: 1, percent: 60 }, it.stateDirectory)
  const event = { ...it.event("after-edit", EDIT), agent: "explorer" }
  expect(await windowRule.judge(event, it)).toEqual({ kind: "silent" })
})
