import { mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { type HookConfigPlaces, readHookConfig, splitPatterns } from "./hook-config.ts"

const DEFAULTS = {
  level: 2,
  mayFetch: true,
  highRiskPaths: [],
  ignored: undefined,
  important: undefined,
  registration: undefined,
}

type Given = { project?: string | Buffer; user?: string } & Partial<HookConfigPlaces>

/** What hooks read when these are the files. */
async function configOf({ project, user, ...places }: Given) {
  await using temp = await tempDirectory()
  const [projectFile, userFile] = [join(temp.path, "project.json"), join(temp.path, "user.json")]
  if (project !== undefined) await writeFile(projectFile, project)
  if (user !== undefined) await writeFile(userFile, user)
  return await readHookConfig({ projectFile, userFile, environment: {}, ...places })
}

describe("what files say", () => {
  test("[GUARD-18] comments, trailing commas and a byte-order mark are no trouble", async () => {
    const text = `\uFEFF{
      // "kit": { "level": 7 },
      "kit": { /* , } */ "level": 5, "fetch": false, "ignored": "// no, /* no */ comment,}", },
      "guard": { "highRiskPaths": "src/{auth,billing}/**, *.sql ,!docs/**", },
    }`
    expect(await configOf({ project: text })).toEqual({
      ...DEFAULTS,
      level: 5,
      mayFetch: false,
      ignored: ["// no", "/* no */ comment", "}"],
      highRiskPaths: ["src/{auth,billing}/**", "*.sql", "!docs/**"],
    })
  })

  test("[GUARD-18] the environment covers the project, and the project the user", async () => {
    const user = '{ "kit": { "level": 3, "fetch": false, "important": "a" } }'
    const project = '{ "kit": { "level": 4 } }'
    expect(await configOf({ user, project })).toMatchObject({ level: 4, mayFetch: false })
    const environment = {
      QM_KIT_LEVEL: "6",
      QM_KIT_FETCH: "true",
      QM_KIT_IMPORTANT: "b,c",
      QM_GUARD_HIGH_RISK_PATHS: "*.sql",
    }
    expect(await configOf({ user, project, environment })).toEqual({
      ...DEFAULTS,
      level: 6,
      important: ["b", "c"],
      highRiskPaths: ["*.sql"],
    })
  })

  test.for<[string, string | Buffer]>([
    ["nothing", ""],
    ["no JSON", "level: 5"],
    ["half of it", '{ "kit": { "level": 5 }'],
    ["an open comment", '{ "kit": { "level": 5 } } /* and'],
    ["an open comment of one star", '{ "kit": { "level": 5 } } /*/'],
    ["an array", '[{ "kit": { "level": 5 } }]'],
    ["null", "null"],
    ["a section that is none", '{ "kit": 5, "guard": [1] }'],
    ["a level that is none", '{ "kit": { "level": 8, "fetch": "no", "ignored": 5 } }'],
    ["half a level", '{ "kit": { "level": 2.5 } }'],
    ["a level in words", '{ "kit": { "level": "5" } }'],
    ["no UTF-8", Buffer.from([0x7b, 0xff, 0x7d])],
    ["a key that is in every object", '{ "__proto__": { "level": 5 } }'],
    ["too much", `{ "kit": { "level": 5 } }${" ".repeat(1_000_001)}`],
  ])("[GUARD-18] %s means the defaults", async ([, project]) => {
    expect(await configOf({ project })).toEqual(DEFAULTS)
  })

  test("[GUARD-18] a value that is wrong takes no part, and the layer below counts", async () => {
    const user = '{ "kit": { "level": 3 } }'
    expect((await configOf({ user, project: '{ "kit": { "level": 0 } }' })).level).toBe(3)
    expect((await configOf({ user, environment: { QM_KIT_LEVEL: "x" } })).level).toBe(3)
    expect((await configOf({ user, environment: { QM_KIT_LEVEL: "" } })).level).toBe(3)
  })

  test("[GUARD-18] a folder and a link are no config", async () => {
    await using temp = await tempDirectory()
    const at = (name: string) => join(temp.path, name)
    await mkdir(at("folder"))
    await writeFile(at("real"), '{ "kit": { "level": 5 } }')
    await symlink(at("real"), at("link"))
    expect(await configOf({ projectFile: at("folder"), userFile: at("link") })).toEqual(DEFAULTS)
  })

  test("[GUARD-18] any text is read without an exception, and gives a level from 1 to 7", async () => {
    const signs = fc.constantFrom(...'{}[]",:/*\\ \n1', '"kit"', '"level"', "5", "//", "/*", "*/")
    const text = fc.string({ unit: signs, maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(text, text, async (project, variable) => {
        const { level } = await configOf({ project, environment: { QM_KIT_LEVEL: variable } })
        expect(level >= 1 && level <= 7).toBe(true)
      }),
      fcParameters({ numRuns: 200 }),
    )
  })

  test("[GUARD-18] no text takes long", { timeout: 300_000 }, async () => {
    for (const it of ["/*", '"', ",", "/", '\\"', "{", ", ", '"\\']) {
      expect(await configOf({ project: it.repeat(Math.floor(1_000_000 / it.length)) })).toEqual(
        DEFAULTS,
      )
    }
  })
})

test("[GUARD-18] a comma inside of braces does not part two patterns", () => {
  expect(splitPatterns("a,{b,c}/d, ,*.{ts,js},}x,{y,z")).toEqual([
    "a",
    "{b,c}/d",
    "*.{ts,js}",
    "}x",
    "{y,z",
  ])
  expect(splitPatterns("")).toEqual([])
})
