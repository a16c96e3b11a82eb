import { chmod, mkdir, open, readFile, rm, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, describe, expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { FileNotDirectory } from "../errors.ts"
import {
  ensureDirectory,
  listDirectory,
  makeTemporaryDirectory,
  removeEmptyDirectory,
  syncDirectory,
} from "./directories.ts"

const umaskBefore = process.umask()
afterEach(() => void process.umask(umaskBefore))

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o7777
}

describe("ensureDirectory", () => {
  test("[S9] the directory and its new parents have exactly the mode under any umask", async () => {
    await using directory = await tempDirectory()
    for (const umask of [0o000, 0o022, 0o077]) {
      process.umask(umask)
      for (const mode of [0o700, 0o755]) {
        const top = join(directory.path, `${umask}-${mode}`)
        await ensureDirectory(join(top, "a", "b"), { mode })
        const modes = await Promise.all(["", "a", "a/b"].map((it) => modeOf(join(top, it))))
        expect(modes).toEqual([mode, mode, mode])
      }
    }
    await ensureDirectory(join(directory.path, "private"))
    expect(await modeOf(join(directory.path, "private"))).toBe(0o700)
  })

  test("[S9] an existing directory loses group and other permissions and never gains any", async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "there")
    await mkdir(path)
    await chmod(path, 0o775)
    await ensureDirectory(path, { mode: 0o755 })
    expect(await modeOf(path)).toBe(0o775)
    await ensureDirectory(path, { mode: 0o700 })
    expect(await modeOf(path)).toBe(0o700)
    await ensureDirectory(path, { mode: 0o755 })
    expect(await modeOf(path)).toBe(0o700)
  })

  test("[S9] existing parent directories keep their mode", async () => {
    await using directory = await tempDirectory()
    const above = join(directory.path, "above")
    await mkdir(above)
    await chmod(above, 0o755)
    await ensureDirectory(join(above, "made", "below"))
    const modes = [above, join(above, "made"), join(above, "made", "below")].map(modeOf)
    expect(await Promise.all(modes)).toEqual([0o755, 0o700, 0o700])
  })

  test.runIf(process.platform === "linux")(
    "[BASE-7] a folder that rejects entries and reports itself missing is an error and is not changed",
    async () => {
      const before = await modeOf("/proc")
      await expect(ensureDirectory("/proc/qm-none/below")).rejects.toMatchObject({
        code: "FILE_DIRECTORY_MISSING",
      })
      expect(await modeOf("/proc")).toBe(before)
    },
  )

  test("[BASE-7] a file or a link in place of the directory is refused; a link in its parents is not", async () => {
    await using directory = await tempDirectory()
    const at = (name: string) => join(directory.path, name)
    await writeFile(at("file"), "theirs")
    await mkdir(at("real"))
    await symlink(at("real"), at("link"))
    await symlink(at("nowhere"), at("dangling"))
    for (const name of ["file", "link", "dangling"]) {
      await expect(ensureDirectory(at(name))).rejects.toSatisfy(FileNotDirectory.is)
    }
    await expect(ensureDirectory(at("dangling/below"))).rejects.toSatisfy(FileNotDirectory.is)
    await expect(ensureDirectory(at("file/below"))).rejects.toMatchObject({
      code: "FILE_DIRECTORY_MISSING",
    })
    expect(await readFile(at("file"), "utf8")).toBe("theirs")
    await ensureDirectory(at("link/below"))
    expect(await modeOf(at("real/below"))).toBe(0o700)
  })

  test("[BASE-6] concurrent calls can create the same directory", async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "a", "b", "c")
    await Promise.all(Array.from({ length: 50 }, () => ensureDirectory(path)))
    expect(await modeOf(path)).toBe(0o700)
  })
})

describe("listDirectory", () => {
  test("[BASE-8] entries have a fixed order and their types", async () => {
    await using directory = await tempDirectory()
    const at = (name: string) => join(directory.path, name)
    for (const name of ["b", "ä", "B", "new\nline"]) await writeFile(at(name), "")
    await mkdir(at("a"))
    await symlink("b", at("link"))
    expect(await listDirectory(directory.path)).toEqual({
      kind: "listed",
      entries: [
        { name: "B", what: "regular file" },
        { name: "a", what: "directory" },
        { name: "b", what: "regular file" },
        { name: "link", what: "symbolic link" },
        { name: "new\nline", what: "regular file" },
        { name: "ä", what: "regular file" },
      ],
      unnameable: 0,
    })
  })

  test.skipIf(process.platform !== "linux")(
    "[BASE-8] a name that is not UTF-8 is counted and left out",
    async () => {
      await using directory = await tempDirectory()
      const name = Buffer.concat([Buffer.from(`${directory.path}/`), Buffer.from([0x61, 0xff])])
      await writeFile(name, "")
      await writeFile(join(directory.path, "b"), "")
      expect(await listDirectory(directory.path)).toEqual({
        kind: "listed",
        entries: [{ name: "b", what: "regular file" }],
        unnameable: 1,
      })
    },
  )

  test("[BASE-8] more entries than the limit are an outcome; exactly the limit is not", async () => {
    await using directory = await tempDirectory()
    for (const name of ["a", "b", "c"]) await writeFile(join(directory.path, name), "")
    expect((await listDirectory(directory.path, { maxEntries: 3 })).kind).toBe("listed")
    expect(await listDirectory(directory.path, { maxEntries: 2 })).toEqual({
      kind: "too-many",
      maxEntries: 2,
    })
  })

  test("[BASE-8] a missing directory, a file, a link and an impossible path are outcomes", async () => {
    await using directory = await tempDirectory()
    const at = (name: string) => join(directory.path, name)
    await writeFile(at("file"), "")
    await symlink(directory.path, at("link"))
    expect(await listDirectory(at("no"))).toEqual({ kind: "missing" })
    expect(await listDirectory(at("file"))).toEqual({ kind: "not-directory", what: "regular file" })
    expect(await listDirectory(at("link"))).toEqual({
      kind: "not-directory",
      what: "symbolic link",
    })
    expect(await listDirectory("/a\0b")).toMatchObject({ kind: "unreadable" })
  })
})

test("[BASE-5] a failed directory sync is accepted only where the system does not support it", async () => {
  await using directory = await tempDirectory()
  await expect(syncDirectory(directory.path)).resolves.toBeUndefined()
  await expect(syncDirectory(undefined)).resolves.toBeUndefined()
  // Character devices and /proc return EINVAL for fsync, as some network file systems do.
  await using device = await open("/dev/null")
  await expect(syncDirectory(device)).resolves.toBeUndefined()
  const closed = await open(directory.path)
  await closed.close()
  await expect(syncDirectory(closed)).rejects.toThrow("closed")
})

test("[BASE-18] a temporary folder is private, new, and removed with its content", async () => {
  const made = await makeTemporaryDirectory()
  const other = await makeTemporaryDirectory()
  expect(other.path).not.toBe(made.path)
  expect((await stat(made.path)).mode & 0o777).toBe(0o700)
  await writeFile(join(made.path, "left"), "x")
  await made[Symbol.asyncDispose]()
  await other[Symbol.asyncDispose]()
  await expect(stat(made.path)).rejects.toMatchObject({ code: "ENOENT" })
})

test("[BASE-18] only an empty folder is removed", async () => {
  await using made = await makeTemporaryDirectory()
  await writeFile(join(made.path, "left"), "x")
  await removeEmptyDirectory(made.path)
  expect((await stat(made.path)).isDirectory()).toBe(true)
  await rm(join(made.path, "left"))
  await removeEmptyDirectory(made.path)
  await removeEmptyDirectory(made.path)
  await expect(stat(made.path)).rejects.toMatchObject({ code: "ENOENT" })
})
