import { expect, test } from "vitest"
import { isFullMode, missingTools } from "#test/needs"

test("[TEST-1] full mode has every tool that a promise needs", () => {
  expect(isFullMode() ? missingTools() : []).toEqual([])
})
