import { readdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { describe, expect, it } from "vitest"
import { tempDirectory } from "#test/temp"
import { LEAST_FOLDED_BYTES } from "./fold/fold-body.ts"
import {
  askFoldEligibility,
  createSessionStates,
  MOST_SESSIONS,
  serveFoldEligibility,
} from "./fold-eligibility.ts"

const BRANCH = "br_0123456789abcdef0123456789abcdef"
const open = (bytesAfter: number, doubt: string | null = null) => ({
  branches: [{ branchId: BRANCH, bytesAfter }],
  doubt,
})

describe("fold eligibility of a session", () => {
  it("[GATE-84] a process that never saw the session returns no eligibility", () => {
    const { eligibility } = createSessionStates(new Map())
    expect(eligibility({ session: "s" }).kind).toBe("unknown")
  })

  it("[GATE-84] a session with a recorded request and no doubt is eligible", () => {
    const states = createSessionStates(new Map())
    states.record("s", "", { branches: [], doubt: null })
    expect(states.eligibility({ session: "s" }).kind).toBe("eligible")
    states.record("s", "a1", { branches: [], doubt: "a strange role" })
    expect(states.eligibility({ session: "s" })).toEqual({ kind: "no", why: "a strange role" })
  })

  it("[GATE-84] a branch is eligible when its opening is in the request with enough bytes after it", () => {
    const states = createSessionStates(new Map())
    const ask = () => states.eligibility({ session: "s", branchId: BRANCH })
    states.record("s", "", { branches: [], doubt: null })
    expect(ask()).toEqual({ kind: "no", why: "its opening is no longer in the conversation" })
    states.record("s", "sub", open(LEAST_FOLDED_BYTES - 1))
    expect(ask()).toEqual({ kind: "no", why: "there is too little to fold" })
    states.record("s", "sub", open(LEAST_FOLDED_BYTES))
    expect(ask().kind).toBe("eligible")
    states.record("s", "sub", open(LEAST_FOLDED_BYTES, "an attested body"))
    expect(ask()).toEqual({ kind: "no", why: "an attested body" })
  })

  it("[GATE-84] a parent's branch that a sub-agent returns is not eligible", () => {
    const states = createSessionStates(new Map())
    const ask = () => states.eligibility({ session: "s", branchId: BRANCH })
    states.record("s", "", open(10_000))
    states.record("s", "sub", { branches: [], doubt: null })
    expect(ask()).toEqual({
      kind: "no",
      why: "another conversation of this session was active last",
    })
    states.record("s", "", open(12_000))
    expect(ask().kind).toBe("eligible")
  })

  it("a session whose folding was switched off stays ineligible", () => {
    const latches = new Map<string, string>()
    const states = createSessionStates(latches)
    states.record("s", "", open(10_000))
    expect(states.eligibility({ session: "s", branchId: BRANCH }).kind).toBe("eligible")
    latches.set("s", "refused (400)")
    states.record("s", "", open(20_000))
    expect(states.eligibility({ session: "s", branchId: BRANCH }).kind).toBe("no")
  })

  it("[GATE-84] the oldest sessions are dropped first when the limit is reached", () => {
    const states = createSessionStates(new Map())
    for (let at = 0; at <= MOST_SESSIONS; at++) {
      states.record(`s${at}`, "", { branches: [], doubt: null })
    }
    expect(states.eligibility({ session: "s0" }).kind).toBe("unknown")
    expect(states.eligibility({ session: `s${MOST_SESSIONS}` }).kind).toBe("eligible")
  })

  it("another process of the same user asks over a socket, for its own repository only", async () => {
    await using temp = await tempDirectory()
    const place = { home: temp.path, stateDirectory: path.join(temp.path, "state") }
    const states = createSessionStates(new Map())
    states.record("s", "", { branches: [], doubt: null })
    const one = await serveFoldEligibility(place, process.ppid, () => ({ kind: "unknown" }))
    const two = await serveFoldEligibility(place, process.pid, states.eligibility)
    try {
      expect((await askFoldEligibility(place, { session: "s" })).kind).toBe("eligible")
      expect((await askFoldEligibility(place, { session: "s", branchId: BRANCH })).kind).toBe("no")
      expect((await askFoldEligibility(place, { session: "t" })).kind).toBe("no")
      const elsewhere = { ...place, stateDirectory: path.join(temp.path, "other") }
      expect((await askFoldEligibility(elsewhere, { session: "s" })).kind).toBe("no")
    } finally {
      await one?.close()
      await two?.close()
    }
    expect(await askFoldEligibility(place, { session: "s" })).toEqual({
      kind: "no",
      why: "no gateway proxies this session",
    })
  })

  it("sockets of killed processes are skipped and removed by the next process", async () => {
    await using temp = await tempDirectory()
    const place = { home: temp.path, stateDirectory: temp.path }
    const folder = path.join(temp.path, "gateway", "run")
    const first = await serveFoldEligibility(place, process.pid, () => ({ kind: "eligible" }))
    const [name = ""] = await readdir(folder)
    await first?.close()
    // A pid that no process has: the largest of Linux is 4,194,304.
    for (let at = 0; at < 80; at++) {
      await writeFile(path.join(folder, name.replace(/\d+\.sock$/, `${4_200_000 + at}.sock`)), "")
    }
    const next = await serveFoldEligibility(place, process.pid, () => ({ kind: "eligible" }))
    try {
      expect(await readdir(folder)).toEqual([name])
      expect((await askFoldEligibility(place, { session: "s" })).kind).toBe("eligible")
    } finally {
      await next?.close()
    }
  })

  it("an invalid query gets no response, and a long home path uses another socket directory", async () => {
    await using temp = await tempDirectory()
    const home = path.join(temp.path, "h".repeat(120))
    const place = { home, stateDirectory: temp.path }
    const server = await serveFoldEligibility(place, process.pid, () => ({ kind: "eligible" }))
    try {
      expect((await askFoldEligibility(place, { session: "s" })).kind).toBe("eligible")
    } finally {
      await server?.close()
    }
  })
})
