import { expect, test } from "vitest"
import { createIds, systemRandom } from "#ground/base"
import { blobId } from "#see/repo"
import { hookFixture } from "#test/hook-fixture"
import { createOverrides } from "../overrides.ts"
import { writeReceipt } from "../receipts.ts"
import { risk } from "./risk.ts"
import { track } from "./track.ts"

const HOUR_MS = 60 * 60_000
const hash = (text: string) => blobId(Buffer.from(text), "sha1")

async function scene() {
  const it = await hookFixture({ highRiskPaths: ["**/auth/**", "!**/auth/docs/**"] })
  const ids = createIds({ ...it, random: systemRandom })
  await it.write("src/auth/a.ts", "one\n")
  return Object.assign(it, {
    ask: (...paths: readonly string[]) =>
      risk.judge(it.event("before-edit", { tool: "Edit", paths }), it),
    edit: async (text: string, session = "mine") => {
      await it.write("src/auth/a.ts", text)
      const own = { tool: "Edit", paths: ["src/auth/a.ts"], tokens: 0 }
      await track.judge(it.event("after-edit", own, session), it)
    },
    simulate: (path: string, blob: string | null) =>
      writeReceipt(it.stateDirectory, {
        id: ids.next("sim"),
        paths: [{ path, blobId: blob }],
        treeId: "t",
        reach: [],
        tests: [],
        risk: 0.5,
        reasons: [],
        at: it.clock.now(),
      }),
    overrides: createOverrides({ ...it, ids }),
  })
}

const SILENT = { kind: "silent" }

test("[GUARD-25] blocks an edit of a high-risk path without a simulation, and names the command", async () => {
  await using it = await scene()
  expect(await it.ask("src/b.ts", "src/auth/a.ts", "src/auth/new.ts")).toMatchInlineSnapshot(`
    {
      "kind": "deny",
      "paths": [
        "src/auth/a.ts",
        "src/auth/new.ts",
      ],
      "text": "Edit blocked: src/auth/a.ts (pattern **/auth/**), src/auth/new.ts (pattern **/auth/**) are high-risk and have no current simulation.
    Run \`qm simulate src/auth/a.ts src/auth/new.ts\`, review the dependent files and the tests to run, then edit again. The simulation covers these files for four hours, as long as only you change them.
    Only with the user's approval: \`qm override src/auth/a.ts src/auth/new.ts --reason "WHY"\`, with the user's reason for WHY. The override is logged.",
    }
  `)
  expect(await it.ask("src/b.ts", "src/auth/docs/a.md")).toEqual(SILENT)
  const many = Array.from({ length: 300 }, (_, n) => `src/${n}.ts`)
  expect(await it.ask(...many, "src/auth/a.ts")).toMatchObject({ kind: "deny" })
})

test("[GUARD-25] a simulation of the same bytes covers edits for four hours", async () => {
  await using it = await scene()
  await it.simulate("src/auth/a.ts", hash("one\n"))
  expect(await it.ask("src/auth/a.ts")).toEqual(SILENT)
  expect(await it.ask("src/auth/new.ts")).toMatchObject({ kind: "deny" })
  await it.simulate("src/auth/new.ts", null)
  expect(await it.ask("src/auth/a.ts", "src/auth/new.ts")).toEqual(SILENT)
  await it.clock.advance(4 * HOUR_MS)
  expect(await it.ask("src/auth/a.ts")).toMatchObject({ kind: "deny" })
})

test("[GUARD-25] the session's own later edits stay covered, those of others do not", async () => {
  await using it = await scene()
  await it.simulate("src/auth/a.ts", hash("one\n"))
  await it.clock.advance(1_000)
  await it.edit("two\n")
  expect(await it.ask("src/auth/a.ts")).toEqual(SILENT)
  await it.edit("three\n", "theirs")
  expect(await it.ask("src/auth/a.ts")).toMatchObject({ kind: "deny", paths: ["src/auth/a.ts"] })
})

test("[GUARD-25] an override permits the edit, and is reported", async () => {
  await using it = await scene()
  await it.overrides.allow({ paths: ["src/auth/a.ts"], reason: "a typo", minutes: 5 })
  expect(await it.ask("src/auth/a.ts")).toEqual({
    kind: "override",
    text: "src/auth/a.ts is high-risk and has no current simulation; an override permits the edit: a typo",
    paths: ["src/auth/a.ts"],
  })
  const both = await it.ask("src/auth/a.ts", "src/auth/b.ts")
  expect(both).toMatchObject({ kind: "deny", paths: ["src/auth/b.ts"] })
})
