import { chmod, mkdir, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { claudeCode } from "./claude-code/claude-code.ts"
import { synthetic } from "./synthetic/synthetic.ts"

test("a program is found on the PATH and returned with its real path", async () => {
  await using temp = await tempDirectory()
  const program = await plant(join(temp.path, "bin/claude"))
  expect(await find(temp.path, ["bin"])).toEqual({ kind: "found", program, version: undefined })
})

test("a program inside the project is skipped for the next one, also behind a link", async () => {
  await using temp = await tempDirectory()
  const inProject = await plant(join(temp.path, "project/node_modules/.bin/claude"))
  await mkdir(join(temp.path, "linked"))
  await symlink(inProject, join(temp.path, "linked/claude"))
  const program = await plant(join(temp.path, "bin/claude"))
  const path = ["project/node_modules/.bin", "linked", "bin"]
  expect(await find(temp.path, path)).toEqual({ kind: "found", program, version: undefined })
})

test("a project folder on the PATH is skipped even when it links outside", async () => {
  await using temp = await tempDirectory()
  const outside = await plant(join(temp.path, "opt/claude"))
  await mkdir(join(temp.path, "project/bin"), { recursive: true })
  await symlink(outside, join(temp.path, "project/bin/claude"))
  expect(await find(temp.path, ["project/bin"])).toMatchObject({ kind: "missing" })
})

test("a missing program gives a hint with the command that installs it", async () => {
  await using temp = await tempDirectory()
  expect(await find(temp.path, ["nothing"])).toEqual({
    kind: "missing",
    hint: "Install Claude Code with `npm install -g @anthropic-ai/claude-code`, then try again.",
  })
  const program = await plant(join(temp.path, "project/claude"))
  expect(await find(temp.path, ["project"])).toEqual({
    kind: "missing",
    hint:
      "Install Claude Code with `npm install -g @anthropic-ai/claude-code` outside the project: " +
      `the program in ${dirname(program)} is inside it and is not used.`,
  })
})

test("the synthetic agent is always available", async () => {
  const found = await synthetic.find({ environment: {}, projectFolders: [] })
  expect(found).toMatchObject({ kind: "found" })
})

async function plant(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, "#!/bin/sh\n")
  await chmod(path, 0o755)
  return path
}

function find(root: string, folders: readonly string[]) {
  const environment = { PATH: folders.map((it) => join(root, it)).join(":"), HOME: root }
  return claudeCode.find({ environment, projectFolders: [join(root, "project")] })
}
