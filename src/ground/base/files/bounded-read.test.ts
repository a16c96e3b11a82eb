import { execFileSync, spawn } from "node:child_process"
import { appendFileSync } from "node:fs"
import { mkdir, open, readFile, rename, stat, symlink, truncate, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { needs } from "#test/needs"
import { tempDirectory } from "#test/temp"
import { isInside } from "../path.ts"
import {
  checkOpenedInside,
  openAndLook,
  openRegular,
  readBounded,
  readTextBounded,
  realPathByInode,
} from "./bounded-read.ts"

describe("readBounded", () => {
  test("[BASE-8] bytes, size and time come from one read", async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "file")
    for (const size of [0, 1, 99, 100]) {
      await writeFile(path, "x".repeat(size), { mode: 0o640 })
      const outcome = await readBounded(path, { maxBytes: 100 })
      const { ino, dev, mtimeMs, ctimeMs } = await stat(path)
      expect(outcome).toEqual({
        kind: "read",
        bytes: Buffer.from("x".repeat(size)),
        stat: {
          sizeBytes: size,
          modifiedAtMs: Math.floor(mtimeMs),
          changedAtMs: ctimeMs,
          mode: 0o640,
          inode: ino,
          isOwn: true,
          device: dev,
        },
      })
    }
  })

  test("[BASE-8] a file one byte over the limit and a sparse terabyte are too large", async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "file")
    await writeFile(path, "x".repeat(101))
    expect(await readBounded(path, { maxBytes: 100 })).toEqual({
      kind: "too-large",
      sizeBytes: 101,
    })
    await truncate(path, 1e12)
    expect(await readBounded(path, { maxBytes: 2_000_000 })).toEqual({
      kind: "too-large",
      sizeBytes: 1e12,
    })
    expect(await readBounded(path, { maxBytes: 0 })).toMatchObject({ kind: "too-large" })
    await expect(readBounded(path, { maxBytes: 2 ** 40 })).rejects.toThrow("invariant broken")
  })

  test("[BASE-8] reading a growing file stops at the limit or at its end", async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "growing")
    await writeFile(path, "")
    let isGrowing = true
    const piece = Buffer.alloc(100_000, "x")
    const grow = (): void => {
      appendFileSync(path, piece)
      if (isGrowing) setImmediate(grow)
    }
    grow()
    const outcomes = []
    for (let i = 0; i < 50; i++) outcomes.push(await readBounded(path, { maxBytes: 1_000_000 }))
    isGrowing = false
    for (const outcome of outcomes) {
      const isWhole = outcome.kind === "read" && outcome.bytes.length === outcome.stat.sizeBytes
      expect(isWhole || outcome.kind === "too-large").toBe(true)
    }
    expect(outcomes.at(-1)?.kind).toBe("too-large")
  })

  test.runIf(needs("BASE-8", "proc"))(
    "[BASE-8] files in /proc report size 0 and are read anyway",
    async () => {
      const outcome = await readBounded("/proc/self/status", { maxBytes: 100_000 })
      expect(outcome.kind === "read" && outcome.stat.sizeBytes > 100).toBe(true)
      expect(outcome.kind === "read" && outcome.bytes.length === outcome.stat.sizeBytes).toBe(true)
      expect(await readBounded("/proc/kallsyms", { maxBytes: 100_000 })).toEqual({
        kind: "too-large",
        sizeBytes: 100_001,
      })
      expect(await readBounded("/proc/self/mem", { maxBytes: 10 })).toEqual({
        kind: "unreadable",
        reason: "EIO",
      })
    },
  )
})

describe("reading a path that is not a regular file", () => {
  test("[BASE-8] eight FIFOs, sockets, devices, directories and links return their type without blocking", async () => {
    await using directory = await tempDirectory()
    const at = (name: string) => join(directory.path, name)
    const fifos = Array.from({ length: 8 }, (_, i) => at(`fifo-${i}`))
    execFileSync("mkfifo", fifos)
    const server = createServer().listen(at("socket"))
    await mkdir(at("directory"))
    await symlink("/etc/hostname", at("link"))
    await symlink(at("loop"), at("loop"))

    const paths = [...fifos, at("socket"), "/dev/zero", at("directory"), at("link"), at("loop")]
    const outcomes = await Promise.all(paths.map((it) => readBounded(it, { maxBytes: 10 })))
    const expected = [
      ...fifos.map(() => "FIFO"),
      "socket",
      "character device",
      "directory",
      "symbolic link",
      "symbolic link",
    ]
    expect(outcomes).toEqual(expected.map((what) => ({ kind: "not-regular", what })))
    expect((await readBounded("/etc/passwd", { maxBytes: 1_000_000 })).kind).toBe("read")
    server.close()
  })

  test("[BASE-8] a file swapped for a FIFO or a link at any moment neither blocks nor is followed", async () => {
    await using directory = await tempDirectory()
    const at = (name: string) => join(directory.path, name)
    await writeFile(at("outside"), "outside")
    const script = `cd "$1" && while :; do
      printf inside > f; rm f; mkfifo f; rm f; ln -s outside f; rm f; done`
    const swapper = spawn("sh", ["-c", script, "sh", directory.path], { stdio: "ignore" })
    const seen = new Set<string>()
    for (let i = 0; i < 3_000; i++) {
      const outcome = await readTextBounded(at("f"), { maxBytes: 100 })
      seen.add(outcome.kind === "read" ? `read ${outcome.text}` : outcome.kind)
    }
    swapper.kill("SIGKILL")
    expect(seen).not.toContain("read outside")
    expect(seen).toContain("missing")
  })

  test("[BASE-8] missing, unreachable and impossible paths are outcomes, not errors", async () => {
    await using directory = await tempDirectory()
    const file = join(directory.path, "file")
    await writeFile(file, "")
    expect(await readBounded(join(directory.path, "no"), { maxBytes: 1 })).toEqual({
      kind: "missing",
    })
    expect(await readBounded(join(file, "below"), { maxBytes: 1 })).toEqual({ kind: "missing" })
    expect(await readBounded("/a\0b", { maxBytes: 1 })).toEqual({
      kind: "unreadable",
      reason: "ERR_INVALID_ARG_VALUE",
    })
    expect(await readBounded(`/${"n".repeat(300)}`, { maxBytes: 1 })).toEqual({
      kind: "unreadable",
      reason: "ENAMETOOLONG",
    })
  })
})

describe("reading within a root", () => {
  test("[BASE-9] [F4] a link in the path may stay inside the root but not lead out of it", async () => {
    await using directory = await tempDirectory()
    const at = (...names: string[]) => join(directory.path, ...names)
    await mkdir(at("root", "real"), { recursive: true })
    await mkdir(at("root-twin"))
    for (const name of ["root/real/f", "root-twin/f", "root/..f"]) await writeFile(at(name), name)
    await symlink(at("root", "real"), at("root", "within"))
    await symlink(at("root-twin"), at("root", "away"))
    await symlink(at("root"), at("alias"))
    const limits = { maxBytes: 100, root: at("alias") }

    const read = async (path: string) => (await readBounded(at(path), limits)).kind
    expect(await read("root/real/f")).toBe("read")
    expect(await read("root/within/f")).toBe("read")
    expect(await read("alias/real/f")).toBe("read")
    expect(await read("root/..f")).toBe("read")
    expect(await read("root/away/f")).toBe("outside-root")
    expect(await read("root/../root-twin/f")).toBe("outside-root")
    expect(await readBounded(at("root/real/f"), { maxBytes: 1, root: at("none") })).toEqual({
      kind: "unreadable",
      reason: "ENOENT",
    })
  })
})

describe("reading text", () => {
  test("[BASE-8] a byte-order mark is dropped from the text and reported; the bytes include it", async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "file")
    await writeFile(path, "\ufeff{} Grüße\r\n")
    expect(await readTextBounded(path, { maxBytes: 100 })).toMatchObject({
      kind: "read",
      text: "{} Grüße\r\n",
      hasByteOrderMark: true,
      bytes: await readFile(path),
      stat: { sizeBytes: 15 },
    })
    await writeFile(path, "a\ufeffb")
    expect(await readTextBounded(path, { maxBytes: 100 })).toMatchObject({
      text: "a\ufeffb",
      hasByteOrderMark: false,
    })
  })

  test("[BASE-8] bytes that are not UTF-8 are reported as not text and are not repaired", async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "file")
    const wrong = [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xfe, 0xff, 0x00, 0x41]]
    for (const bytes of wrong) {
      await writeFile(path, Buffer.from([0x61, ...bytes]))
      expect(await readTextBounded(path, { maxBytes: 100 })).toEqual({ kind: "not-text" })
    }
    const missing = await readTextBounded(join(directory.path, "no"), { maxBytes: 1 })
    expect(missing).toEqual({ kind: "missing" })
  })
})

describe("a path that is swapped after the first lstat", () => {
  test("[BASE-8] a FIFO does not block the read; a device and a directory are recognized", async () => {
    await using directory = await tempDirectory()
    const fifo = join(directory.path, "fifo")
    execFileSync("mkfifo", [fifo])
    const outcomes = await Promise.all([fifo, "/dev/null", directory.path].map(openAndLook))
    expect(outcomes).toEqual([
      { kind: "not-regular", what: "FIFO" },
      { kind: "not-regular", what: "character device" },
      { kind: "not-regular", what: "directory" },
    ])
  })

  test("[BASE-7] a link is not followed", async () => {
    await using directory = await tempDirectory()
    const [file, link] = [join(directory.path, "file"), join(directory.path, "link")]
    await writeFile(file, "theirs")
    await symlink(file, link)
    await expect(openAndLook(link)).rejects.toMatchObject({ code: "ELOOP" })
    const opened = await openRegular(file)
    expect(opened.kind).toBe("open")
    if (opened.kind === "open") await opened.handle.close()
  })
})

test("[F4] isInside compares whole path components", () => {
  expect(isInside("/a/b", "/a/b/c")).toBe(true)
  expect(isInside("/a/b", "/a/b/..c/d")).toBe(true)
  expect(isInside("/", "/a")).toBe(true)
  expect(isInside("/a/b", "/a/bc")).toBe(false)
  expect(isInside("/a/b", "/a")).toBe(false)
  expect(isInside("/a/b", "/c")).toBe(false)
  expect(isInside("/a/b", "(unreachable)/a/b/c")).toBe(false)
})

describe("the root check of an opened file", () => {
  test("[F4] the check uses the location of the open file, not the current target of the path", async () => {
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
