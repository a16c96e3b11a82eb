import { join } from "node:path"
import { beforeAll, describe, expect, test } from "vitest"
import { type Files, plant, REPOSITORY, runScript } from "./plant-files.ts"

const SCRIPT = join(REPOSITORY, "scripts/check.ts")
const NAMES = ["format", "lint", "types", "pages", "tidy", "dead"]

async function check(names: readonly string[], files: Files) {
  await using tree = await plant(files)
  return runScript([SCRIPT, "--root", tree.root, ...names])
}

const USED = 'export { broken } from "./broken.ts"\n'

describe("each check finds its own kind of fault", () => {
  test("[CHECK-1] a clean tree passes every check, with one line each", async () => {
    const { exitCode, stdout } = await check([], {})
    expect(
      stdout
        .replace(/[\d.]+ s +\d+ files/g, "N s N files")
        .split("\n")
        .toSorted(),
    ).toEqual(["", ...NAMES.map((name) => `${name.padEnd(8)} ok      N s N files`)].toSorted())
    expect(exitCode).toBe(0)
  })

  test.each<{ name: string; fault: string; files: Files; says: string }>([
    {
      name: "format",
      fault: "a file that is not formatted",
      files: { "src/see/repo/repo.ts": "export const count = ( ) => 1;\n" },
      says: "Formatter would have printed",
    },
    {
      name: "format",
      fault: "imports out of order",
      files: {
        "src/ground/base/index.ts":
          'import { b } from "./b.ts"\nimport { a } from "./a.ts"\n\nexport const c = a + b\n',
      },
      says: "Sort these imports",
    },
    {
      name: "lint",
      fault: "a promise nobody waits for",
      files: {
        "src/see/repo/broken.ts":
          "async function work(): Promise<void> {}\n\nexport const broken = (): void => {\n  work()\n}\n",
      },
      says: "no-floating-promises",
    },
    {
      name: "types",
      fault: "a type error",
      files: { "src/see/repo/repo.ts": 'export const count: number = "one"\n' },
      says: "TS2322",
    },
    {
      name: "tidy",
      fault: "an import that goes upwards",
      files: { "src/ground/base/number.ts": 'export { count as double } from "#see/repo"\n' },
      says: "ground/base imports upwards: #see/repo",
    },
    {
      name: "dead",
      fault: "a file nobody uses",
      files: { "src/see/repo/forgotten.ts": "export const forgotten = 1\n" },
      says: "src/see/repo/forgotten.ts",
    },
    {
      name: "dead",
      fault: "a value that an index exports and nobody imports",
      files: {
        "src/see/repo/index.ts": 'export { count, spare } from "./repo.ts"\n',
        "src/see/repo/repo.ts":
          'import { double } from "#ground/base"\n\nexport const spare = 2\n\n' +
          "export const count = (): number => double(spare)\n",
      },
      says: "src/see/repo/index.ts:1:17",
    },
    {
      name: "dead",
      fault: "a type that an index exports and nobody imports",
      files: {
        "src/see/repo/index.ts":
          'export type { Amount } from "./repo.ts"\nexport { count } from "./repo.ts"\n',
        "src/see/repo/repo.ts":
          'import { double } from "#ground/base"\n\nexport type Amount = number\n\n' +
          "export const count = (): Amount => double(21)\n",
      },
      says: "src/see/repo/index.ts:1:15",
    },
    {
      name: "pages",
      fault: "a type error in the console",
      files: { "console/src/app/main.tsx": "document.title = 7\n" },
      says: "TS2322",
    },
    {
      name: "dead",
      fault: "a dependency nobody uses",
      files: {
        "package.json":
          '{ "name": "planted", "type": "module", "dependencies": { "zod": "4.6.7" },' +
          ' "imports": { "#ground/*": "./src/ground/*/index.ts", "#see/*": "./src/see/*/index.ts" } }\n',
      },
      says: "zod",
    },
  ])("[CHECK-1] $name finds $fault", async ({ name, files, says }) => {
    const { exitCode, output } = await check([name], files)
    expect(output).toContain(says)
    expect(output).toMatch(new RegExp(`^${name} +FAILED`, "m"))
    expect(exitCode).toBe(1)
  })
})

describe("a check without input fails", () => {
  test("[CHECK-2] each check fails in a tree without sources", async () => {
    const files = { src: null, "console/src": null, "README.md": "# empty\n" }
    const { exitCode, output } = await check(NAMES, files)
    const failed = [...output.matchAll(/^(\w+) +FAILED/gm)].map(([, name = ""]) => name)
    expect(failed.toSorted()).toEqual(NAMES.toSorted())
    expect(exitCode).toBe(1)
  })

  test.each<{ name: string; how: string; files: Files }>([
    {
      name: "format",
      how: "biome is told to leave out src",
      files: {
        "biome.json":
          '{\n  "files": { "includes": ["package.json"] },\n' +
          '  "formatter": { "indentStyle": "space" }\n}\n',
      },
    },
    {
      name: "lint",
      how: "oxlint ignores src",
      files: { ".oxlintrc.json": '{ "ignorePatterns": ["src/**"] }\n' },
    },
    {
      name: "types",
      how: "the compiler includes scripts only",
      files: {
        "tsconfig.json": '{ "compilerOptions": { "noEmit": true }, "include": ["scripts"] }\n',
      },
    },
    {
      name: "dead",
      how: "knip takes scripts for the project",
      files: {
        "knip.json": '{ "entry": ["scripts/**/*.ts"], "project": ["scripts/**/*.ts"] }\n',
      },
    },
  ])("[CHECK-2] $name fails when $how", async ({ name, files }) => {
    const { exitCode, output } = await check([name], files)
    expect(output).toMatch(/saw [0-3] files of at least 4/)
    expect(exitCode).toBe(1)
  })
})

describe("project lint rules", () => {
  const lint = async (path: string, body: string) => {
    const files = { [path]: `${body}\n`, "src/see/repo/index.ts": USED }
    return (await check(["lint"], files)).output
  }

  const faults: readonly { readonly rule: string; readonly body: string }[] = [
    { rule: "house(no-bare-date)", body: "export const broken = new Date()" },
    { rule: "house(begin-immediate)", body: 'export const broken = "BEGIN"' },
    { rule: "house(begin-immediate)", body: "export const broken = `begin deferred; select 1`" },
    {
      rule: "house(sync-predicates)",
      body: "export async function isBroken(): Promise<boolean> {\n  return await Promise.resolve(true)\n}",
    },
    {
      rule: "house(sync-predicates)",
      body: "export function hasBroken(): Promise<boolean> {\n  return Promise.resolve(true)\n}",
    },
    {
      rule: "house(sync-predicates)",
      body: "export const canBreak = async (): Promise<boolean> => await Promise.resolve(true)",
    },
    { rule: "eslint(no-restricted-properties)", body: "export const broken = Date.now()" },
    { rule: "eslint(no-restricted-properties)", body: "export const broken = Math.random()" },
    { rule: "eslint(no-restricted-properties)", body: "export const broken = process.env" },
    {
      rule: "eslint(no-restricted-globals)",
      body: "export const broken = setTimeout(() => {}, 1)",
    },
    {
      rule: "eslint(no-restricted-imports)",
      body: 'import { readFileSync } from "node:fs"\n\nexport const broken = readFileSync',
    },
    {
      rule: "eslint(no-restricted-imports)",
      body: 'import { execFile } from "node:child_process"\n\nexport const broken = execFile',
    },
    {
      rule: "typescript(consistent-type-assertions)",
      body: "export const broken = (value: unknown): string => value as string",
    },
    {
      rule: "eslint(max-params)",
      body: "export const broken = (a: 1, b: 2, c: 3, d: 4): number => a + b + c + d",
    },
    { rule: "import(no-default-export)", body: "export const broken = 1\nexport default broken" },
    { rule: "eslint(no-console)", body: 'export const broken = (): void => console.log("x")' },
  ]
  const fileOf = (at: number) => `src/see/repo/broken-${at}.ts`
  let found: string

  beforeAll(async () => {
    const files = Object.fromEntries(faults.map((it, at) => [fileOf(at), `${it.body}\n`]))
    found = (await check(["lint"], files)).output
  })

  test.each(faults.map((it, at) => ({ ...it, at })))(
    "[CHECK-3] $rule finds: $body",
    ({ rule, at }) => {
      const lines = found.split("\n")
      // The line below the finding has its position.
      const rules = lines.filter((_, line) => lines[line + 1]?.includes(`${fileOf(at)}:`))
      expect(rules.join("\n")).toContain(rule)
    },
  )

  test("[CHECK-3] allowed code passes the project lint rules", async () => {
    const allowed = [
      "export const broken = new Date(0).toISOString()",
      'export const begin = "BEGIN IMMEDIATE"',
      'export const prose = "Begin with the room."',
      'export const trigger = "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END"',
      'export const kinds = ["a", "b"] as const',
      "export const isWhole = (value: number): boolean => Number.isInteger(value)",
      "export async function checkWhole(): Promise<boolean> {\n  return await Promise.resolve(true)\n}",
    ].join("\n")
    expect(await lint("src/see/repo/broken.ts", allowed)).toMatch(/^lint +ok/)
    expect(await lint("src/ground/base/now.ts", "export const now = () => Date.now()")).not.toMatch(
      /no-restricted/,
    )
  })
})
