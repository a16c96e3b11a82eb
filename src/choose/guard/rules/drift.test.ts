import { expect, test } from "vitest"
import { hookFixture } from "#test/hook-fixture"
import { drift } from "./drift.ts"

const STOP = { isAgain: false, isBusy: false }

async function drifted(...paths: readonly string[]) {
  const it = await hookFixture()
  for (const path of paths) await it.ledger.modified("mine", { path, tool: "Edit" })
  return Object.assign(it, {
    stop: (own: Partial<typeof STOP> = {}) =>
      drift.judge(it.event("stop", { ...STOP, ...own }), it),
  })
}

test("[GUARD-22] blocks the stop of an unregistered session once, and says how to register", async () => {
  await using it = await drifted("src/b.ts", "src/a.ts", "notes.txt")
  expect(await it.stop()).toMatchInlineSnapshot(`
    {
      "kind": "block",
      "text": "This session changed 2 files and has not registered them: src/a.ts, src/b.ts.
    Register the session: \`qm sessions register "<short title>" "<the request>" --done "<what you did>" --decisions "<decision and reason>" --final-state "<current state>" --session mine\`. --done and --decisions may be repeated.
    If you learned something that helps other sessions, record at most three lessons: \`qm memory add "<title>" "<what and why>" --kind <strategy|pitfall|fix> --cites <path>\`.
    Then stop. This reminder appears once for these files; to skip the registration, stop again.",
    }
  `)
  expect(await it.stop()).toEqual({ kind: "silent" })
  await it.ledger.modified("mine", { path: "src/a.ts", tool: "Edit" })
  expect(await it.stop()).toEqual({ kind: "silent" })
})

test("[GUARD-22] blocks again for other files, but never directly after a block", async () => {
  await using it = await drifted("a.ts", "b.ts")
  expect(await it.stop()).toMatchObject({ kind: "block" })
  await it.ledger.modified("mine", { path: "c.ts", tool: "Edit" })
  expect(await it.stop({ isAgain: true })).toEqual({ kind: "silent" })
  expect(await it.stop()).toMatchObject({
    kind: "block",
    text: expect.stringMatching(/^This session changed 3 files/),
  })
})

test("[GUARD-22] does not block for one file, after a registration, or while background work runs", async () => {
  await using it = await drifted("a.ts")
  expect(await it.stop()).toEqual({ kind: "silent" })
  await it.ledger.modified("mine", { path: "b.ts", tool: "Edit" })
  expect(await it.stop({ isBusy: true })).toEqual({ kind: "silent" })
  await it.ledger.registered("mine", ".qm/memory/sessions/2020-01-09-01-x.md")
  expect(await it.stop()).toEqual({ kind: "silent" })
})

test("[GUARD-22] blocks one of several simultaneous stops", async () => {
  await using it = await drifted("a.ts", "b.ts")
  const verdicts = await Promise.all(Array.from({ length: 8 }, () => it.stop()))
  expect(verdicts.filter((one) => one.kind === "block")).toHaveLength(1)
})
