import { mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { realPath } from "../index.ts"
import { leadsTo } from "./leads-to.ts"

test("[BASE-17] where a path leads is told through links, also for what is not there yet", async () => {
  await using temp = await tempDirectory()
  const top = await realPath(temp.path)
  await mkdir(join(top, "inside/deep"), { recursive: true })
  await mkdir(join(top, "outside"))
  await writeFile(join(top, "inside/file"), "")
  await symlink("../outside", join(top, "inside/link"))
  await symlink("../../outside/new.txt", join(top, "inside/deep/dangling"))
  await symlink("loop", join(top, "inside/loop"))
  const from = (path: string) => leadsTo(join(top, path))
  expect(from("inside/file")).toBe(join(top, "inside/file"))
  expect(from("inside/no/such/file")).toBe(join(top, "inside/no/such/file"))
  expect(from("inside/../outside/x")).toBe(join(top, "outside/x"))
  expect(from("inside/link/x")).toBe(join(top, "outside/x"))
  expect(from("inside/deep/dangling")).toBe(join(top, "outside/new.txt"))
  expect(from("inside/deep/dangling/below")).toBe(join(top, "outside/new.txt/below"))
  expect(from("inside/file/below")).toBe(join(top, "inside/file/below"))
  expect(from("inside/loop")).toBeUndefined()
  expect(leadsTo("/")).toBe("/")
})
