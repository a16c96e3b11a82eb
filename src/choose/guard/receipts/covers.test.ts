import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { CLOCK_SLACK_MS, LONGEST_COVER_MS } from "../limits.ts"
import { type AskedEdit, covers } from "./covers.ts"

const AT = 1_800_000_000_000
const receipt = { paths: [{ path: "src/auth/login.ts", blobId: "aaaa" }], at: AT }

function asked(given: Partial<AskedEdit> = {}): AskedEdit {
  return {
    path: "src/auth/login.ts",
    hash: "aaaa",
    session: { edits: [] },
    now: AT + 1_000,
    ...given,
  }
}

const edit = (hash: string | null, at: number) => ({
  session: { edits: [{ path: "src/auth/login.ts", hash, at }] },
})

describe("[GUARD-11] a receipt covers an edit", () => {
  test.for<readonly [string, Partial<AskedEdit>, boolean]>([
    ["of the file as it was simulated", {}, true],
    ["of another file", { path: "src/auth/logout.ts" }, false],
    ["of a file whose path only begins alike", { path: "src/auth/login.ts.orig" }, false],
    ["of other bytes", { hash: "bbbb" }, false],
    ["of a file that is gone", { hash: null }, false],
    ["of what the session itself made of it", { hash: "bbbb", ...edit("bbbb", AT + 500) }, true],
    ["of what another made after the session", { hash: "cccc", ...edit("bbbb", AT + 500) }, false],
    ["of an own edit from before", { hash: "bbbb", ...edit("bbbb", AT - 1) }, false],
    ["of a file that the session removed", { hash: null, ...edit(null, AT + 500) }, true],
    ["in the last millisecond", { now: AT + LONGEST_COVER_MS - 1 }, true],
    ["after four hours", { now: AT + LONGEST_COVER_MS }, false],
    ["with a clock set back a little", { now: AT - CLOCK_SLACK_MS }, true],
    ["from tomorrow", { now: AT - CLOCK_SLACK_MS - 1 }, false],
  ])("[GUARD-11] %s", ([, given, expected]) => {
    expect(covers([receipt], asked(given))).toBe(expected)
  })

  test("[GUARD-11] a file that was not there is covered as long as it is not there", () => {
    const made = { paths: [{ path: "new.ts", blobId: null }], at: AT }
    expect(covers([made], asked({ path: "new.ts", hash: null }))).toBe(true)
    expect(covers([made], asked({ path: "new.ts", hash: "aaaa" }))).toBe(false)
  })

  test("[GUARD-11] what is not a number of the clock covers nothing", () => {
    expect(covers([{ ...receipt, at: Number.NaN }], asked())).toBe(false)
    expect(covers([receipt], asked({ now: Number.NaN }))).toBe(false)
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

test("[GUARD-11] covers never holds for another path, an older receipt or another hash", () => {
  fc.assert(
    fc.property(receipts, edits, fc.record({ path, hash, now: at }), (given, own, it) => {
      const isCovered = covers(given, { ...it, session: { edits: own } })
      const named = given.filter((one) => one.paths.some((file) => file.path === it.path))
      const young = named.filter(
        (one) => it.now - one.at < LONGEST_COVER_MS && one.at - it.now <= CLOCK_SLACK_MS,
      )
      const known = young.filter(
        (one) =>
          one.paths.find((file) => file.path === it.path)?.blobId === it.hash ||
          own.some((made) => made.path === it.path && made.hash === it.hash && made.at >= one.at),
      )
      expect(isCovered).toBe(known.length > 0)
      // Each of these alone is enough to say no, whatever else holds.
      expect(covers(given, { ...it, path: "z.ts", session: { edits: own } })).toBe(false)
      expect(covers(given, { ...it, hash: "zz", session: { edits: own } })).toBe(false)
      expect(covers(given, { ...it, now: AT + 11 * HOUR_MS, session: edits0 })).toBe(false)
    }),
    fcParameters({ numRuns: 2_000 }),
  )
})
