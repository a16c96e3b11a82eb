import { expect, test } from "vitest"
import type { SettingsLayer } from "#see/hosts"
import { effectiveSettings } from "./settings.ts"

const layer = (name: string, values: Record<string, unknown>): SettingsLayer => ({
  layer: name,
  path: `/${name}.json`,
  trust: "project",
  outcome: { kind: "found", values },
})

const LAYERS = [
  layer("local", { model: "a", permissions: { allow: ["x"] } }),
  layer("project", {
    model: "b",
    permissions: { allow: ["y"], deny: [] },
    deep: { a: { b: { c: { d: 1 } } } },
  }),
  {
    layer: "user",
    path: "/user.json",
    trust: "own",
    outcome: { kind: "missing" },
  } satisfies SettingsLayer,
  layer("user", { model: "c", empty: {} }),
]

test("[CAPTURE-12] the strongest layer wins, and the values it hides are listed", () => {
  const settings = effectiveSettings(LAYERS, { joinsLists: false })
  expect(settings.find((it) => it.key === "model")).toEqual({
    key: "model",
    value: '"a"',
    layer: "local",
    path: "/local.json",
    hidden: [
      { layer: "project", path: "/project.json", value: '"b"' },
      { layer: "user", path: "/user.json", value: '"c"' },
    ],
  })
  expect(settings.map((it) => it.key)).toEqual([
    "deep.a.b.c",
    "empty",
    "model",
    "permissions.allow",
    "permissions.deny",
  ])
  expect(settings[0]?.value).toBe('{"d":1}')
})

test("[CAPTURE-12] lists are joined where the host joins them", () => {
  const joined = effectiveSettings(LAYERS, { joinsLists: true })
  expect(joined.find((it) => it.key === "permissions.allow")).toMatchObject({
    value: '["x","y"]',
    layer: "local + project",
    hidden: [],
  })
})
