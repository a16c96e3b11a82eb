import { describe, expect, it } from "vitest"
import type { ConfigSetting } from "../../contract.ts"
import { readOrigin } from "../../data/origin.ts"
import { describeOutcome, filterSettings, undoFor } from "./layers.ts"

const PROJECT = "project file .qm/config.json:3"
const USER = "user file config.json:9"

const setting = (change: Partial<ConfigSetting>): ConfigSetting => ({
  key: "tokens.window",
  value: 7,
  origin: "default",
  hides: [],
  description: "Size of the window",
  env: "QM_TOKENS_WINDOW",
  isSecret: false,
  schema: {},
  ...change,
})

describe("layers of a setting", () => {
  it.each([
    ["not set in that layer", setting({}), "project", { kind: "unset" }],
    ["set there and winning", setting({ origin: PROJECT }), "project", { kind: "set", value: 7 }],
    [
      "set there and hidden, so that nobody knows the value",
      setting({ origin: "environment QM_TOKENS_WINDOW", hides: [PROJECT] }),
      "project",
      { kind: "impossible" },
    ],
    [
      "a secret, which is not known either",
      setting({ origin: PROJECT, isSecret: true, value: "[hidden]" }),
      "project",
      { kind: "impossible" },
    ],
    ["only the other layer set it", setting({ origin: USER }), "project", { kind: "unset" }],
  ] as const)("[CONSOLE-12] undo of a change: %s", (...[, before, layer, expected]) => {
    expect(undoFor(before, layer)).toEqual(expected)
  })

  it("[CONSOLE-12] the message after a save names the layer that takes precedence", () => {
    expect(describeOutcome(setting({ origin: USER }), "user", "saved")).toBe(
      "tokens.window was saved in the user file",
    )
    expect(describeOutcome(setting({ origin: PROJECT, hides: [USER] }), "user", "saved")).toBe(
      "tokens.window was saved in the user file; project file takes precedence",
    )
    expect(describeOutcome(setting({}), "user", "removed")).toBe(
      "tokens.window was removed from the user file",
    )
  })

  it.each([
    ["default", "default", "default"],
    [PROJECT, "project", "project file"],
    ["environment QM_X", "environment", "environment"],
    ["flag --set", "flag", "flag --set"],
    ["something new", "other", "something new"],
    ["project lead", "other", "project lead"],
  ])("[CONSOLE-12] the origin %j is parsed as %s", (text, kind, description) => {
    expect(readOrigin(text)).toEqual({ kind, description })
  })

  it("[CONSOLE-12] the filter matches key, description, environment variable and origin", () => {
    const settings = [
      setting({}),
      setting({ key: "log.level", env: "QM_LOG", description: "Lowest" }),
    ]
    const keysFor = (text: string) => filterSettings(settings, text).map((it) => it.key)
    expect(keysFor("")).toEqual(["tokens.window", "log.level"])
    expect(keysFor("qm_tokens")).toEqual(["tokens.window"])
    expect(keysFor("lowest default")).toEqual(["log.level"])
    expect(keysFor("nothing")).toEqual([])
  })
})
