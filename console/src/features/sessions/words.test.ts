import { describe, expect, it } from "vitest"
import { shortSession } from "../../base/format.ts"
import { aClaim, aSession, NOW } from "./sessions.fixture.ts"
import {
  describeEdits,
  describeExpiry,
  describeHolder,
  describeHost,
  describeLoaded,
  describeRegistration,
  describeRelease,
  filterByWords,
  holderMark,
  isUserClaim,
  markOf,
} from "./words.ts"

describe("texts of the page Sessions", () => {
  it("unregistered changes take precedence over registered ones, in mark and text", () => {
    const owing = aSession("s", { drifted: 3, isRegistered: true })
    expect([markOf(owing), describeRegistration(owing)]).toEqual(["warned", "3 not registered"])
    const done = aSession("s", { isRegistered: true })
    expect([markOf(done), describeRegistration(done)]).toEqual(["done", "registered"])
    expect(describeRegistration(aSession("s"))).toBe("nothing to register")
    expect(markOf(aSession("s"))).toBe("queued")
    expect(describeHost(aSession("s", { host: null }))).toBe("unknown")
    expect(describeEdits(aSession("s"))).toBe("14 edits of 5 files")
    expect(describeEdits({ edits: 0, files: 0 })).toBe("no edits")
  })

  it("a holder is alive, gone, or on another machine", () => {
    const description = [true, false, null].map((isHolderAlive) => {
      const claim = aClaim("a", { isHolderAlive })
      return [describeHolder(claim), holderMark(claim)]
    })
    expect(description).toEqual([
      ["alive", "running"],
      ["process has ended", "interrupted"],
      ["on desk, state unknown", "queued"],
    ])
    expect(describeExpiry(aClaim("a"), NOW)).toBe("in 50 min")
    expect(describeExpiry(aClaim("a", { expiresAt: NOW }), NOW)).toBe("expired")
  })

  it("only the user's own claim is released without a confirmation", () => {
    const of = (session: string) => isUserClaim(aClaim("a", { session }))
    expect([of("terminal"), of("owner/http")]).toEqual([true, true])
    expect([of("s-1"), of("terminal 2"), of("http"), of("x/http/y")]).toEqual([
      false,
      false,
      false,
      false,
    ])
    expect(describeRelease(aClaim("a\nb"), "Bill pilotage")).toContain(
      "a\\nb is claimed by the session Bill pilotage. It may be",
    )
    expect(describeRelease(aClaim("a", { isHolderAlive: false }), "s")).toContain(
      "Its process has ended.",
    )
  })

  it("a long session id is shortened in lists, any other name is not", () => {
    expect(shortSession("5f0c2d1e-7a44-4c1b-9a0e-3f1b7c2d9e10")).toBe("5f0c2d1e")
    expect(shortSession("terminal")).toBe("terminal")
    expect(shortSession("a\u202Eb")).toBe("a\\u{202e}b")
  })

  it("a loaded file shows its kind and reason, and every word of the filter must match", () => {
    const loaded = { path: "/a", kind: "Project", reason: "include", parent: null, at: 1 }
    expect(describeLoaded(loaded)).toBe("Project, include")
    expect(describeLoaded({ ...loaded, reason: "" })).toBe("Project")
    expect(filterByWords(["Quay one", "quay two"], "QUAY two", (it) => it)).toEqual(["quay two"])
    expect(filterByWords(["a"], "  ", (it) => it)).toEqual(["a"])
  })
})
