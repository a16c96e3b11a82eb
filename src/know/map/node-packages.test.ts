import { describe, expect, test } from "vitest"
import { isNodeManifest, readNodeSources } from "./node-packages.ts"
import { LANGUAGES } from "./parse/languages.ts"
import { createSourceIndex } from "./source-index.ts"

const FILES = [
  "src/tide/index.ts",
  "src/tide/moon.ts",
  "src/app/main.ts",
  "test/kit/clock.ts",
  "packages/quay/package.json",
  "packages/quay/src/index.ts",
  "packages/quay/src/berth.ts",
  "packages/tug/index.ts",
  "packages/tug/lib/pull.ts",
  "packages/harbour/source/main.ts",
  "packages/harbour/app/view.ts",
  "packages/harbour/shared/button.tsx",
  "packages/buoy/app/bell.ts",
  "packages/buoy/own/rope.ts",
  "fast.js",
  "fast.d.ts",
  "test/fast.test.js",
  "test/deep/close.test.js",
  "lib/hooks.js",
  "lib/hooks.ts",
]

const MANIFESTS = {
  "package.json": {
    main: "fast.js",
    types: "fast.d.ts",
    imports: {
      "#tide": "./src/tide/index.ts",
      "#src/*": { types: "./types/*.d.ts", default: ["./src/*/index.ts", "./src/*.ts"] },
      "#test/*": "./test/kit/*.ts",
      "#out": "../../etc/passwd",
    },
  },
  "packages/quay/package.json": {
    name: "@shore/quay",
    exports: { ".": { import: "./dist/index.js" }, "./*": "./dist/*.js" },
  },
  "packages/tug/package.json": { name: "tug", main: "index.js" },
  "packages/harbour/package.json": { name: "harbour", main: "source/main.ts" },
}

const TSCONFIGS = {
  "tsconfig.json": '{ "compilerOptions": { "paths": { "tide/*": ["./src/tide/*"] } } }',
  "packages/harbour/tsconfig.json": `{
    // with a comment, and a comma too many
    "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["app/*", "shared/*"] }, },
  }`,
  "packages/tug/tsconfig.json": "{ broken",
  "config/tsconfig.shared.json":
    '{ "compilerOptions": { "baseUrl": "../packages/buoy", "paths": { "~/*": ["own/*"] } } }',
  "packages/buoy/tsconfig.json": '{ "extends": "../../config/tsconfig.shared.json" }',
}

const texts = [
  ...Object.entries(MANIFESTS).map(([path, value]) => ({ path, text: JSON.stringify(value) })),
  ...Object.entries(TSCONFIGS).map(([path, text]) => ({ path, text })),
]

function resolve(fromPath: string, specifier: string): readonly string[] {
  const index = createSourceIndex(
    FILES.map((path) => ({ path })),
    [],
    readNodeSources(texts),
  )
  return LANGUAGES.typescript.resolveImport({ specifier }, fromPath, index)
}

describe("JavaScript packages", () => {
  test.for([
    ["src/app/main.ts", "#tide", "src/tide/index.ts"],
    ["src/app/main.ts", "#src/tide", "src/tide/index.ts"],
    ["src/app/main.ts", "#src/tide/moon", "src/tide/moon.ts"],
    ["src/app/main.ts", "#test/clock", "test/kit/clock.ts"],
    ["src/app/main.ts", "#out"],
    ["src/app/main.ts", "#unknown"],
    ["src/app/main.ts", "tide/moon", "src/tide/moon.ts"],
    ["src/app/main.ts", "@shore/quay", "packages/quay/src/index.ts"],
    ["src/app/main.ts", "@shore/quay/berth", "packages/quay/src/berth.ts"],
    ["src/app/main.ts", "tug", "packages/tug/index.ts"],
    ["src/app/main.ts", "tug/lib/pull.js", "packages/tug/lib/pull.ts"],
    ["src/app/main.ts", "harbour", "packages/harbour/source/main.ts"],
    ["packages/harbour/app/view.ts", "@/view", "packages/harbour/app/view.ts"],
    ["packages/harbour/app/view.ts", "@/button", "packages/harbour/shared/button.tsx"],
    ["packages/harbour/app/view.ts", "source/main", "packages/harbour/source/main.ts"],
    ["packages/buoy/app/bell.ts", "~/rope", "packages/buoy/own/rope.ts"],
    ["packages/buoy/app/bell.ts", "app/bell", "packages/buoy/app/bell.ts"],
    ["test/fast.test.js", "..", "fast.js"],
    ["test/fast.test.js", "../fast", "fast.js"],
    ["test/deep/close.test.js", "../..", "fast.js"],
    ["test/fast.test.js", "../lib/hooks", "lib/hooks.js"],
    ["src/app/main.ts", "../../lib/hooks", "lib/hooks.ts"],
    ["src/app/main.ts", "@/view"],
    ["src/app/main.ts", "react"],
    ["src/app/main.ts", "node:fs"],
    ["src/app/main.ts", "@shore"],
  ] as const)("[MAP-40] %s imports %s", ([from, specifier, ...paths]) => {
    expect(resolve(from, specifier)).toEqual(paths)
  })

  test("[MAP-40] ignores manifests that are invalid or nested too deeply", () => {
    const deep = `{"imports":${'{"#a":'.repeat(2_000)}1${"}".repeat(2_000)}}`
    for (const text of ["", "[]", "null", "{", '{"imports":[1],"name":7,"exports":null}', deep]) {
      const { packages } = readNodeSources([{ path: "package.json", text }])
      expect(packages.flatMap((it) => [...it.imports.values()].flat())).toEqual([])
    }
  })

  test("[MAP-40] recognises manifests by file name", () => {
    const names = ["package.json", "a/tsconfig.json", "tsconfig.base.json", "jsconfig.json"]
    expect(names.every(isNodeManifest)).toBe(true)
    expect(["my-package.json", "package.json.ts", "composer.json"].some(isNodeManifest)).toBe(false)
  })
})
