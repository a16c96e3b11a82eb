import { expect, test } from "vitest"
import { isFullMode, missingTools } from "#test/needs"

test("[TEST-1] full mode has every tool that a promise may need", () => {
  expect(isFullMode() ? missingTools() : []).toEqual([])
})
