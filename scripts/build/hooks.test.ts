import { readdirSync, readFileSync, utimesSync } from "node:fs"
import path from "node:path"
import { expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { areHooksStale, buildHooks } from "./hooks.ts"

test("[HOOKS-15] two simultaneous builds leave one complete file and nothing else", async () => {
  await using temp = await tempDirectory()
  const file = path.join(temp.path, "new folder", "qm-hook.mjs")
  const made = await Promise.all([buildHooks(file), buildHooks(file)])
  expect(made).toEqual([file, file])
  expect(readdirSync(path.dirname(file))).toEqual(["qm-hook.mjs", "qm-opencode.mjs"])
  const first = readFileSync(file, "utf8")
  await buildHooks(file)
  expect(readFileSync(file, "utf8")).toBe(first)
})

test("[HOOKS-15] a bundle that is missing or older than a source is stale", async () => {
  await using temp = await tempDirectory()
  const file = path.join(temp.path, "qm-hook.mjs")
  expect(areHooksStale(file)).toBe(true)
  await buildHooks(file)
  const inAYear = Date.now() / 1_000 + 365 * 86_400
  utimesSync(file, inAYear, inAYear)
  expect(areHooksStale(file)).toBe(false)
  utimesSync(file, 1, 1)
  expect(areHooksStale(file)).toBe(true)
})
