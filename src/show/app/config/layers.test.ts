import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { type ConfigOutline, outlineConfig } from "#ground/contract"
import { tempDirectory } from "#test/temp"
import { readConfigText } from "./file.ts"
import { type ConfigLayers, createSettings, loadConfig } from "./layers.ts"

const read = (text: string) => readConfigText("config.json", text)
const problemsOf = (text: string) => read(text).problems.map((it) => `${it.place}: ${it.message}`)

describe("readConfigText", () => {
  test("[APP-1] settings have their line; comments and trailing commas are allowed", () => {
    const text = `{
  // how we count
  "$schema": "x",
  "tokens": { "encoding": "o200k", },
  "log": {
    "level": "info"
  }
}`
    expect(read(text)).toEqual({
      settings: [
        { key: "tokens.encoding", value: "o200k", line: 4 },
        { key: "log.level", value: "info", line: 6 },
      ],
      problems: [],
    })
  })

  test.each([
    ["", []],
    [`{ "stroe": {} }`, [`config.json:1:3: unknown key "stroe"; did you mean "store"?`]],
    [
      `{\n  "tokens": { "encodng": "claude" }\n}`,
      [`config.json:2:15: unknown key "tokens.encodng"; did you mean "encoding"?`],
    ],
    [
      `{ "tokens": { "zzz": 1 } }`,
      [`config.json:1:15: unknown key "tokens.zzz"; known keys: encoding, model, window`],
    ],
    [
      `{ "tokens": { "window": 5 } }`,
      [`config.json:1:25: tokens.window must be at least 1,000, got 5`],
    ],
    [
      `{ "tokens": { "window": [5, {"a": null}] } }`,
      [`config.json:1:25: tokens.window must be a number, got [5,{"a":null}]`],
    ],
    [
      `{ "log": { "level": "info" }, "log": {} }`,
      [`config.json:1:31: "log" is set twice; the first is on line 1`],
    ],
    [
      `{ "log": { "level": "info",\n"level": "warn" } }`,
      [`config.json:2:1: "level" is set twice; the first is on line 1`],
    ],
    [`{ "log": 3 }`, [`config.json:1:10: "log" must be an object, found a number`]],
    [`{ "log": null }`, [`config.json:1:10: "log" must be an object, found null`]],
    [`[1]`, [`config.json:1:1: expected an object in braces, found an array`]],
    [`{ "log": `, [`config.json:1:10: not valid JSON: value expected`]],
    [`{ "log" 3 }`, [`config.json:1:9: not valid JSON: colon expected`]],
  ])("[APP-2] %j is reported with its position and reason", (text, problems) =>
    expect(problemsOf(text)).toEqual(problems),
  )

  test("[APP-2] too deep nesting is refused before the parser runs", () => {
    const message = "config.json: nested deeper than 100 levels"
    expect(problemsOf("[".repeat(500_000))).toEqual([message])
    expect(problemsOf('{"a":'.repeat(500_000))).toEqual([message])
  })

  test("[APP-3] the value of a secret setting is never part of a message", () => {
    const [problem] = problemsOf(`{ "store": { "databaseUrl": 12345678 } }`)
    expect(problem).toContain("a hidden value")
    expect(problem).not.toContain("12345678")
  })

  test("[APP-2] control characters in a key are escaped in the message", () => {
    const [problem] = problemsOf(`{ "\\u001b[2Jlog": 1 }`)
    expect(problem).toContain("\\x1b[2Jlog")
  })
})

async function layers(files: { user?: string; project?: string }) {
  const directory = await tempDirectory()
  const userFile = path.join(directory.path, "user.json")
  const projectFile = path.join(directory.path, "project.json")
  if (files.user !== undefined) await writeFile(userFile, files.user)
  if (files.project !== undefined) await writeFile(projectFile, files.project)
  return Object.assign(directory, { userFile, projectFile })
}

describe("loadConfig", () => {
  test("[APP-4] later layers win, and each value has its origin and the layers it hides", async () => {
    await using at = await layers({
      user: `{ "tokens": { "window": 5000, "encoding": "o200k" }, "log": { "level": "info" } }`,
      project: `{ "tokens": { "window": 6000 } }`,
    })
    const loaded = await loadConfig({
      ...at,
      environment: { QM_TOKENS_WINDOW: "7000", QM_LOG_LEVEL: "" },
      flags: ["tokens.window=8000"],
    })
    expect(loaded.problems).toEqual([])
    expect(loaded.config.tokens).toEqual({ window: 8000, encoding: "o200k", model: "" })
    expect(loaded.config.log.level).toBe("info")
    const window = loaded.settings.find((it) => it.field.key === "tokens.window")
    expect([window?.origin, window?.hides]).toEqual([
      { kind: "flag", flag: "--set" },
      [
        { kind: "user", file: at.userFile, line: 1 },
        { kind: "project", file: at.projectFile, line: 1 },
        { kind: "environment", variable: "QM_TOKENS_WINDOW" },
      ],
    ])
    expect(loaded.settings.find((it) => it.field.key === "store.keepBackups")?.origin).toEqual({
      kind: "default",
    })
    expect(Object.isFrozen(loaded.config)).toBe(true)
  })

  test("[APP-2] environment and flags are validated like files", async () => {
    await using at = await layers({})
    const { problems } = await loadConfig({
      ...at,
      environment: { QM_TOKENS_ENCODING: "klingon", QM_TOKENS_WINDOW: "many" },
      flags: ["tokens.windw=1", "log.level", "store.keepBackups=x=y"],
    })
    expect(problems.map((it) => it.place)).toEqual([
      "environment QM_TOKENS_ENCODING",
      "environment QM_TOKENS_WINDOW",
      "flag --set tokens.windw",
      "flag --set log.level",
      "flag --set store.keepBackups",
    ])
    expect(problems[2]?.message).toBe(`unknown key "tokens.windw"; did you mean "tokens.window"?`)
  })

  test("[APP-2] a folder, a binary file and a file of 10 MB are reported as problems", async () => {
    await using at = await layers({})
    await mkdir(at.userFile)
    const load = () => loadConfig({ ...at, environment: {}, flags: [] })
    await writeFile(at.projectFile, Buffer.from([0x7b, 0xff, 0xfe, 0x00]))
    expect((await load()).problems.map((it) => it.message)).toEqual([
      expect.stringContaining("director"),
      expect.stringContaining("not text"),
    ])
    await writeFile(at.projectFile, " ".repeat(10_000_000))
    expect((await load()).problems[1]?.message).toContain("it has 10.0 MB; the limit is 1.0 MB")
  })
})

test("[APP-8] a project file cannot set store.databaseUrl; the user's file can", async () => {
  const text = `{ "store": { "databaseUrl": "postgres://evil.example/x" } }`
  await using at = await layers({ project: text })
  const refused = await loadConfig({ ...at, environment: {}, flags: [] })
  expect(refused.config.store.databaseUrl).toBe("")
  expect(refused.problems).toEqual([
    {
      place: `${at.projectFile}:1`,
      line: 1,
      key: "store.databaseUrl",
      message:
        'a project cannot set "store.databaseUrl"; set it in your own config or in the environment',
    },
  ])
  await using own = await layers({ user: text })
  const loaded = await loadConfig({ ...own, environment: {}, flags: [] })
  expect([loaded.problems, loaded.config.store.databaseUrl]).toEqual([
    [],
    "postgres://evil.example/x",
  ])
})

async function newSettings() {
  const folder = await tempDirectory()
  const userFile = path.join(folder.path, "user.json")
  const projectFile = path.join(folder.path, "project.json")
  const environment = { QM_TOKENS_WINDOW: "7000" }
  const settings = await createSettings({ userFile, projectFile, environment, flags: [] })
  return Object.assign(folder, { settings, userFile })
}

test("[APP-4] a file written later takes effect after reload()", async () => {
  await using fixture = await newSettings()
  const { settings, userFile } = fixture
  await writeFile(userFile, '{ "log": { "level": "error" } }')
  expect([settings.config().log.level, settings.isDefault("log.level")]).toEqual(["warn", true])
  await settings.reload()
  expect([settings.config().log.level, settings.isDefault("log.level")]).toEqual(["error", false])
})

test("[APP-49] without any setting, the built outline gives the config of the schema", async () => {
  await using folder = await tempDirectory()
  const file = (name: string) => path.join(folder.path, name)
  const layers = {
    userFile: file("user"),
    projectFile: file("project"),
    environment: {},
    flags: [],
  }
  const outline: ConfigOutline = JSON.parse(JSON.stringify(outlineConfig()))
  expect(await loadConfig(layers, outline)).toEqual(await loadConfig(layers))
})

test("[APP-49] a file, variable or flag is read beside the built outline", async () => {
  await using folder = await tempDirectory()
  const userFile = path.join(folder.path, "user")
  const none = { userFile, projectFile: `${userFile}-none`, environment: {}, flags: [] }
  // Defaults that the schema does not have show which of the two was used.
  const outline = outlineConfig()
  const odd = { ...outline, defaults: { ...outline.defaults, log: { level: "debug" as const } } }
  const levelOf = async (layers: ConfigLayers) => (await loadConfig(layers, odd)).config.log.level
  expect(await levelOf(none)).toBe("debug")
  expect(await levelOf({ ...none, environment: { QM_LOG_LEVEL: "" } })).toBe("debug")
  expect(await levelOf({ ...none, environment: { QM_LOG_LEVEL: "error" } })).toBe("error")
  expect(await levelOf({ ...none, flags: ["log.level=info"] })).toBe("info")
  await writeFile(userFile, "{}")
  expect(await levelOf(none)).toBe("warn")
})

test("[APP-4] isDefault is false for settings of the environment and for unknown keys", async () => {
  await using fixture = await newSettings()
  const { isDefault } = fixture.settings
  expect([isDefault("tokens.window"), isDefault("server.port"), isDefault("no.key")]).toEqual([
    false,
    true,
    false,
  ])
})

test("[APP-4] config() throws for an invalid file until it is corrected", async () => {
  await using fixture = await newSettings()
  const { settings, userFile } = fixture
  await writeFile(userFile, "{")
  await settings.reload()
  expect(() => settings.config()).toThrow(userFile)
  await writeFile(userFile, "{}")
  await settings.reload()
  expect(settings.config().server.port).toBe(4242)
})
