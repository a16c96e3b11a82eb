import { existsSync, readdirSync, rmSync } from "node:fs"
import path from "node:path"
import { afterAll, expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { closeHostileSockets, makeHostileTree, OUTSIDE_TEXT } from "../../../test/corpus/hostile.ts"
import { readTreeFile } from "./tree-file.ts"
import { walkTree } from "./walk.ts"

const { signal } = new AbortController()
afterAll(closeHostileSockets)

test("[F3] each thing of the hostile corpus is read, or left out with the reason it should have", async () => {
  await using temp = await tempDirectory()
  const place = { root: path.join(temp.path, "root"), outside: path.join(temp.path, "outside") }
  const expected = makeHostileTree(place)
  const repository = { root: place.root, gitCommonDirectory: undefined }
  const walk = await walkTree(repository, { signal })

  const seen = new Map(walk.skipped.map((it) => [it.path, String(it.reason)]))
  for (const file of walk.files) {
    const outcome = readTreeFile(place.root, file.path)
    if (outcome.kind === "read") expect(outcome.bytes.includes(OUTSIDE_TEXT)).toBe(false)
    seen.set(file.path, outcome.kind === "skipped" ? outcome.reason : outcome.kind)
  }
  const found = new Map([...expected.keys()].map((it) => [it, seen.get(it) ?? "not seen"]))
  expect(found).toEqual(expected)
  expect(await walkTree(repository, { signal })).toEqual(walk)
  expect(readdirSync(temp.path, { recursive: false })).not.toContain("pwned")
  expect(existsSync("pwned")).toBe(false)
})

test("[F3] a tree that is deleted while it is walked ends the walk, and nothing else", async () => {
  await using temp = await tempDirectory()
  const place = { root: path.join(temp.path, "root"), outside: path.join(temp.path, "outside") }
  makeHostileTree(place)
  const walking = walkTree({ root: place.root, gitCommonDirectory: undefined }, { signal })
  rmSync(place.root, { recursive: true })
  const walk = await walking
  for (const file of walk.files) {
    expect(readTreeFile(place.root, file.path).kind).toBe("missing")
  }
  const again = await walkTree({ root: place.root, gitCommonDirectory: undefined }, { signal })
  expect(again).toMatchObject({ files: [], isWhole: false, skippedInAll: 1 })
})
