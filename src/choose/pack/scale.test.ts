import fc from "fast-check"
import { expect, test } from "vitest"
import type { TokenScale } from "#ground/contract"
import { fcParameters } from "#test/seed"
import { BudgetTooSmall } from "./errors.ts"
import { memoryTree } from "./memory-tree.fixture.ts"
import { counter, packFixture, SHOP } from "./pack.fixture.ts"

const shop = memoryTree(SHOP, { count: counter.count })
const TASK = "Rounding of a line: `roundLine` loses half a cent"
const scaleBy = (factor: number): TokenScale => ({ model: "claude-x-9", factor, basis: "stated" })

test("[PACK-29] a package for a model has its tokens in every figure, and the model with the factor", async () => {
  await using plain = packFixture(shop)
  await using lab = packFixture(shop, { deps: { scale: async () => scaleBy(1.3) } })
  const before = await plain.build({ task: TASK, format: "markdown" })
  const { pack, text, textTokens } = await lab.build({ task: TASK, format: "markdown" })
  expect(text).toBe(before.text)
  expect([before.pack.scale, pack.scale]).toEqual([null, scaleBy(1.3)])
  expect(textTokens).toBe(Math.ceil(before.textTokens * 1.3))
  const inModel = (it: { readonly tokens: number }) => Math.floor(it.tokens * 1.3)
  expect(pack.files.map((it) => it.tokens)).toEqual(before.pack.files.map(inModel))
  expect(pack.budget).toBe(before.pack.budget)
  const { pack: shown } = await lab.pack.show({ id: pack.id, format: undefined })
  expect(shown).toEqual(pack)
})

test("[PACK-29] a package for a model is within a budget of its tokens, and its parts sum to its total", async () => {
  const factor = fc.double({ min: 0.7, max: 2, noNaN: true })
  const property = fc.asyncProperty(
    fc.integer({ min: 150, max: 900 }),
    factor,
    async (budget, by) => {
      await using lab = packFixture(shop, { deps: { scale: async () => scaleBy(by) } })
      const { pack, textTokens } = await lab.build({ task: TASK, budget, format: "markdown" })
      expect(textTokens).toBeLessThanOrEqual(budget)
      const sum = (items: readonly { readonly tokens: number }[]) =>
        items.reduce((total, it) => total + it.tokens, 0)
      expect([sum(pack.files), sum(pack.manifest.kinds)]).toEqual([pack.tokens, pack.tokens])
    },
  )
  await fc.assert(property, fcParameters({ numRuns: 40 }))
})

test("[PACK-29] a budget that is too small is reported in tokens of the model, and the named one suffices", async () => {
  await using lab = packFixture(shop, { deps: { scale: async () => scaleBy(1.3) } })
  const request = { task: TASK, target: ["src/bill/rounding.ts"] }
  const error: unknown = await lab.build({ ...request, budget: 40 }).catch((it: unknown) => it)
  if (!BudgetTooSmall.is(error)) throw new Error("the budget is too small", { cause: error })
  expect(error.data.budget).toBe(40)
  await lab.build({ ...request, budget: error.data.needed })
})
