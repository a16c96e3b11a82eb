import { mkdir, symlink, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { directoryProblem, listFiles, projectFolders, readEnvironmentFiles } from "./index.ts"
import { DEEPEST_LISTED_LEVELS } from "./list-files.ts"

const { signal } = new AbortController()

test("[REPO-6] files below a folder come nearest first, without links and nested repositories", async () => {
  await using temp = await tempDirectory()
  for (const folder of ["a/b", ".git", "node_modules/x"]) {
    await mkdir(path.join(temp.path, folder), { recursive: true })
    await writeFile(path.join(temp.path, folder, "file"), "")
  }
  await writeFile(path.join(temp.path, ".top"), "")
  await symlink(path.join(temp.path, "a"), path.join(temp.path, "link"))
  expect(await listFiles(temp.path, { maxFiles: 10, signal })).toEqual({
    files: [".top", "a/b/file"],
    isWhole: true,
  })
  expect(await listFiles(temp.path, { maxFiles: 1, signal })).toMatchObject({ isWhole: false })
  expect(await listFiles(path.join(temp.path, "none"), { maxFiles: 1, signal })).toEqual({
    files: [],
    isWhole: false,
  })
})

test("[REPO-6] a depth limit and an abort end the listing", async () => {
  await using temp = await tempDirectory()
  const deep = path.join(temp.path, ...Array.from({ length: DEEPEST_LISTED_LEVELS + 1 }, () => "d"))
  await mkdir(deep, { recursive: true })
  expect((await listFiles(temp.path, { maxFiles: 10, signal })).isWhole).toBe(false)
  await expect(listFiles(temp.path, { maxFiles: 10, signal: AbortSignal.abort() })).rejects.toThrow(
    "aborted",
  )
})

test("[REPO-7] the problem with a directory is described", async () => {
  await using temp = await tempDirectory()
  await writeFile(path.join(temp.path, "file"), "")
  await symlink("circle", path.join(temp.path, "circle"))
  const problem = (name: string) => directoryProblem(path.join(temp.path, name))
  expect(await problem(".")).toBeUndefined()
  expect(await problem("none")).toBe("it does not exist")
  expect(await problem("file")).toBe("it is a regular file, not a directory")
  expect(await problem("file/below")).toBe("a part of the path is not a directory")
  expect(await problem("circle")).toBe("its links are circular")
})

test("[REPO-8] values of .env files are read, those of example files are not", async () => {
  await using temp = await tempDirectory()
  const write = (name: string, text: string) => writeFile(path.join(temp.path, name), text)
  await write(".env", "A=one\nexport B='two words'\r\n# C=no\n\nD=\nnonsense\n")
  await write(".env.local", 'E="three"')
  await write(".env.example", "F=shown")
  await write(".envrc", "G=other")
  expect(await readEnvironmentFiles(temp.path)).toEqual([
    { name: "A", value: "one" },
    { name: "B", value: "two words" },
    { name: "E", value: "three" },
  ])
  expect(await readEnvironmentFiles(path.join(temp.path, "none"))).toEqual([])
})

test("[REPO-9] the folders of a project are found from inside it and through a link", async () => {
  await using temp = await tempDirectory()
  await mkdir(path.join(temp.path, "top/.git/objects"), { recursive: true })
  await writeFile(path.join(temp.path, "top/.git/HEAD"), "ref: refs/heads/main\n")
  await mkdir(path.join(temp.path, "top/a/b"), { recursive: true })
  await symlink(path.join(temp.path, "top/a/b"), path.join(temp.path, "link"))
  const folders = ["top/a/b", "top/a", "top"].map((it) => path.join(temp.path, it))
  expect(await projectFolders(path.join(temp.path, "top/a/b"))).toEqual(folders)
  expect(await projectFolders(path.join(temp.path, "link"))).toEqual(folders)
  expect(await projectFolders(temp.path)).toEqual([temp.path])
  expect(await projectFolders(path.join(temp.path, "none"))).toEqual([])
})
