import { execFileSync } from "node:child_process"
import { mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, describe, expect, test } from "vitest"
import { needs } from "#test/needs"
import { tempDirectory } from "#test/temp"
import { FileExists, FileNotReadable, FileNotRegular } from "../errors.ts"
import {
  createFile,
  findWriteBarrier,
  freeBytes,
  leadsTo,
  linkFile,
  realPath,
  removeFile,
  renameFile,
  setFileMode,
  setModifiedTime,
  statFile,
} from "./file-operations.ts"

const umaskBefore = process.umask()
afterEach(() => void process.umask(umaskBefore))

test("[BASE-7] the type of a path is reported without following links", async () => {
  await using directory = await tempDirectory()
  const at = (name: string) => join(directory.path, name)
  await writeFile(at("file"), "12345", { mode: 0o640 })
  await symlink(at("file"), at("link"))
  expect(await statFile(at("file"))).toMatchObject({
    kind: "found",
    what: "regular file",
    stat: { sizeBytes: 5, mode: 0o640 },
  })
  expect(await statFile(at("link"))).toMatchObject({ what: "symbolic link" })
  expect(await statFile(at("no"))).toEqual({ kind: "missing" })
  expect(await statFile(at("file/below"))).toEqual({ kind: "missing" })
  expect(await statFile(`/${"n".repeat(300)}`)).toEqual({
    kind: "unreadable",
    reason: "ENAMETOOLONG",
  })
  const block = execFileSync("find", ["/dev", "-type", "b"], { encoding: "utf8" }).split("\n")[0]
  if (block) expect(await statFile(block)).toMatchObject({ what: "block device" })
})

describe("removeFile", () => {
  test("[BASE-7] removeFile removes a file or a link, not the link's target and never a directory", async () => {
    await using directory = await tempDirectory()
    const at = (name: string) => join(directory.path, name)
    await writeFile(at("file"), "kept")
    await symlink(at("file"), at("link"))
    await mkdir(at("directory"))
    expect(await removeFile(at("link"))).toEqual({ kind: "removed" })
    expect(await readFile(at("file"), "utf8")).toBe("kept")
    expect(await removeFile(at("file"))).toEqual({ kind: "removed" })
    expect(await removeFile(at("file"))).toEqual({ kind: "missing" })
    await expect(removeFile(at("directory"))).rejects.toSatisfy(FileNotRegular.is)
  })

  test.runIf(needs("BASE-7", "proc"))(
    "[BASE-7] removeFile reports missing permission",
    async () => {
      await expect(removeFile("/proc/version")).rejects.toMatchObject({ code: "FILE_NOT_WRITABLE" })
    },
  )
})

describe("renaming a file", () => {
  test("[BASE-6] a rename works across directories and replaces a file only if requested", async () => {
    await using directory = await tempDirectory()
    const at = (name: string) => join(directory.path, name)
    await mkdir(at("aside"))
    await writeFile(at("a"), "a")
    await writeFile(at("b"), "b")
    await expect(renameFile(at("a"), at("b"))).rejects.toSatisfy(FileExists.is)
    expect(await readFile(at("b"), "utf8")).toBe("b")
    expect(await renameFile(at("b"), at("aside/b"))).toEqual({ kind: "renamed" })
    expect(await renameFile(at("b"), at("c"))).toEqual({ kind: "missing" })
    expect(await renameFile(at("a"), at("aside/b"), { existing: "replace" })).toEqual({
      kind: "renamed",
    })
    expect(await readFile(at("aside/b"), "utf8")).toBe("a")
  })

  test("[BASE-7] a rename replaces only a regular file and reports a missing directory", async () => {
    await using directory = await tempDirectory()
    const at = (name: string) => join(directory.path, name)
    await writeFile(at("a"), "a")
    await symlink(at("nowhere"), at("link"))
    await expect(renameFile(at("a"), at("link"), { existing: "replace" })).rejects.toSatisfy(
      FileNotRegular.is,
    )
    await expect(renameFile(at("a"), at("link"))).rejects.toSatisfy(FileExists.is)
    await expect(renameFile(at("a"), at("no/a"))).rejects.toMatchObject({
      code: "FILE_DIRECTORY_MISSING",
    })
  })
})

test("[BASE-6] a hard link has the same bytes and replaces nothing", async () => {
  await using directory = await tempDirectory()
  const at = (name: string) => join(directory.path, name)
  await writeFile(at("a"), "a")
  expect(await linkFile(at("a"), at("b"))).toEqual({ kind: "linked" })
  expect((await stat(at("a"))).ino).toBe((await stat(at("b"))).ino)
  expect(await linkFile(at("no"), at("c"))).toEqual({ kind: "missing" })
  await expect(linkFile(at("a"), at("b"))).rejects.toSatisfy(FileExists.is)
  await expect(linkFile(at("a"), at("no/b"))).rejects.toMatchObject({
    code: "FILE_DIRECTORY_MISSING",
  })
})

test("[S9] a file that is created empty has exactly the mode; a second creation fails", async () => {
  await using directory = await tempDirectory()
  const path = join(directory.path, "mark")
  process.umask(0o077)
  expect(await createFile(path, { mode: 0o644 })).toEqual({ kind: "created" })
  expect((await stat(path)).mode & 0o7777).toBe(0o644)
  expect(await createFile(path)).toEqual({ kind: "exists" })
  process.umask(0)
  await createFile(`${path}-2`)
  expect((await stat(`${path}-2`)).mode & 0o7777).toBe(0o600)
  await expect(createFile(join(directory.path, "no", "mark"))).rejects.toMatchObject({
    code: "FILE_DIRECTORY_MISSING",
  })
})

test("[S9] a mode is changed on the file itself, never through a link", async () => {
  await using directory = await tempDirectory()
  const at = (name: string) => join(directory.path, name)
  await writeFile(at("file"), "", { mode: 0o644 })
  await symlink(at("file"), at("link"))
  await expect(setFileMode(at("link"), 0o600)).rejects.toSatisfy(FileNotRegular.is)
  expect(await setFileMode(at("no"), 0o600)).toEqual({ kind: "missing" })
  expect((await stat(at("file"))).mode & 0o7777).toBe(0o644)
  expect(await setFileMode(at("file"), 0o600)).toEqual({ kind: "set" })
  expect((await stat(at("file"))).mode & 0o7777).toBe(0o600)
  await setModifiedTime(at("file"), 1_700_000_000_000)
  expect((await stat(at("file"))).mtimeMs).toBe(1_700_000_000_000)
  await expect(setModifiedTime(at("link"), 0)).rejects.toSatisfy(FileNotRegular.is)
})

test("[BASE-8] a real path has no links; free space is a number or undefined", async () => {
  await using directory = await tempDirectory()
  const link = join(directory.path, "link")
  await symlink(directory.path, link)
  expect(await realPath(link)).toBe(directory.path)
  await expect(realPath(join(directory.path, "no"))).rejects.toSatisfy(FileNotReadable.is)
  expect(await freeBytes(directory.path)).toBeGreaterThan(0)
  expect(await freeBytes(join(directory.path, "no"))).toBeUndefined()
})

test("the folder that refuses a write is found, also for a path that does not exist yet", async () => {
  await using directory = await tempDirectory()
  expect(await findWriteBarrier(join(directory.path, "a/b"))).toBeUndefined()
  const file = join(directory.path, "file")
  await writeFile(file, "")
  const inside = join(file, "no")
  expect(await findWriteBarrier(inside)).toEqual({ path: inside, reason: "ENOTDIR" })
})

test("[BASE-17] the target of a path is resolved through links, including missing files", async () => {
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
