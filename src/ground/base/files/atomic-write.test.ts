import { execFileSync } from "node:child_process"
import {
  chmod,
  link,
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import { afterEach, describe, expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import {
  FileDirectoryMissing,
  FileNotRegular,
  FileNotWritable,
  FileSystemFailed,
} from "../errors.ts"
import { processIdentity } from "../process/process.ts"
import { sweepLeftovers, temporaryName, writeFileAtomic } from "./atomic-write.ts"
import { listDirectory } from "./directories.ts"

const umaskBefore = process.umask()
afterEach(() => void process.umask(umaskBefore))

describe("writeFileAtomic", () => {
  test("[BASE-5] writeFileAtomic creates, replaces and empties a file and leaves no temporary file", async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "board.json")
    const large = Buffer.alloc(3_000_000, "x")
    for (const content of ["old", "new Grüße", "", large, new Uint8Array([0, 255])]) {
      await writeFileAtomic(path, content)
      expect((await readFile(path)).equals(Buffer.from(content))).toBe(true)
    }
    expect(await readdir(directory.path)).toEqual(["board.json"])
  })

  test("[BASE-5] a target may have the longest name that the file system allows", async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "n".repeat(255))
    await writeFileAtomic(path, "new")
    expect(await readFile(path, "utf8")).toBe("new")
  })

  test("[S9] a new or replaced file has exactly the requested mode under any umask", async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "secret")
    for (const umask of [0o000, 0o022, 0o077]) {
      process.umask(umask)
      for (const mode of [0o600, 0o644, 0o755]) {
        await writeFileAtomic(path, "x", { mode })
        expect((await stat(path)).mode & 0o7777).toBe(mode)
      }
      await writeFileAtomic(path, "x")
      expect((await stat(path)).mode & 0o7777).toBe(0o600)
    }
  })

  test("[BASE-5] replacing a hard-linked file leaves the old content under the other name", async () => {
    await using directory = await tempDirectory()
    const [path, other] = [join(directory.path, "a"), join(directory.path, "b")]
    await writeFile(other, "old")
    await link(other, path)
    await writeFileAtomic(path, "new")
    expect([await readFile(path, "utf8"), await readFile(other, "utf8")]).toEqual(["new", "old"])
  })
})

describe("writeFileAtomic on a target that is not a regular file", () => {
  test("[BASE-7] a symbolic link is refused and unchanged, dangling or not", async () => {
    await using directory = await tempDirectory()
    const [real, path] = [join(directory.path, "real"), join(directory.path, "link")]
    await writeFile(real, "theirs")
    for (const aim of [real, join(directory.path, "nowhere")]) {
      await symlink(aim, path)
      await expect(writeFileAtomic(path, "ours")).rejects.toSatisfy(FileNotRegular.is)
      expect(await readlink(path)).toBe(aim)
      expect(await readFile(real, "utf8")).toBe("theirs")
      execFileSync("rm", [path])
    }
  })

  test("[BASE-7] a directory, a FIFO, a socket and a device are refused, and the error names the type", async () => {
    await using directory = await tempDirectory()
    const at = (name: string) => join(directory.path, name)
    await mkdir(at("directory"))
    execFileSync("mkfifo", [at("FIFO")])
    const server = createServer().listen(at("socket"))
    for (const what of ["directory", "FIFO", "socket"]) {
      await expect(writeFileAtomic(at(what), "x")).rejects.toMatchObject({
        code: "FILE_NOT_REGULAR",
        data: { path: at(what), what },
      })
    }
    await expect(writeFileAtomic("/dev/null", "x")).rejects.toMatchObject({
      data: { what: "character device" },
    })
    expect(await readdir(directory.path)).toEqual(["FIFO", "directory", "socket"])
    server.close()
  })
})

describe("writeFileAtomic when the write fails", () => {
  test("[BASE-5] the error distinguishes a missing directory from a file in its place", async () => {
    await using directory = await tempDirectory()
    const file = join(directory.path, "file")
    await writeFile(file, "")
    for (const path of [join(directory.path, "no", "file"), join(file, "below")]) {
      await expect(writeFileAtomic(path, "x")).rejects.toSatisfy(FileDirectoryMissing.is)
    }
  })

  test("[BASE-5] in a read-only directory the old bytes stay and the error gives the reason", async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "kept")
    await writeFile(path, "old")
    await chmod(directory.path, 0o555)
    const isRoot = process.geteuid?.() === 0
    // Root may write anywhere, so this runs as another user.
    if (isRoot) process.seteuid?.(65_534)
    const refusal = writeFileAtomic(path, "new").finally(() => isRoot && process.seteuid?.(0))
    await expect(refusal).rejects.toSatisfy(FileNotWritable.is)
    expect(await readFile(path, "utf8")).toBe("old")
    expect(await readdir(directory.path)).toEqual(["kept"])
  })

  test("[BASE-5] an unexpected system error becomes an AppError with the system's message", async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "n".repeat(256))
    await expect(writeFileAtomic(path, "x")).rejects.toMatchObject({
      code: FileSystemFailed.code,
      data: { reason: "ENAMETOOLONG" },
    })
    expect(await readdir(directory.path)).toEqual([])
  })
})

async function namesIn(directory: string): Promise<readonly string[]> {
  const listed = await listDirectory(directory)
  return listed.kind === "listed" ? listed.entries.map((it) => it.name) : []
}

describe("sweeping temporary files", () => {
  test("the sweep removes temporary files of dead processes only", async () => {
    await using directory = await tempDirectory()
    const { pid, startedAt } = processIdentity()
    const chance = "0123456789abcdef"
    const dead = [
      `.atomic-${pid}-1.before-${chance}.tmp`,
      `.atomic-999999999-5.gone-${chance}.tmp`,
      `.atomic-999999999-unknown-${chance}.tmp`,
    ]
    const kept = [
      temporaryName(),
      `.atomic-${pid}-unknown-${chance}.tmp`,
      `.atomic-${pid}-1.before-${chance}.tmp.bak`,
      `.atomic-1-x-${chance.slice(1)}.tmp`,
      `my.atomic-999999999-x-${chance}.tmp`,
      "notes.tmp",
    ]
    for (const name of [...dead, ...kept]) await writeFile(join(directory.path, name), "x")
    const link = `.atomic-999999999-5.link-${chance}.tmp`
    await symlink(join(directory.path, "notes.tmp"), join(directory.path, link))

    expect(temporaryName()).toContain(`-${startedAt}-`)
    expect(await sweepLeftovers(directory.path)).toBe(3)
    expect(await namesIn(directory.path)).toEqual([...kept, link].toSorted())
    expect(await sweepLeftovers(directory.path)).toBe(0)
  })

  test("sweeping a missing directory finds nothing; sweeping a file is an error", async () => {
    await using directory = await tempDirectory()
    expect(await sweepLeftovers(join(directory.path, "no"))).toBe(0)
    const file = join(directory.path, "file")
    await writeFile(file, "")
    await expect(sweepLeftovers(file)).rejects.toMatchObject({ code: "FILE_DIRECTORY_MISSING" })
  })
})
