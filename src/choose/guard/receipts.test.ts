import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { createIds, systemRandom } from "#ground/base"
import { testClock } from "#test/clock"
import { fcParameters } from "#test/seed"
import { tempDirectory } from "#test/temp"
import {
  covers,
  hashFile,
  hashFormatIn,
  LARGEST_RECEIPT_BYTES,
  LONGEST_COVER_MS,
  MOST_RECEIPTS_KEPT,
  MOST_RECEIPTS_READ,
  type PlannedEdit,
  parseReceipt,
  RECEIPT_KEPT_MS,
  type Receipt,
  readReceipts,
  sweepReceipts,
  writeReceipt,
} from "./receipts.ts"
import { CLOCK_SLACK_MS } from "./verdict-log.ts"

const NOW = Date.UTC(2026, 10, 15)

function madeReceipt(at: number): Receipt {
  const ids = createIds({ clock: testClock({ now: at }), random: systemRandom })
  return {
    id: ids.next("sim"),
    paths: [{ path: "src/auth/login.ts", blobId: "aaaa" }],
    treeId: "t",
    reach: [],
    tests: [],
    risk: 0.25,
    reasons: [{ text: "no test covers it", number: 0.25 }],
    at,
  }
}

const parsedPart = ({ id, paths, risk, at }: Receipt) => ({ id, paths, risk, at })

describe("writeReceipt and sweepReceipts", () => {
  test("[GUARD-10] a receipt is written atomically, is readable by its owner only, and reads back equal", async () => {
    await using directory = await tempDirectory()
    const stateDirectory = join(directory.path, "qm")
    const receipt = madeReceipt(NOW)
    await writeReceipt(stateDirectory, receipt)
    const [name = ""] = await readdir(join(stateDirectory, "receipts"))
    const file = join(stateDirectory, "receipts", name)
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual(receipt)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readReceipts({ stateDirectory, now: NOW + 5 })).toEqual([parsedPart(receipt)])
  })

  test("[GUARD-10] sweeping deletes old receipts and leftovers of crashed writers, and no other file", async () => {
    await using directory = await tempDirectory()
    const stateDirectory = directory.path
    const young = madeReceipt(NOW - RECEIPT_KEPT_MS + 1)
    const others = [madeReceipt(NOW - RECEIPT_KEPT_MS), madeReceipt(NOW + RECEIPT_KEPT_MS)]
    for (const it of [young, ...others]) await writeReceipt(stateDirectory, it)
    const folder = join(stateDirectory, "receipts")
    const left = `.atomic-4194305-1.boot-${"0".repeat(16)}.tmp`
    await writeFile(join(folder, left), "half a rec")
    await writeFile(join(folder, "notes.txt"), "mine")
    expect(await sweepReceipts({ stateDirectory, now: NOW })).toBe(3)
    expect((await readdir(folder)).toSorted()).toEqual(["notes.txt", `${young.id}.json`])
  })

  test("[GUARD-10] sweeping leaves the newest receipts when there are too many", async () => {
    await using directory = await tempDirectory()
    const folder = join(directory.path, "receipts")
    await mkdir(folder)
    const ids = Array.from({ length: MOST_RECEIPTS_KEPT + 3 }, (_, it) => madeReceipt(NOW - it).id)
    for (const id of ids) await writeFile(join(folder, `${id}.json`), "{}")
    expect(await sweepReceipts({ stateDirectory: directory.path, now: NOW })).toBe(3)
    const names = new Set(await readdir(folder))
    expect(ids.slice(-3).some((id) => names.has(`${id}.json`))).toBe(false)
    expect(names.has(`${ids[0]}.json`)).toBe(true)
  })

  test("[GUARD-10] sweeping a missing folder does nothing", async () => {
    await using directory = await tempDirectory()
    expect(await sweepReceipts({ stateDirectory: directory.path, now: NOW })).toBe(0)
  })
})

describe("readReceipts", () => {
  test("skips files that are not receipts", async () => {
    await using directory = await tempDirectory()
    const stateDirectory = directory.path
    const good = madeReceipt(NOW)
    await writeReceipt(stateDirectory, good)
    const folder = join(stateDirectory, "receipts")
    const fileName = () => join(folder, `${madeReceipt(NOW).id}.json`)
    await writeFile(fileName(), JSON.stringify(good).slice(0, 40))
    await writeFile(fileName(), Buffer.from([0xff, 0xfe, 0]))
    await writeFile(fileName(), " ".repeat(LARGEST_RECEIPT_BYTES + 1))
    await mkdir(fileName())
    await symlink(join(folder, `${good.id}.json`), fileName())
    await writeFile(join(folder, "sim_x.json"), JSON.stringify(good))
    expect(await readReceipts({ stateDirectory, now: NOW })).toEqual([parsedPart(good)])
  })

  test("returns none for a missing folder, or a file in its place", async () => {
    await using directory = await tempDirectory()
    const query = { stateDirectory: directory.path, now: NOW }
    expect(await readReceipts(query)).toEqual([])
    await writeFile(join(directory.path, "receipts"), "")
    expect(await readReceipts(query)).toEqual([])
  })

  test("reads only the newest receipts that can still cover an edit", async () => {
    await using directory = await tempDirectory()
    const stateDirectory = directory.path
    const old = madeReceipt(NOW - LONGEST_COVER_MS)
    const young = Array.from({ length: MOST_RECEIPTS_READ + 2 }, (_, it) => madeReceipt(NOW - it))
    for (const it of [old, ...young]) await writeReceipt(stateDirectory, it)
    const read = await readReceipts({ stateDirectory, now: NOW })
    expect(read.map((it) => it.at)).toEqual(young.slice(0, MOST_RECEIPTS_READ).map((it) => it.at))
  })

  test.for([
    "",
    "null",
    "[]",
    "7",
    '{"id":"sim_1","paths":[],"risk":2,"at":1}',
    '{"id":"sim_1","paths":[],"risk":0,"at":1.5}',
    '{"id":"sim_1","paths":{},"risk":0,"at":1}',
    '{"id":"sim_1","paths":[{"path":"a","blobId":"x"},{"path":"b"}],"risk":0,"at":1}',
    '{"id":"sim_1","paths":[{"path":"a","blobId":""}],"risk":0,"at":1}',
    '{"id":"sim_1","paths":[null],"risk":0,"at":1}',
  ])("rejects a malformed receipt: %s", (text) => {
    expect(parseReceipt(text)).toBeUndefined()
  })

  test("parsing never throws", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => void parseReceipt(text)),
      fcParameters({ numRuns: 500 }),
    )
  })
})

describe("hashFile", () => {
  test("[GUARD-8] equals git's blob id in both object formats, also for an empty file", async () => {
    await using directory = await tempDirectory()
    const root = directory.path
    await writeFile(join(root, "empty"), "")
    // Equals `git hash-object /dev/null`.
    expect(await hashFile("empty", { root, format: "sha1" })).toEqual({
      kind: "hashed",
      hash: "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    })
    expect(await hashFile("empty", { root, format: "sha256" })).toEqual({
      kind: "hashed",
      hash: "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
    })
  })

  test("[GUARD-8] a missing file is absent; a symlink, a folder and a path outside are unknown", async () => {
    await using directory = await tempDirectory()
    const root = join(directory.path, "repo")
    await mkdir(join(root, "src"), { recursive: true })
    await writeFile(join(directory.path, "outside"), "x")
    await symlink("../outside", join(root, "link"))
    const kindOf = async (path: string) => (await hashFile(path, { root, format: "sha1" })).kind
    expect(await kindOf("none")).toBe("absent")
    expect(await kindOf("link")).toBe("unknown")
    expect(await kindOf("src")).toBe("unknown")
    expect(await kindOf("../outside")).toBe("unknown")
  })

  test("[GUARD-8] the repository's config decides the object format", async () => {
    await using directory = await tempDirectory()
    const state = join(directory.path, "qm")
    const format = async (text: string) => {
      await writeFile(join(directory.path, "config"), text)
      return hashFormatIn(state)
    }
    expect(await hashFormatIn(state)).toBe("sha1")
    expect(await format("[core]\n\tbare = false\n")).toBe("sha1")
    expect(await format("[extensions]\n\tobjectFormat = sha256\n")).toBe("sha256")
  })
})

const AT = 1_800_000_000_000
const receipt = { paths: [{ path: "src/auth/login.ts", blobId: "aaaa" }], at: AT }

function plannedEdit(fields: Partial<PlannedEdit> = {}): PlannedEdit {
  return {
    path: "src/auth/login.ts",
    hash: "aaaa",
    session: { edits: [] },
    now: AT + 1_000,
    ...fields,
  }
}

const edit = (hash: string | null, at: number) => ({
  session: { edits: [{ path: "src/auth/login.ts", hash, at }] },
})

describe("covers", () => {
  test.for<readonly [string, Partial<PlannedEdit>, boolean]>([
    ["covers the file as it was simulated", {}, true],
    ["does not cover another file", { path: "src/auth/logout.ts" }, false],
    ["does not cover a path with the same prefix", { path: "src/auth/login.ts.orig" }, false],
    ["does not cover other bytes", { hash: "bbbb" }, false],
    ["does not cover a deleted file", { hash: null }, false],
    ["covers the session's own later edit", { hash: "bbbb", ...edit("bbbb", AT + 500) }, true],
    [
      "does not cover an edit by another after the session's own",
      { hash: "cccc", ...edit("bbbb", AT + 500) },
      false,
    ],
    [
      "does not cover an own edit from before the simulation",
      { hash: "bbbb", ...edit("bbbb", AT - 1) },
      false,
    ],
    ["covers a file that the session deleted", { hash: null, ...edit(null, AT + 500) }, true],
    ["covers in the last millisecond", { now: AT + LONGEST_COVER_MS - 1 }, true],
    ["does not cover after four hours", { now: AT + LONGEST_COVER_MS }, false],
    ["covers when the clock was set back by the slack", { now: AT - CLOCK_SLACK_MS }, true],
    ["does not cover when the receipt is from the future", { now: AT - CLOCK_SLACK_MS - 1 }, false],
  ])("[GUARD-11] %s", ([, fields, expected]) => {
    expect(covers([receipt], plannedEdit(fields))).toBe(expected)
  })

  test("[GUARD-11] a file that did not exist is covered for as long as it does not exist", () => {
    const made = { paths: [{ path: "new.ts", blobId: null }], at: AT }
    expect(covers([made], plannedEdit({ path: "new.ts", hash: null }))).toBe(true)
    expect(covers([made], plannedEdit({ path: "new.ts", hash: "aaaa" }))).toBe(false)
  })

  test("[GUARD-11] an invalid timestamp covers nothing", () => {
    expect(covers([{ ...receipt, at: Number.NaN }], plannedEdit())).toBe(false)
    expect(covers([receipt], plannedEdit({ now: Number.NaN }))).toBe(false)
  })
})

const path = fc.constantFrom("a.ts", "b.ts", "a.ts/c", "A.ts", "", "__proto__")
const hash = fc.option(fc.constantFrom("aa", "bb", "cc"), { nil: null })
const HOUR_MS = 3_600_000
const at = fc.integer({ min: AT - 6 * HOUR_MS, max: AT + 6 * HOUR_MS })
const receipts = fc.array(
  fc.record({ at, paths: fc.array(fc.record({ path, blobId: hash }), { maxLength: 3 }) }),
  { maxLength: 4 },
)
const edits = fc.array(fc.record({ path, hash, at }), { maxLength: 3 })
const edits0 = { edits: [] }

test("[GUARD-11] never covers another path, an expired receipt or another hash", () => {
  fc.assert(
    fc.property(receipts, edits, fc.record({ path, hash, now: at }), (receiptList, own, it) => {
      const isCovered = covers(receiptList, { ...it, session: { edits: own } })
      const named = receiptList.filter((one) => one.paths.some((file) => file.path === it.path))
      const young = named.filter(
        (one) => it.now - one.at < LONGEST_COVER_MS && one.at - it.now <= CLOCK_SLACK_MS,
      )
      const known = young.filter(
        (one) =>
          one.paths.find((file) => file.path === it.path)?.blobId === it.hash ||
          own.some((made) => made.path === it.path && made.hash === it.hash && made.at >= one.at),
      )
      expect(isCovered).toBe(known.length > 0)
      expect(covers(receiptList, { ...it, path: "z.ts", session: { edits: own } })).toBe(false)
      expect(covers(receiptList, { ...it, hash: "zz", session: { edits: own } })).toBe(false)
      expect(covers(receiptList, { ...it, now: AT + 11 * HOUR_MS, session: edits0 })).toBe(false)
    }),
    fcParameters({ numRuns: 2_000 }),
  )
})
