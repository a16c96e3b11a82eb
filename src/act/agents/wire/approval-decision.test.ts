import { mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { checkOrdinaryFile } from "./approval-decision.ts"

test.each([
  ["a.txt", true],
  ["new/deep/b.txt", true],
  ["../outside.txt", false],
  ["/etc/passwd", false],
  [".", false],
  [".git/hooks/pre-commit", false],
  ["sub/.env", false],
  ["way-out/c.txt", false],
  ["link-out.txt", false],
])("[AGENTS-4] a change to %s is an ordinary edit: %s", async (file, isOrdinary) => {
  await using temp = await tempDirectory()
  const cwd = join(temp.path, "w")
  await mkdir(cwd)
  await writeFile(join(temp.path, "outside.txt"), "")
  await symlink(temp.path, join(cwd, "way-out"))
  await symlink(join(temp.path, "outside.txt"), join(cwd, "link-out.txt"))
  expect(await checkOrdinaryFile(cwd, file)).toBe(isOrdinary)
})
