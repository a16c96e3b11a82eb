import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { packParams } from "../../data/paths.ts"
import { withSeed } from "../../test-seed.ts"
import {
  applyChoices,
  buildInput,
  type Choices,
  choicesFrom,
  choicesOf,
  chooseForm,
  chosenForm,
  moveTo,
  NO_CHOICES,
  toggleDrop,
  togglePin,
} from "./choices.ts"
import { aFile, aPack } from "./pack.fixture.ts"

const PATHS = ["a.ts", "b.ts", "c.ts", "d.ts", "e.ts"]
const FILES = PATHS.map((it) => aFile(it))
const orderOf = (choices: Choices) => applyChoices(FILES, choices).map((it) => it.path)

describe("changes of a package", () => {
  it("[CONSOLE-38] a file is pinned, dropped or neither, never both", () => {
    const pinned = togglePin(NO_CHOICES, "a.ts")
    expect([pinned.pins, pinned.drops]).toEqual([["a.ts"], []])
    const dropped = toggleDrop(chooseForm(pinned, "a.ts", "symbols"), "a.ts")
    expect(dropped).toEqual({ ...NO_CHOICES, drops: ["a.ts"] })
    expect(togglePin(dropped, "a.ts")).toEqual(pinned)
    expect(toggleDrop(dropped, "a.ts")).toEqual(NO_CHOICES)
    expect(togglePin(pinned, "a.ts")).toEqual(NO_CHOICES)
  })

  it("[CONSOLE-38] a file has one form, and choosing the same form again removes the choice", () => {
    const full = chooseForm(NO_CHOICES, "a.ts", "full")
    const path = chooseForm(full, "a.ts", "path")
    expect(path).toEqual({ ...NO_CHOICES, mention: ["a.ts"] })
    expect(chosenForm(path, "a.ts")).toBe("path")
    expect(chooseForm(path, "a.ts", "path")).toEqual(NO_CHOICES)
  })

  it("[CONSOLE-38] a moved file stays where it was put, and only files up to it are written to the order", () => {
    const moved = moveTo(NO_CHOICES, PATHS, { path: "c.ts", to: 1 })
    expect(moved.order).toEqual(["a.ts", "c.ts", "b.ts"])
    expect(orderOf(moved)).toEqual(["a.ts", "c.ts", "b.ts", "d.ts", "e.ts"])
    expect(moveTo(NO_CHOICES, PATHS, { path: "a.ts", to: -1 })).toBe(NO_CHOICES)
    expect(moveTo(NO_CHOICES, PATHS, { path: "e.ts", to: 9 })).toBe(NO_CHOICES)
    expect(moveTo(NO_CHOICES, PATHS, { path: "z.ts", to: 0 })).toBe(NO_CHOICES)
  })

  it("[CONSOLE-38] after any sequence of moves the order equals the displayed order", () => {
    const moves = fc.array(
      fc.record({ path: fc.constantFrom(...PATHS), to: fc.nat({ max: PATHS.length - 1 }) }),
    )
    fc.assert(
      fc.property(moves, (all) => {
        let choices: Choices = NO_CHOICES
        let displayed: readonly string[] = PATHS
        for (const { path, to } of all) {
          choices = moveTo(choices, displayed, { path, to })
          displayed = displayed.filter((it) => it !== path).toSpliced(to, 0, path)
        }
        expect(orderOf(choices)).toEqual(displayed)
      }),
      withSeed(),
    )
  })

  it("[CONSOLE-38] before the server responds, files are already dropped, pinned and in the chosen form", () => {
    const choices = { ...NO_CHOICES, drops: ["b.ts"], pins: ["c.ts"], signatures: ["d.ts"] }
    expect(applyChoices(FILES, choices)).toEqual([
      aFile("a.ts"),
      aFile("c.ts", { isPinned: true }),
      aFile("d.ts", { form: "signatures" }),
      aFile("e.ts"),
    ])
  })

  it("[CONSOLE-38] a change starts with the choices of the stored package", () => {
    const pack = aPack({
      task: "t",
      role: "backend",
      budget: 7,
      choices: {
        target: ["a.ts"],
        drop: ["d.ts"],
        full: ["a.ts"],
        symbols: ["b.ts"],
        signatures: ["c.ts"],
        mention: ["e.ts"],
        order: ["b.ts", "a.ts"],
      },
    })
    expect(choicesFrom(pack)).toEqual({
      task: "t",
      role: "backend",
      budget: 7,
      pins: ["a.ts"],
      drops: ["d.ts"],
      full: ["a.ts"],
      symbols: ["b.ts"],
      signatures: ["c.ts"],
      mention: ["e.ts"],
      order: ["b.ts", "a.ts"],
    })
  })

  it("[CONSOLE-38] the build request contains the URL parameters, and building stores nothing", () => {
    const params = packParams.parse(
      "?task=t&budget=9&pin=a&drop=b&full=c&symbols=d&signatures=e&mention=f&order=g",
    )
    expect(buildInput(choicesOf(params), "xml")).toEqual({
      task: "t",
      budget: 9,
      target: ["a"],
      drop: ["b"],
      full: ["c"],
      symbols: ["d"],
      signatures: ["e"],
      mention: ["f"],
      order: ["g"],
      format: "xml",
      save: false,
    })
    expect(buildInput(NO_CHOICES, "json")).not.toHaveProperty("role")
  })
})
