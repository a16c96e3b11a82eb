import { expect, test } from "vitest"
import { defineError } from "#ground/base"
import type { Approval, Run } from "#ground/contract"
import { createQuestions } from "./questions.ts"

const Late = defineError<Record<string, never>>()("TEST_LATE", {
  family: "conflict",
  message: () => "Somebody was faster.",
  hint: () => "",
})

const approval = (id: string): Approval => ({
  id,
  runId: "run_1",
  tool: "Bash",
  title: `Run ${id}`,
  input: "",
  digest: "d",
  path: null,
  cwd: "",
  status: "open",
  requestedAt: 0,
  expiresAt: 0,
  answeredAt: null,
  answeredBy: null,
  note: null,
})

/** A user whose keys come when the test says so. */
function makeFixture(options: { hasKeys: boolean; fail?: Error }) {
  const said: string[] = []
  let press: (key: string | undefined) => void = () => {}
  const state = { open: [approval("a"), approval("b")] }
  const questions = createQuestions({
    open: async () => state.open,
    readKey: options.hasKeys
      ? async (signal) =>
          new Promise((resolve) => {
            press = resolve
            signal.addEventListener("abort", () => resolve(undefined))
          })
      : undefined,
    async answer(id, { decision, always }) {
      if (options.fail !== undefined) throw options.fail
      said.push(`answered ${id} ${decision} ${always}`)
      state.open = state.open.filter((it) => it.id !== id)
    },
    show: ({ id }) => void said.push(`shown ${id}`),
    ask: (it) => void said.push(it === undefined ? "asks nothing" : `asks ${it.id}`),
    note: (text) => void said.push(text),
  })
  // The code reads only this field of a run.
  const run = { openApprovals: 2 } as Run
  return {
    said,
    state,
    questions,
    look: () => questions.look(run),
    async press(key: string | undefined) {
      press(key)
      // The answer is not awaited; it is done after one turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

test("[CLI-16] questions are printed once and asked one after another, by key", async () => {
  const { said, look, press } = makeFixture({ hasKeys: true })
  await look()
  await look()
  await press("x")
  await press("Y")
  await look()
  await press("a")
  expect(said).toEqual([
    "shown a",
    "shown b",
    "asks a",
    "answered a allow false",
    "asks nothing",
    "asks b",
    "answered b allow true",
    "asks nothing",
  ])
})

test("[CLI-16] a question answered elsewhere is not asked again", async () => {
  const { said, state, look, press } = makeFixture({ hasKeys: true })
  await look()
  state.open = [approval("b")]
  await look()
  await press("n")
  expect(said.slice(2)).toEqual([
    "asks a",
    "asks nothing",
    "asks b",
    "answered b deny false",
    "asks nothing",
  ])
})

test("[CLI-16] without a terminal a question is printed and stays open; a closed terminal answers nothing", async () => {
  const silent = makeFixture({ hasKeys: false })
  await silent.look()
  expect(silent.said).toEqual(["shown a", "shown b"])
  const gone = makeFixture({ hasKeys: true })
  await gone.look()
  await gone.press(undefined)
  expect(gone.said).toEqual(["shown a", "shown b", "asks a"])
})

test("[CLI-16] a late answer prints the error; a bug is thrown", async () => {
  const late = makeFixture({ hasKeys: true, fail: Late({}) })
  await late.look()
  await late.press("y")
  expect(late.said).toContain("Somebody was faster.")
  const broken = makeFixture({ hasKeys: true, fail: new Error("bug") })
  await broken.look()
  await broken.press("y")
  await expect(broken.look()).rejects.toThrow("bug")
})
