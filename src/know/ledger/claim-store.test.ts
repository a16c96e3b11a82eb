import { mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { systemRandom } from "#ground/base"
import { tempDirectory } from "#test/temp"
import { type ClaimRecord, createTurns, parseClaim, writeClaim } from "./claim-store.ts"
import { ClaimsBusy } from "./errors.ts"
import { digest } from "./paths.ts"

const record: ClaimRecord = {
  path: "a",
  session: "one",
  state: "held",
  fence: 1,
  token: "t1",
  pid: 1,
  startedAt: "1.boot",
  machine: "here",
  boot: "boot",
  takenAt: 0,
  heartbeatAt: 0,
  heartbeatUptimeMs: 0,
  leaseMs: 1,
  expiresAt: 1,
}

test("[LEDGER-17] [C4] a writer paused until others used and removed its turn number decides again", async () => {
  await using temp = await tempDirectory()
  const turns = createTurns(temp.path, systemRandom)
  await turns.change("a", () => ({ kind: "put", record: () => record }))
  const own = join(temp.path, digest("a"))
  const turnsSeen: (string | undefined)[] = []
  const late = await turns.change("a", (current) => {
    turnsSeen.push(current?.token)
    if (current?.token === "t9") return { kind: "stop", result: "too late" }
    writeFileSync(join(own, "9"), writeClaim({ ...record, token: "t9" }))
    renameSync(join(own, "1"), join(temp.path, ".gone"))
    return { kind: "put", record: () => ({ ...record, token: "late" }) }
  })
  expect({ late, seen: turnsSeen }).toEqual({ late: { result: "too late" }, seen: ["t1", "t9"] })
  expect(turns.current("a")?.token).toBe("t9")
})

test("[LEDGER-17] of many simultaneous writes of a turn one counts, and no temporary file remains", async () => {
  await using temp = await tempDirectory()
  mkdirSync(join(temp.path, "claims"))
  const turns = createTurns(join(temp.path, "claims"), systemRandom)
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      turns.change("a", (current) =>
        current === undefined
          ? { kind: "put", record: () => ({ ...record, token: `t${index}` }) }
          : { kind: "stop", result: current.token },
      ),
    ),
  )
  const winners = outcomes.flatMap((it) => ("result" in it ? [] : [it.token]))
  expect(winners.length).toBe(1)
  const losers = outcomes.flatMap((it) => ("result" in it ? [it.result] : []))
  expect(new Set(losers)).toEqual(new Set(winners))
  expect(readdirSync(join(temp.path, "claims"))).toEqual([digest("a")])
})

test("[LEDGER-17] a writer that always loses the race gives up, and leaves no temporary file", async () => {
  await using temp = await tempDirectory()
  const turns = createTurns(temp.path, systemRandom)
  const own = join(temp.path, digest("a"))
  mkdirSync(own)
  let turn = 0
  const outcome = await turns
    .change("a", () => {
      turn += 1
      writeFileSync(join(own, String(turn)), writeClaim(record))
      return { kind: "put", record: () => record }
    })
    .catch((error: unknown) => error)
  expect(ClaimsBusy.is(outcome)).toBe(true)
  expect(readdirSync(temp.path)).toEqual([digest("a")])
})

test("[LEDGER-17] a claim reads back as it was written, and no other text parses as one", () => {
  expect(parseClaim(Buffer.from(writeClaim(record)))).toEqual(record)
  for (const key of Object.keys(record).filter((it) => it !== "startedAt")) {
    const broken = Buffer.from(JSON.stringify({ ...record, [key]: null }))
    expect(parseClaim(broken)).toBeUndefined()
  }
  for (const text of ["", "null", "[]", "{", "\0"])
    expect(parseClaim(Buffer.from(text))).toBeUndefined()
})
