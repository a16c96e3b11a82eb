import { expect, test } from "vitest"
import type { Claim, Simulation } from "#ground/contract"
import { createScreen, visibleDeep } from "../terminal/screen.ts"
import { loadPrinters } from "./renderers.fixture.ts"

const renderers = await loadPrinters()

const screen = createScreen({ isColored: false, columns: 100 })
const render = (name: string, output: unknown) =>
  renderers[name]?.text(visibleDeep(output), screen) ?? ""
const HOSTILE = "a\nNot claimed: b\u001b[2J"

const claim = (changes: Partial<Claim> = {}): Claim => ({
  path: "src/rounding.ts",
  session: "terminal",
  fence: 1,
  machine: "here",
  isHolderAlive: true,
  takenAt: 0,
  heartbeatAt: 0,
  expiresAt: 3_600_000,
  ...changes,
})

test("[H8][CLI-23] claims are printed with the state of their holder, or the next step if there are none", () => {
  expect(render("claim.list", { claims: [] })).toContain("`qm claim take src`")
  const rows = render("claim.list", { claims: [claim({ isHolderAlive: false })] })
  expect(rows).toContain("src/rounding.ts")
  expect(rows).toContain("process ended")
  const held = render("claim.take", { claims: [], held: claim({ path: HOSTILE }) })
  expect(held.split("\n")).toHaveLength(2)
  expect(held).not.toContain("\u001b")
  expect(renderers["claim.take"]?.exitCode({ claims: [], held: claim() })).toBe(1)
  expect(renderers["claim.take"]?.exitCode({ claims: [claim()], held: null })).toBe(0)
  expect(render("claim.release", { released: ["a"], notHeld: [HOSTILE] }).split("\n")).toEqual([
    "Released: a",
    expect.stringContaining("Not claimed by you: "),
  ])
})

test("[CLI-23] a simulation prints the risk with its reasons, then reached and co-changed files, each on one line", () => {
  const reached = {
    path: HOSTILE,
    ways: ["imports" as const],
    hops: 1,
    via: null,
    confidence: "import" as const,
    names: ["roundLine"],
  }
  const simulation: Simulation = {
    receipt: {
      id: "sim_1",
      paths: [
        { path: "src/rounding.ts", blobId: null },
        { path: "b", blobId: null },
      ],
      treeId: "t",
      reach: [reached, { ...reached, hops: 2, via: "src/between.ts" }],
      tests: [],
      risk: 0.5,
      reasons: [{ text: "2 files depend on it", number: 0.5 }],
      at: 0,
    },
    reachCount: 2,
    testCount: 0,
    changedWith: [{ path: "src/quote.ts", times: 2, of: 3 }],
    claims: [{ path: "src/rounding.ts", session: "other" }],
    notes: ["No past was read."],
  }
  const text = render("guard.simulate", simulation)
  const [first, second] = text.split("\n")
  expect(first).toBe("Risk 0.50 of 1 for src/rounding.ts and 1 more")
  expect(second).toContain("0.50  2 files depend on it")
  expect(text).toContain("by src/between.ts")
  expect(text).toContain("2 of 3 commits")
  expect(text).not.toContain("\u001b")
  expect(text).not.toContain("\nNothing taken")
  expect(text).toContain("Receipt sim_1 covers")
})
