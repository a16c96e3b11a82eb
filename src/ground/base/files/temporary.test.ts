import { rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { removeEmptyDirectory } from "./directories.ts"
import { makeTemporaryDirectory } from "./temporary.ts"

test("[BASE-18] a temporary folder is private, one's own, and gone with all in it", async () => {
  const made = await makeTemporaryDirectory()
  const other = await makeTemporaryDirectory()
  expect(other.path).not.toBe(made.path)
  expect((await stat(made.path)).mode & 0o777).toBe(0o700)
  await writeFile(join(made.path, "left"), "x")
  await made[Symbol.asyncDispose]()
  await other[Symbol.asyncDispose]()
  await expect(stat(made.path)).rejects.toMatchObject({ code: "ENOENT" })
})

test("[BASE-18] a folder with something in it is not removed, an empty one is", async () => {
  await using made = await makeTemporaryDirectory()
  await writeFile(join(made.path, "left"), "x")
  await removeEmptyDirectory(made.path)
  expect((await stat(made.path)).isDirectory()).toBe(true)
  await rm(join(made.path, "left"))
  await removeEmptyDirectory(made.path)
  await removeEmptyDirectory(made.path)
  await expect(stat(made.path)).rejects.toMatchObject({ code: "ENOENT" })
})
