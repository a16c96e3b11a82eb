import { mkdir, readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { processIdentity, systemClock, systemRandom } from "#ground/base"
import { testClock } from "#test/clock"
import { tempDirectory } from "#test/temp"
import { createClaims } from "./claims.ts"
import { ClaimDamaged, ClaimLost, PathUnusable } from "./errors.ts"
import { CLOCK_MARGIN_MS, KEPT_TURNS, LEASE_MS, MOST_PATHS_AT_ONCE } from "./limits.ts"

const HOUR_MS = 3_600_000
const own = processIdentity()
const gone = { pid: own.pid, startedAt: "1.elsewhere" }
const holder = (session: string) => ({ session, process: own })

function setUp(stateDirectory: string, name = "here") {
  const clock = testClock()
  let boot = "boot-1"
  let offset = 0
  const machine = {
    name,
    get boot() {
      return boot
    },
    uptimeMs: () => clock.monotonicMs() - offset,
  }
  const restart = () => {
    boot += "+"
    offset = clock.monotonicMs()
  }
  // Waiting for another process uses real time; the lease clocks do not advance.
  const waiting = { now: clock.now, sleep: systemClock.sleep }
  const claims = createClaims({ stateDirectory, clock: waiting, random: systemRandom, machine })
  return { clock, claims, restart }
}

describe("claims.take", () => {
  test("[LEDGER-11] one of two sessions gets the path, and the other gets the holder", async () => {
    await using temp = await tempDirectory()
    const { claims } = setUp(temp.path)
    const first = await claims.take(["src/a.ts"], holder("one"))
    expect(first).toMatchObject({ kind: "taken", claims: [{ path: "src/a.ts", session: "one" }] })
    const second = await claims.take(["./src//a.ts"], holder("two"))
    expect(second).toMatchObject({ kind: "held", path: "src/a.ts", by: { session: "one" } })
    expect(claims.list().map((it) => it.session)).toEqual(["one"])
  })

  test("[LEDGER-11] takes all paths or none", async () => {
    await using temp = await tempDirectory()
    const { claims } = setUp(temp.path)
    await claims.take(["b"], holder("one"))
    expect((await claims.take(["a", "b", "c"], holder("two"))).kind).toBe("held")
    expect(claims.list().map((it) => it.path)).toEqual(["b"])
  })

  test("[LEDGER-11] a session that takes its own path again keeps its fence number", async () => {
    await using temp = await tempDirectory()
    const { claims } = setUp(temp.path)
    const before = await taken(claims, "a", "one")
    const again = await taken(claims, "a", "one")
    expect(again).toMatchObject({ fence: before.fence, token: before.token })
    await taken(claims, "z", "two")
    expect((await claims.take(["a", "z"], holder("one"))).kind).toBe("held")
    expect(claims.isHeld(again)).toBe(true)
  })

  test("[LEDGER-12] a claim on a folder conflicts with claims below it, in both orders", async () => {
    await using temp = await tempDirectory()
    const { claims } = setUp(temp.path)
    await claims.take(["src/know"], holder("one"))
    expect(claims.find("src/know/a/b.ts")?.session).toBe("one")
    expect(claims.find("src/knowing.ts")).toBeUndefined()
    expect((await claims.take(["src/know/a.ts"], holder("two"))).kind).toBe("held")
    expect((await claims.take(["src"], holder("two"))).kind).toBe("held")
    expect((await claims.take(["."], holder("two"))).kind).toBe("held")
    expect((await claims.take(["src/knowing.ts"], holder("two"))).kind).toBe("taken")
    expect((await claims.take(["src/know/a.ts"], holder("one"))).kind).toBe("taken")
  })

  test("[LEDGER-12] a folder and a file in it, taken simultaneously, go to one session", async () => {
    await using temp = await tempDirectory()
    const { claims } = setUp(temp.path)
    for (let round = 0; round < 40; round++) {
      const paths = ["src", "src/a.ts", "src/a.ts"]
      const outcomes = await Promise.all(
        paths.map((path, index) => claims.take([path], holder(`${round}-${index}`))),
      )
      const won = outcomes.flatMap((it) => (it.kind === "taken" ? it.claims : []))
      expect(won.length).toBe(1)
      for (const claim of won) await claims.release(claim)
    }
  })

  test.for(["", "..", "../x", "/etc/passwd", "a\0b", "a/../../b", "~".repeat(4_097)])(
    "[LEDGER-13] rejects path %# outside the repository",
    async (path) => {
      await using temp = await tempDirectory()
      const { claims } = setUp(temp.path)
      const outcome = await claims.take([path], holder("one")).catch((error: unknown) => error)
      expect(PathUnusable.is(outcome)).toBe(true)
      expect(claims.find(path)).toBeUndefined()
    },
  )

  test("[LEDGER-13] rejects too many paths in one call", async () => {
    await using temp = await tempDirectory()
    const { claims } = setUp(temp.path)
    const paths = Array.from({ length: MOST_PATHS_AT_ONCE + 1 }, (_, index) => `f${index}`)
    const outcome = await claims.take(paths, holder("one")).catch((error: unknown) => error)
    expect(PathUnusable.is(outcome)).toBe(true)
  })
})

describe("leases", () => {
  test("[LEDGER-14] another session gets the path only after the lease expires, with a higher fence number", async () => {
    await using temp = await tempDirectory()
    const { claims, clock } = setUp(temp.path)
    const first = await taken(claims, "a", "one")
    await clock.advance(LEASE_MS)
    expect((await claims.take(["a"], holder("two"))).kind).toBe("held")
    await clock.advance(1)
    expect(claims.list()).toEqual([])
    const second = await taken(claims, "a", "two")
    expect(second.fence).toBeGreaterThan(first.fence)
    expect(claims.isHeld(first)).toBe(false)
    expect(await claims.renew(first)).toEqual({ kind: "lost" })
    expect(await claims.release(first)).toEqual({ kind: "lost" })
    await expect(claims.assertHeld(first)).rejects.toSatisfy(ClaimLost.is)
    expect(claims.isHeld(second)).toBe(true)
  })

  test("[LEDGER-14] renewing holds a claim for any length of time", async () => {
    await using temp = await tempDirectory()
    const { claims, clock } = setUp(temp.path)
    let claim = await taken(claims, "a", "one")
    for (let round = 0; round < 30; round++) {
      await clock.advance(LEASE_MS - 1)
      claim = await claims.assertHeld(claim)
      expect((await claims.take(["a"], holder("two"))).kind).toBe("held")
    }
    expect(claim.takenAt).toBeLessThan(claim.heartbeatAt)
  })

  test("[LEDGER-14] a dead process holds its claim until the lease expires, and no longer", async () => {
    await using temp = await tempDirectory()
    const { claims, clock } = setUp(temp.path)
    const outcome = await claims.take(["a"], { session: "one", process: gone })
    const [claim] = outcome.kind === "taken" ? outcome.claims : []
    expect(claim === undefined ? undefined : claims.isHolderAlive(claim)).toBe(false)
    expect((await claims.take(["a"], holder("two"))).kind).toBe("held")
    await clock.advance(LEASE_MS + 1)
    expect((await claims.take(["a"], holder("two"))).kind).toBe("taken")
  })

  test("[LEDGER-14] the holder can renew an expired claim that no other session took", async () => {
    await using temp = await tempDirectory()
    const { claims, clock } = setUp(temp.path)
    const claim = await taken(claims, "a", "one")
    await clock.advance(LEASE_MS * 2)
    expect((await claims.renew(claim)).kind).toBe("renewed")
    expect((await claims.take(["a"], holder("two"))).kind).toBe("held")
  })

  test("[LEDGER-14] an expired claim on a folder cannot be renewed after a path below it was taken", async () => {
    await using temp = await tempDirectory()
    const { claims, clock } = setUp(temp.path)
    const folder = await taken(claims, "src", "one")
    await clock.advance(LEASE_MS + 1)
    await taken(claims, "src/a.ts", "two")
    expect(await claims.renew(folder)).toEqual({ kind: "lost" })
  })

  test.for([-24, -1, 1, 24])(
    "[LEDGER-15] [C4] a wall clock that jumps by %i h gives no other session the path",
    async (hours) => {
      await using temp = await tempDirectory()
      const { claims, clock } = setUp(temp.path)
      const claim = await taken(claims, "a", "one")
      clock.setWall(clock.now() + hours * HOUR_MS)
      expect((await claims.take(["a"], holder("two"))).kind).toBe("held")
      expect(claims.isHeld(claim)).toBe(true)
      await clock.advance(LEASE_MS + 1)
      expect((await claims.take(["a"], holder("two"))).kind).toBe("taken")
    },
  )

  test("[LEDGER-15] the wall clock decides after a restart of the machine", async () => {
    await using temp = await tempDirectory()
    const { claims, clock, restart } = setUp(temp.path)
    await taken(claims, "a", "one")
    restart()
    expect((await claims.take(["a"], holder("two"))).kind).toBe("held")
    await clock.advance(LEASE_MS + 1)
    expect((await claims.take(["a"], holder("two"))).kind).toBe("taken")
  })

  test("[LEDGER-15] a clock set back over a restart does not block the path for a day", async () => {
    await using temp = await tempDirectory()
    const { claims, clock, restart } = setUp(temp.path)
    await taken(claims, "a", "one")
    restart()
    clock.setWall(clock.now() - 24 * HOUR_MS)
    expect((await claims.take(["a"], holder("two"))).kind).toBe("taken")
  })

  test("[LEDGER-15] another machine waits for the expiry and a margin, and checks no process", async () => {
    await using temp = await tempDirectory()
    const [here, there] = [setUp(temp.path), setUp(temp.path, "there")]
    const claim = await taken(here.claims, "a", "one")
    expect(there.claims.isHolderAlive(claim)).toBeUndefined()
    await there.clock.advance(LEASE_MS + CLOCK_MARGIN_MS)
    expect((await there.claims.take(["a"], holder("two"))).kind).toBe("held")
    await there.clock.advance(1)
    expect((await there.claims.take(["a"], holder("two"))).kind).toBe("taken")
    // By its own clock the lease is valid; the fence number decides.
    expect(here.claims.isHeld(claim)).toBe(false)
    await expect(here.claims.assertHeld(claim)).rejects.toSatisfy(ClaimLost.is)
  })

  test("[LEDGER-16] hooks renew the claims of their session, and not at every edit", async () => {
    await using temp = await tempDirectory()
    const { claims, clock } = setUp(temp.path)
    const claim = await taken(claims, "src", "one")
    expect(await claims.keepAlive("one", "src/a.ts")).toEqual({ kind: "renewed", claim })
    await clock.advance(LEASE_MS / 2)
    const later = await claims.keepAlive("one", "src/a.ts")
    expect(later).toMatchObject({ kind: "renewed", claim: { heartbeatAt: clock.now() } })
    expect(await claims.keepAlive("two", "src/a.ts")).toEqual({ kind: "none" })
  })
})

describe("claim files", () => {
  test("[LEDGER-17] old turns are deleted, the newest stays, and no fence number repeats", async () => {
    await using temp = await tempDirectory()
    const { claims } = setUp(temp.path)
    const fences: number[] = []
    for (let round = 0; round < 20; round++) {
      const claim = await taken(claims, "a", `s${round}`)
      fences.push(claim.fence)
      await claims.release(claim)
    }
    expect(fences).toEqual([...new Set(fences)].toSorted((a, b) => a - b))
    const [folder = ""] = await readdir(join(temp.path, "claims"))
    expect((await readdir(join(temp.path, "claims", folder))).length).toBe(KEPT_TURNS)
  })

  test("[LEDGER-17] an invalid claim file is reported, never overwritten", async () => {
    await using temp = await tempDirectory()
    const { claims } = setUp(temp.path)
    await taken(claims, "a", "one")
    const [folder = ""] = await readdir(join(temp.path, "claims"))
    await writeFile(join(temp.path, "claims", folder, "9"), "garbage")
    const outcome = await claims.take(["a"], holder("two")).catch((error: unknown) => error)
    expect(ClaimDamaged.is(outcome)).toBe(true)
    expect(claims.list()).toEqual([])
    expect((await claims.take(["b"], holder("two"))).kind).toBe("taken")
  })

  test("[LEDGER-17] a session id may be any text", async () => {
    await using temp = await tempDirectory()
    await mkdir(join(temp.path, "claims"))
    const { claims } = setUp(temp.path)
    const session = `../\0/${"\u{1F600}".repeat(2_000)}\uD800`
    await taken(claims, "a", session)
    expect(claims.find("a")?.session).toBe(session)
  })
})

async function taken(claims: ReturnType<typeof createClaims>, path: string, session: string) {
  const outcome = await claims.take([path], holder(session))
  const [claim] = outcome.kind === "taken" ? outcome.claims : []
  if (claim === undefined) throw new Error(`${path} was not taken`)
  return claim
}
