import path from "node:path"
import { describe, expect, test } from "vitest"
import { isAppError } from "#ground/base"
import { memoryTree } from "./memory-tree.fixture.ts"
import { counter, packFixture, SHOP } from "./pack.fixture.ts"

const TASK = "Rounding of a line: `roundLine` loses half a cent"
const shop = memoryTree(SHOP, { count: counter.count })

describe("paths of choices", () => {
  // Resolves paths as if called in src/user.
  const toRelative = (input: string) => path.posix.normalize(`src/user/${input}`)

  test("[PACK-15] are relative to the working folder: dropped files, forms and order", async () => {
    await using lab = packFixture(shop, { deps: { place: toRelative } })
    const { pack } = await lab.build({
      task: TASK,
      drop: ["../bill/half.ts"],
      full: ["../../docs/guide.md"],
      symbols: ["login.ts"],
      signatures: ["./session.ts"],
      mention: ["../bill/rounding.test.ts"],
      order: ["../bill/rounding.ts", "session.ts"],
      save: false,
    })
    expect(pack.files.map((it) => [it.path, it.form])).toEqual([
      ["src/bill/rounding.ts", "full"],
      ["src/user/session.ts", "signatures"],
      ["src/bill/rounding.test.ts", "path"],
      ["docs/guide.md", "full"],
      ["src/user/login.ts", "symbols"],
    ])
    expect(pack.left.map((it) => [it.path, it.why])).toContainEqual(["src/bill/half.ts", "dropped"])
    expect(pack.notes).toEqual([])
  })

  test("[PACK-15] a dropped or ordered path that names no file is noted", async () => {
    await using lab = packFixture(shop)
    const { pack } = await lab.build({
      task: TASK,
      drop: ["src/none.ts", "../out.ts"],
      order: ["no\u200bne.ts"],
      save: false,
    })
    expect(pack.notes).toEqual([
      "Path to leave out not found: src/none.ts.",
      "Path to leave out not found: ../out.ts.",
      "Path to order not found: none.ts.",
    ])
  })
})

test("[PACK-6] a missing target never resolves to another file with the same ending", async () => {
  await using lab = packFixture(shop)
  const built = (target: string) => lab.build({ task: TASK, target: [target], save: false })
  await expect(built("old/src/bill/half.ts")).rejects.toMatchObject({
    code: "PACK_TARGET_UNKNOWN",
    hint: expect.stringContaining("Did you mean src/bill/half.ts?"),
  })
  const { pack } = await built("bill/half.ts")
  expect(pack.files[0]).toMatchObject({ path: "src/bill/half.ts", isPinned: true })
})

describe("the budget that PACK_BUDGET_TOO_SMALL names", () => {
  const many = Object.keys(SHOP)

  test.for([
    ["markdown", "nothing", {}],
    ["xml", "nothing", {}],
    ["json", "nothing", {}],
    ["xml", "targets", { target: many }],
    ["xml", "whole files", { full: many }],
    ["markdown", "paths", { mention: many }],
    ["xml", "paths", { mention: many }],
  ] as const)("[PACK-17] is enough as %s with %s named", async ([format, , chosen]) => {
    await using lab = packFixture(shop)
    const built = (budget: number) =>
      lab.build({ task: TASK, ...chosen, format, budget, save: false })
    for (const budget of [1, 30]) {
      const error: unknown = await built(budget).catch((thrown: unknown) => thrown)
      const hint = isAppError(error) ? (error.hint ?? "") : ""
      const needed = Number(/at least ([\d,]+)/.exec(hint)?.[1]?.replaceAll(",", ""))
      const { text } = await built(needed)
      if (format !== "json") expect(counter.count(text)).toBeLessThanOrEqual(needed)
      await expect(built(needed - 1)).rejects.toMatchObject({ code: "PACK_BUDGET_TOO_SMALL" })
    }
  })
})

test("[PACK-20] a summary counts as nothing sent, and a copy is another file", async () => {
  const files = { ...SHOP, "lib/half.ts": SHOP["src/bill/half.ts"] }
  await using lab = packFixture(memoryTree(files, { count: counter.count }))
  const ask = async (format: string | undefined, target: string) => {
    const request = { task: "", target: [target], session: "ses_1", format }
    return (await lab.build(request)).pack.files.map((it) => [it.path, it.sentBefore])
  }
  const own = "src/bill/half.ts"
  expect(await ask("summary", own)).toEqual([[own, false]])
  expect(await ask(undefined, own)).toEqual([[own, false]])
  expect(await ask("markdown", own)).toEqual([[own, false]])
  expect(await ask("markdown", "lib/half.ts")).toEqual([["lib/half.ts", false]])
  expect(await ask("markdown", own)).toEqual([[own, true]])
})
