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
  largeResultBytes: 16 * 1024,
  spending: { isStop: false, dayUsd: 0, weekUsd: 0, monthUsd: 0 },
}

type ConfigFiles = { project?: string | Buffer; user?: string } & Partial<HookConfigPlaces>

async function configOf({ project, user, ...places }: ConfigFiles) {
  await using temp = await tempDirectory()
  const [projectFile, userFile] = [join(temp.path, "project.json"), join(temp.path, "user.json")]
  if (project !== undefined) await writeFile(projectFile, project)
  if (user !== undefined) await writeFile(userFile, user)
  return await readHookConfig({ projectFile, userFile, environment: {}, ...places })
}

describe("readHookConfig", () => {
  test("[GUARD-18] accepts comments, trailing commas and a byte-order mark", async () => {
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

  test("[GUARD-83] spending limits come from the user and the environment, not from a repository", async () => {
    const user = '{ "sessions": { "dayBudget": 5, "stopAtBudget": true } }'
    const project = '{ "sessions": { "dayBudget": 900, "weekBudget": 3, "stopAtBudget": false } }'
    const spending = { isStop: true, dayUsd: 5, weekUsd: 0, monthUsd: 0 }
    expect(await configOf({ user, project })).toMatchObject({ spending })
    const environment = { QM_SESSIONS_WEEK_BUDGET: "7.5", QM_SESSIONS_DAY_BUDGET: "-1" }
    expect(await configOf({ user, environment })).toMatchObject({
      spending: { ...spending, weekUsd: 7.5 },
    })
  })

  test("[GUARD-18] environment overrides project, and project overrides user", async () => {
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
    ["an empty file", ""],
    ["text that is not JSON", "level: 5"],
    ["truncated JSON", '{ "kit": { "level": 5 }'],
    ["an open comment", '{ "kit": { "level": 5 } } /* and'],
    ["an open comment of one star", '{ "kit": { "level": 5 } } /*/'],
    ["an array", '[{ "kit": { "level": 5 } }]'],
    ["null", "null"],
    ["a section of the wrong type", '{ "kit": 5, "guard": [1] }'],
    ["a level out of range", '{ "kit": { "level": 8, "fetch": "no", "ignored": 5 } }'],
    ["a fractional level", '{ "kit": { "level": 2.5 } }'],
    ["a level as a string", '{ "kit": { "level": "5" } }'],
    ["invalid UTF-8", Buffer.from([0x7b, 0xff, 0x7d])],
    ["the key __proto__", '{ "__proto__": { "level": 5 } }'],
    ["a file over 1 MB", `{ "kit": { "level": 5 } }${" ".repeat(1_000_001)}`],
  ])("[GUARD-18] falls back to the defaults for %s", async ([, project]) => {
    expect(await configOf({ project })).toEqual(DEFAULTS)
  })

  test("[GUARD-18] ignores an invalid value and uses the next layer", async () => {
    const user = '{ "kit": { "level": 3 } }'
    expect((await configOf({ user, project: '{ "kit": { "level": 0 } }' })).level).toBe(3)
    expect((await configOf({ user, environment: { QM_KIT_LEVEL: "x" } })).level).toBe(3)
    expect((await configOf({ user, environment: { QM_KIT_LEVEL: "" } })).level).toBe(3)
  })

  test("[GUARD-18] ignores a config path that is a folder or a symlink", async () => {
    await using temp = await tempDirectory()
    const at = (name: string) => join(temp.path, name)
    await mkdir(at("folder"))
    await writeFile(at("real"), '{ "kit": { "level": 5 } }')
    await symlink(at("real"), at("link"))
    expect(await configOf({ projectFile: at("folder"), userFile: at("link") })).toEqual(DEFAULTS)
  })

  test("[GUARD-18] never throws for any text, and returns a level from 1 to 7", async () => {
    const characters = fc.constantFrom(
      ...'{}[]",:/*\\ \n1',
      '"kit"',
      '"level"',
      "5",
      "//",
      "/*",
      "*/",
    )
    const text = fc.string({ unit: characters, maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(text, text, async (project, variable) => {
        const { level } = await configOf({ project, environment: { QM_KIT_LEVEL: variable } })
        expect(level >= 1 && level <= 7).toBe(true)
      }),
      fcParameters({ numRuns: 200 }),
    )
  })

  test("[GUARD-18] reads any text quickly", { timeout: 600_000 }, async () => {
    for (const it of ["/*", '"', ",", "/", '\\"', "{", ", ", '"\\']) {
      expect(await configOf({ project: it.repeat(Math.floor(1_000_000 / it.length)) })).toEqual(
        DEFAULTS,
      )
    }
  })
})

test("[GUARD-18] a comma inside braces does not separate two patterns", () => {
  expect(splitPatterns("a,{b,c}/d, ,*.{ts,js},}x,{y,z")).toEqual([
    "a",
    "{b,c}/d",
    "*.{ts,js}",
    "}x",
    "{y,z",
  ])
  expect(splitPatterns("")).toEqual([])
})

test("[GUARD-18] a list may be a JSON array of texts, in a file and in the environment", async () => {
  await using temp = await tempDirectory()
  const projectFile = join(temp.path, "config.json")
  await writeFile(
    projectFile,
    '{ "guard": { "highRiskPaths": ["a/**", "{b,c}/*"] }, "kit": { "ignored": ["x", 1] } }',
  )
  const environment = { QM_KIT_IMPORTANT: '["src/**", "lib/**"]' }
  const userFile = join(temp.path, "none.json")
  const config = await readHookConfig({ projectFile, userFile, environment })
  expect(config.highRiskPaths).toEqual(["a/**", "{b,c}/*"])
  expect(config.important).toEqual(["src/**", "lib/**"])
  expect(config.ignored).toBeUndefined()
})
