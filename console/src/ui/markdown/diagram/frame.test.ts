import { describe, expect, it } from "vitest"
import { readAnswer } from "./frame.ts"

const DRAWN = { kind: "drawn", id: 1, svg: "<svg/>", width: 30, height: 20 }

describe("messages of the diagram frame", () => {
  it("[CONSOLE-32] a message of the frame is validated as untrusted input", () => {
    expect(readAnswer({ kind: "ready", more: 1 })).toEqual({ kind: "ready" })
    expect(readAnswer({ ...DRAWN, more: 1 })).toEqual(DRAWN)
    for (const other of [
      null,
      "ready",
      {},
      { ...DRAWN, id: "1" },
      { ...DRAWN, svg: {} },
      { ...DRAWN, width: "100%" },
      { ...DRAWN, width: Number.NaN },
      { ...DRAWN, height: -1 },
      { kind: "refused", id: 1 },
      { kind: "other", id: 1 },
    ]) {
      expect(readAnswer(other)).toBeUndefined()
    }
  })

  it("[CONSOLE-32] an image above 2 MB or 20,000 pixels is rejected, and errors are truncated", () => {
    const large = readAnswer({ ...DRAWN, svg: "a".repeat(2_000_001) })
    expect(large).toEqual({ kind: "refused", id: 1, says: "The image is larger than 2 MB." })
    expect(readAnswer({ ...DRAWN, height: 20_001 })).toMatchObject({ kind: "refused", id: 1 })
    expect(readAnswer({ kind: "refused", id: 1, says: "a".repeat(600) })).toEqual({
      kind: "refused",
      id: 1,
      says: "a".repeat(500),
    })
  })
})
