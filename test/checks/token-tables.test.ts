import { readFileSync } from "node:fs"
import * as claude from "ai-tokenizer/encoding/claude"
import * as o200k from "ai-tokenizer/encoding/o200k_base"
import { expect, test } from "vitest"
import { packageFile } from "#ground/base"
import { tableOf } from "../../scripts/token-tables.ts"

test.each([
  ["claude", claude],
  ["o200k", o200k],
] as const)("[TOKENS-11] models/tokens/%s.bin is what the script writes", (name, library) => {
  const file = packageFile(`models/tokens/${name}.bin`)
  expect(readFileSync(file).equals(tableOf(library))).toBe(true)
})
