import { open, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { isInside } from "../path.ts"
import { checkOpenedInside, realPathByInode } from "./confine.ts"

test("[F4] inside is judged by whole names", () => {
  expect(isInside("/a/b", "/a/b/c")).toBe(true)
  expect(isInside("/a/b", "/a/b/..c/d")).toBe(true)
  expect(isInside("/", "/a")).toBe(true)
  expect(isInside("/a/b", "/a/bc")).toBe(false)
  expect(isInside("/a/b", "/a")).toBe(false)
  expect(isInside("/a/b", "/c")).toBe(false)
  expect(isInside("/a/b", "(unreachable)/a/b/c")).toBe(false)
})

describe("what was opened", () => {
  test("[F4] is judged where it lies, not where the path leads now", async () => {
    await using directory = await tempDirectory()
    const at = (name: string) => join(directory.path, name)
    await writeFile(at("opened"), "outside")
    await writeFile(at("other"), "inside")
    await using handle = await open(at("opened"))
    const opened = { handle, path: at("opened") }
    expect(await checkOpenedInside(directory.path, opened)).toBe(true)
    expect(await realPathByInode(opened)).toBe(at("opened"))

    await using elsewhere = await tempDirectory()
    await rename(at("opened"), join(elsewhere.path, "opened"))
    await rename(at("other"), at("opened"))
    expect(await checkOpenedInside(directory.path, opened)).toBe(false)
    expect(await realPathByInode(opened)).toBeUndefined()
  })
})
