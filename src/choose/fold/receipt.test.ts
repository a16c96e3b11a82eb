import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { systemRandom } from "#ground/base"
import { fcParameters } from "#test/seed"
import { foldReceipt, openReceipt, receiptsIn } from "./receipt.ts"

const hexOf = (bytes: number): string => Buffer.from(systemRandom.bytes(bytes)).toString("hex")
const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: length, maxLength: length })
const branchIds = hex(32).map((it) => `br_${it}`)

describe("receipts", () => {
  const key = hexOf(32)
  const branchId = `br_${hexOf(16)}`

  test("[FOLD-28] a receipt is plain text with its branch id and 16 characters of a MAC", () => {
    expect(openReceipt(key, branchId)).toMatch(new RegExp(`^qm-open:${branchId}:[0-9a-f]{16}$`))
    expect(foldReceipt(key, branchId)).toMatch(new RegExp(`^qm-fold:${branchId}:[0-9a-f]{16}$`))
    expect(openReceipt("0".repeat(64), `br_${"0".repeat(32)}`)).toBe(
      `qm-open:br_${"0".repeat(32)}:bcea2bf12a6483c9`,
    )
  })

  test("[FOLD-28] a receipt is found in any text and in JSON within JSON, with its own key only", () => {
    const property = fc.property(
      fc.array(branchIds, { minLength: 1, maxLength: 5 }),
      fc.string(),
      hex(64),
      (ids, around, itsKey) => {
        const text = ids.map((it) => `${around}\n${foldReceipt(itsKey, it)}`).join(around)
        const nested = JSON.stringify({ content: JSON.stringify({ receipt: text }) })
        const known = [...new Set(ids)]
        expect(receiptsIn(text, "fold", itsKey)).toEqual(known)
        expect(receiptsIn(nested, "fold", itsKey)).toEqual(known)
        expect(receiptsIn(text, "open", itsKey)).toEqual([])
        expect(receiptsIn(text, "fold", key)).toEqual([])
      },
    )
    fc.assert(property, fcParameters({ numRuns: 100 }))
  })

  test("[FOLD-28] a receipt of one kind or branch is not valid for another", () => {
    const other = `br_${hexOf(16)}`
    const opened = openReceipt(key, branchId)
    expect(receiptsIn(`a ${opened}.`, "open", key)).toEqual([branchId])
    expect(receiptsIn(opened, "fold", key)).toEqual([])
    // The MAC of one kind or branch is not valid for another.
    expect(receiptsIn(opened.replace("qm-open", "qm-fold"), "fold", key)).toEqual([])
    expect(receiptsIn(opened.replace(branchId, other), "open", key)).toEqual([])
  })

  test("[FOLD-28] after 1,000 invalid receipts no more are checked", () => {
    const forged = Array.from({ length: 1_000 }, () => `qm-fold:${branchId}:${"0".repeat(16)}`)
    const text = [...forged, foldReceipt(key, branchId)].join("\n")
    expect(receiptsIn(text, "fold", key)).toEqual([])
    expect(receiptsIn(text.slice(forged[0]?.length ?? 0), "fold", key)).toEqual([branchId])
  })
})
