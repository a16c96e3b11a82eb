import { spawn } from "node:child_process"
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import path from "node:path"
import { afterAll, expect, test } from "vitest"
import { isNight } from "#test/seed"
import { tempDirectory } from "#test/temp"
import {
  closeHostileSockets,
  HOSTILE_CASE_COUNT,
  makeHostileTree,
  OUTSIDE_TEXT,
} from "../../../test/corpus/hostile.ts"
import { LARGEST_TEXT_BYTES } from "./limits.ts"
import { readTreeFile } from "./tree-file.ts"
import { walkTree } from "./walk.ts"

const { signal } = new AbortController()
afterAll(closeHostileSockets)

test("[F3] each file of the hostile corpus is read, or left out with the expected reason", async () => {
  await using temp = await tempDirectory()
  const place = { root: path.join(temp.path, "root"), outside: path.join(temp.path, "outside") }
  const expected = makeHostileTree(place)
  expect(HOSTILE_CASE_COUNT).toBeGreaterThanOrEqual(60)
  const repository = { root: place.root, gitCommonDirectory: undefined }
  const walk = await walkTree(repository, { signal })

  const seen = new Map<string, string>()
  for (const file of walk.files) {
    const outcome = readTreeFile(place.root, file.path)
    if (outcome.kind === "read") expect(outcome.bytes.includes(OUTSIDE_TEXT)).toBe(false)
    seen.set(file.path, outcome.kind === "skipped" ? outcome.reason : outcome.kind)
  }
  // An ignore file that is too large is reported and still listed as a file.
  for (const { path: skipped, reason } of walk.skipped) seen.set(skipped, reason)
  const found = new Map([...expected.keys()].map((it) => [it, seen.get(it) ?? "not seen"]))
  expect(found).toEqual(expected)
  // Any other path is an ignore file, or a folder that ended a walk.
  const beside = [...seen.keys()].filter((it) => !expected.has(it))
  expect(beside.every((it) => it.endsWith("/.gitignore") || it.endsWith("/.qmignore"))).toBe(true)
  expect(await walkTree(repository, { signal })).toEqual(walk)
  expect(readdirSync(temp.path).toSorted()).toEqual(["outside", "root"])
  expect(existsSync("pwned")).toBe(false)
})

test("[F3] deleting a tree during a walk ends the walk without an error", async () => {
  await using temp = await tempDirectory()
  const place = { root: path.join(temp.path, "root"), outside: path.join(temp.path, "outside") }
  makeHostileTree(place)
  const walking = walkTree({ root: place.root, gitCommonDirectory: undefined }, { signal })
  rmSync(place.root, { recursive: true })
  const walk = await walking
  for (const file of walk.files) {
    expect(readTreeFile(place.root, file.path).kind).toBe("missing")
  }
  const again = await walkTree({ root: place.root, gitCommonDirectory: undefined }, { signal })
  expect(again).toMatchObject({ files: [], isWhole: false, skippedInAll: 1 })
})

const UNRULY = {
  // Grows by a kilobyte at a time and restarts when it exceeds the read limit.
  grows: `for (;;) { fs.writeFileSync(file, ""); for (let i = 0; i < 4000; i++) fs.appendFileSync(file, text) }`,
  "turns into a folder and back": `for (;;) { fs.rmSync(file, { recursive: true, force: true }); fs.mkdirSync(file); fs.rmdirSync(file); fs.writeFileSync(file, text) }`,
  "is replaced and cut": `for (;;) { fs.writeFileSync(file + "~", text); fs.renameSync(file + "~", file); fs.truncateSync(file, 7) }`,
} as const

test.each(Object.entries(UNRULY))(
  "[F3] [REPO-16] a file that %s is read whole or left out with a reason",
  async (_, work) => {
    await using temp = await tempDirectory()
    const file = path.join(temp.path, "unruly")
    writeFileSync(file, "")
    const script = `const fs = require("node:fs"); const file = process.argv[1]; const text = "x".repeat(1024); ${work}`
    const child = spawn(process.execPath, ["-e", script, file], { stdio: "ignore" })
    const kinds = new Set<string>()
    try {
      const count = isNight() ? 50_000 : 2_000
      for (let i = 0; i < count || kinds.size < 2; i++) {
        const outcome = readTreeFile(temp.path, "unruly")
        const { files } = await walkTree(
          { root: temp.path, gitCommonDirectory: undefined },
          { signal },
        )
        expect(files.length).toBeLessThan(3)
        kinds.add(outcome.kind === "skipped" ? outcome.reason : outcome.kind)
        if (outcome.kind !== "read") continue
        expect(outcome.bytes.length).toBeLessThanOrEqual(LARGEST_TEXT_BYTES)
        expect(outcome.stat.sizeBytes).toBe(outcome.bytes.length)
        kinds.add(`of ${Math.min(outcome.bytes.length, 2_000)} bytes`)
      }
    } finally {
      child.kill("SIGKILL")
    }
    // A page that is cut while it is read can be read as zeros, which are no text.
    const known = ["read", "missing", "special", "too-large", "unreadable", "binary"]
    for (const it of kinds) expect(it.startsWith("of ") || known.includes(it)).toBe(true)
  },
)
