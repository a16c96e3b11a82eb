import { execFileSync } from "node:child_process"
import {
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { type OpenFolder, openFolder } from "./open-folder.ts"

const WAYS = ["handle", "path"] as const

function opened(path: string, way: "handle" | "path" = "handle"): OpenFolder {
  const outcome = openFolder(path, { way })
  if (outcome.kind !== "open") throw new Error(`not opened: ${outcome.kind}`)
  return outcome.folder
}

describe.each(WAYS)("a folder opened by its %s", (way) => {
  test("[BASE-21] opening a child follows no link and refuses a name that contains a path", async () => {
    await using temp = await tempDirectory()
    const at = (...names: string[]) => join(temp.path, ...names)
    mkdirSync(at("root", "inner"), { recursive: true })
    writeFileSync(at("secret"), "secret")
    writeFileSync(at("root", "inner", "file"), "inside")
    symlinkSync(at("secret"), at("root", "link"))
    symlinkSync(temp.path, at("root", "away"))
    using folder = opened(at("root"), way)
    expect(folder.read("link", { maxBytes: 100 })).toEqual({
      kind: "not-regular",
      what: "symbolic link",
    })
    expect(folder.open("away")).toEqual({ kind: "not-directory", what: "symbolic link" })
    expect(folder.stat("away")).toMatchObject({ kind: "found", what: "symbolic link" })
    for (const name of ["", ".", "..", "../secret", "inner/file", "/etc/passwd", "a\0b"]) {
      const refused = { kind: "unreadable", reason: "EINVAL" }
      expect(folder.read(name, { maxBytes: 100 })).toEqual(refused)
      expect(folder.open(name)).toEqual(refused)
      expect(folder.stat(name)).toEqual(refused)
    }
    const inner = folder.open("inner")
    if (inner.kind !== "open") throw new Error(inner.kind)
    using inside = inner.folder
    expect(inside.read("file", { maxBytes: 6 })).toMatchObject({ bytes: Buffer.from("inside") })
    expect(openFolder(at("root", "away"), { way })).toMatchObject({ kind: "not-directory" })
    expect(openFolder(at("none"), { way })).toEqual({ kind: "missing" })
  })

  test("[BASE-21] a folder swapped for a link never shows the link's target", async () => {
    await using temp = await tempDirectory()
    const at = (...names: string[]) => join(temp.path, ...names)
    for (const name of ["ours", "theirs"]) {
      mkdirSync(at(name, "sub"), { recursive: true })
      writeFileSync(at(name, "file"), name)
    }
    using folder = opened(at("ours"), way)
    renameSync(at("ours"), at("moved"))
    symlinkSync(at("theirs"), at("ours"))
    const outcome = folder.read("file", { maxBytes: 100 })
    if (way === "handle") expect(outcome).toMatchObject({ bytes: Buffer.from("ours") })
    else expect(outcome).toEqual({ kind: "unreadable", reason: "ESTALE" })
    const below = folder.open("sub")
    expect(below.kind).toBe(way === "handle" ? "open" : "unreadable")
    if (below.kind === "open") below.folder[Symbol.dispose]()
    expect(folder.list({ maxEntries: 10 }).kind).toBe(way === "handle" ? "listed" : "unreadable")
  })
})

test("[BASE-22] a listing has names in order with types, and the bytes of names that are not UTF-8", async () => {
  await using temp = await tempDirectory()
  const at = (name: string) => join(temp.path, name)
  for (const name of ["b", "a\n", "é", "Z"]) writeFileSync(at(name), "")
  writeFileSync(Buffer.concat([Buffer.from(`${temp.path}/x`), Buffer.from([0xff, 0xfe])]), "")
  mkdirSync(at("folder"))
  symlinkSync("b", at("link"))
  execFileSync("mkfifo", [at("pipe")])
  const server = createServer().listen(at("socket"))
  using folder = opened(temp.path)
  expect(folder.list({ maxEntries: 100 })).toEqual({
    kind: "listed",
    entries: [
      { name: "Z", what: "regular file" },
      { name: "a\n", what: "regular file" },
      { name: "b", what: "regular file" },
      { name: "folder", what: "directory" },
      { name: "link", what: "symbolic link" },
      { name: "pipe", what: "FIFO" },
      { name: "socket", what: "socket" },
      { name: "é", what: "regular file" },
    ],
    unnameable: ["x\\xff\\xfe"],
  })
  expect(folder.list({ maxEntries: 8 })).toEqual({ kind: "too-many", maxEntries: 8 })
  expect(folder.list({ maxEntries: 9 }).kind).toBe("listed")
  expect(folder.read("pipe", { maxBytes: 1 })).toEqual({ kind: "not-regular", what: "FIFO" })
  expect(folder.read("socket", { maxBytes: 1 })).toEqual({ kind: "not-regular", what: "socket" })
  expect(folder.read("folder", { maxBytes: 1 })).toMatchObject({ what: "directory" })
  server.close()
})

test("[BASE-22] a large directory is listed up to the limit", async () => {
  await using temp = await tempDirectory()
  const names = Array.from({ length: 1_000 }, (_, at) => `${"n".repeat(240)}${1_000 + at}`)
  for (const name of names) writeFileSync(join(temp.path, name), "")
  using folder = opened(temp.path)
  const entries = names.map((name) => ({ name, what: "regular file" }))
  const listed = { kind: "listed", entries, unnameable: [] }
  expect(folder.list({ maxEntries: 1_000 })).toEqual(listed)
  expect(folder.list({ maxEntries: 999 })).toEqual({ kind: "too-many", maxEntries: 999 })
})

test("[BASE-22] a file one byte over the limit or a sparse terabyte is too large", async () => {
  await using temp = await tempDirectory()
  writeFileSync(join(temp.path, "file"), "12345")
  using folder = opened(temp.path)
  expect(folder.read("file", { maxBytes: 5 })).toMatchObject({
    kind: "read",
    stat: { sizeBytes: 5 },
  })
  expect(folder.read("file", { maxBytes: 4 })).toEqual({ kind: "too-large", sizeBytes: 5 })
  truncateSync(join(temp.path, "file"), 1e12)
  expect(folder.read("file", { maxBytes: 2e6 })).toEqual({ kind: "too-large", sizeBytes: 1e12 })
  rmSync(join(temp.path, "file"))
  expect(folder.read("file", { maxBytes: 4 })).toEqual({ kind: "missing" })
  expect(folder.stat("file")).toEqual({ kind: "missing" })
})

test.runIf(process.getuid?.() !== 0)(
  "[BASE-22] the outcome names a folder that cannot be read",
  async () => {
    await using temp = await tempDirectory()
    chmodSync(temp.path, 0)
    expect(openFolder(temp.path)).toEqual({ kind: "unreadable", reason: "EACCES" })
  },
)
