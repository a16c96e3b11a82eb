import { mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { type App, createApp } from "../app.ts"

async function newApp() {
  const temp = await tempDirectory()
  const app = await createApp({
    directory: temp.path,
    environment: { QM_HOME: path.join(temp.path, "home") },
    settings: [],
    writeLog: () => {},
  })
  const close = app[Symbol.asyncDispose].bind(app)
  return Object.assign(app, {
    async [Symbol.asyncDispose]() {
      await close()
      await temp[Symbol.asyncDispose]()
    },
  })
}

const signal = new AbortController().signal
type SettingTuple = readonly [key: string, value: string, layer?: "user" | "project"]
const set = (app: App, ...[key, value, layer = "user"]: SettingTuple) =>
  app.call("config.set", { key, value, layer }, { signal })
const unset = (app: App, key: string, layer = "user") =>
  app.call("config.unset", { key, layer }, { signal })
const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8)

async function changesOf(app: App): Promise<readonly unknown[]> {
  const { journal } = await app.store()
  const { entries } = await journal.readNewest({ limit: 100, namePrefix: "config." })
  return entries.map((it) => it.body)
}

const COMMENTED = `{
  // why we count so
  "tokens": {
    "window": 9000, // a small one
  },
  /* the rest */
  "log": { "level": "info" }
}
`

async function writeUserFile(app: App, text: string): Promise<string> {
  const { userConfig } = app.places
  await mkdir(path.dirname(userConfig), { recursive: true })
  await writeFile(userConfig, text)
  return userConfig
}

describe("config.set and config.unset", () => {
  test("[APP-4] the new value is used at once, and the result has its origin", async () => {
    await using app = await newApp()
    expect(await set(app, "tokens.window", "9000")).toMatchObject({
      key: "tokens.window",
      value: 9000,
      origin: expect.stringContaining(`user file ${app.places.userConfig}`),
    })
    expect([app.config().tokens.window, app.isDefault("tokens.window")]).toEqual([9000, false])
    await unset(app, "tokens.window")
    expect([app.config().tokens.window, app.isDefault("tokens.window")]).toEqual([200_000, true])
  })

  test("[APP-4] comments and all other content of the file stay unchanged", async () => {
    await using app = await newApp()
    const file = await writeUserFile(app, COMMENTED)
    await set(app, "tokens.window", "8000")
    expect(await readFile(file, "utf8")).toBe(COMMENTED.replace("9000", "8000"))
    await set(app, "store.keepBackups", "3")
    await unset(app, "store.keepBackups")
    const after = await readFile(file, "utf8")
    for (const kept of ["// why we count so", "// a small one", "/* the rest */", '"info"']) {
      expect(after).toContain(kept)
    }
  })

  test("[S9] the user's file has mode 0600 and the project's 0644, under any umask", async () => {
    const before = process.umask(0)
    try {
      await using app = await newApp()
      await set(app, "log.level", "error")
      await set(app, "log.level", "info", "project")
      const { userConfig, projectConfig } = app.places
      expect([await modeOf(userConfig), await modeOf(projectConfig)]).toEqual(["600", "644"])
    } finally {
      process.umask(before)
    }
  })

  test("[APP-4] each change emits one event without the value", async () => {
    await using app = await newApp()
    await set(app, "log.level", "error")
    await set(app, "tokens.window", "5000", "project")
    await unset(app, "log.level")
    expect(await changesOf(app)).toEqual([
      { key: "log.level", layer: "user", isSet: true },
      { key: "tokens.window", layer: "project", isSet: true },
      { key: "log.level", layer: "user", isSet: false },
    ])
  })

  test("[APP-4] unsetting a missing setting changes nothing and emits nothing", async () => {
    await using app = await newApp()
    expect(await unset(app, "log.level")).toMatchObject({ origin: "default" })
    expect(await changesOf(app)).toEqual([])
    await expect(readFile(app.places.userConfig)).rejects.toMatchObject({ code: "ENOENT" })
  })

  test("[APP-8] config.set refuses store.databaseUrl in the project's file", async () => {
    await using app = await newApp()
    const url = "postgres://u@127.0.0.1/d"
    await expect(set(app, "store.databaseUrl", url, "project")).rejects.toMatchObject({
      code: "CONFIG_INVALID",
    })
    await expect(readFile(app.places.projectConfig)).rejects.toMatchObject({ code: "ENOENT" })
  })

  test("[APP-4] a setting is written even if the store cannot be reached", async () => {
    await using app = await newApp()
    await set(app, "store.databaseUrl", "postgres://u:p@127.0.0.1:1/d")
    expect(await set(app, "log.level", "error")).toMatchObject({ value: "error" })
  })

  test("[APP-4] a secret setting is written and never shown", async () => {
    await using app = await newApp()
    const url = `postgres://u:pw-${process.pid}@127.0.0.1/d`
    await app.store()
    expect(await set(app, "store.databaseUrl", url)).toMatchObject({ value: "[hidden]" })
    expect(JSON.stringify(await changesOf(app))).not.toContain(`pw-${process.pid}`)
  })
})

describe("config.set on refused values and unusual files", () => {
  test.each([
    ["tokens.window", "many", "CONFIG_INVALID"],
    ["tokens.window", "5", "CONFIG_INVALID"],
    ["log.level", "loud", "CONFIG_INVALID"],
    ["tokens.windw", "9000", "CONFIG_KEY_UNKNOWN"],
    ["tokens", "9000", "CONFIG_KEY_UNKNOWN"],
    ["__proto__.polluted", "1", "CONFIG_KEY_UNKNOWN"],
  ])("[APP-4] %s = %s is refused, and the file is unchanged", async (key, value, code) => {
    await using app = await newApp()
    const file = await writeUserFile(app, COMMENTED)
    await expect(set(app, key, value)).rejects.toMatchObject({ code })
    expect(await readFile(file, "utf8")).toBe(COMMENTED)
    expect(await changesOf(app)).toEqual([])
  })

  test.each(["{", '{ "stroe": {} }', '{ "log": 3 }'])(
    "[APP-4] an invalid file is not changed: %s",
    async (text) => {
      await using app = await newApp()
      const file = await writeUserFile(app, text)
      await expect(set(app, "log.level", "info")).rejects.toMatchObject({ code: "CONFIG_INVALID" })
      expect(await readFile(file, "utf8")).toBe(text)
    },
  )

  test("[APP-4] a config file that is a symbolic link is refused, and its target is unchanged", async () => {
    await using app = await newApp()
    const { userConfig } = app.places
    await mkdir(path.dirname(userConfig), { recursive: true })
    const elsewhere = path.join(path.dirname(userConfig), "elsewhere.json")
    await writeFile(elsewhere, "{}\n")
    await symlink(elsewhere, userConfig)
    await expect(set(app, "log.level", "info")).rejects.toMatchObject({ code: "CONFIG_INVALID" })
    expect(await readFile(elsewhere, "utf8")).toBe("{}\n")
  })

  test("[APP-4] an empty file is valid, and the new setting is written into it", async () => {
    await using app = await newApp()
    const file = await writeUserFile(app, "  \n")
    await set(app, "log.level", "info")
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ log: { level: "info" } })
  })
})

test("[APP-52] `secrets.patterns` of the user hides texts of these formats; a repository cannot set it", async () => {
  await using app = await newApp()
  const text = "the key is acme_plainwords here"
  expect(await app.redact(text)).toBe(text)
  await set(app, "secrets.patterns", "acme_[a-z]{6,20}")
  await using next = await createApp({
    directory: app.places.repository.root,
    environment: { QM_HOME: app.places.home },
    settings: [],
    writeLog: () => {},
  })
  expect(await next.redact(text)).toMatch(/^the key is \[redacted: own-pattern [0-9a-f]{4}\] here$/)
  await expect(set(app, "secrets.patterns", "(a+)+$")).rejects.toThrow("pattern 1")
  await expect(set(app, "secrets.patterns", "acme_x", "project")).rejects.toThrow(
    "secrets.patterns",
  )
})

test("[APP-1] a list setting accepts a JSON array of texts, by command, in a file and as a flag", async () => {
  await using app = await newApp()
  const key = "guard.highRiskPaths"
  expect(await set(app, key, '["src/a/**", "{b,c}/*"]', "project")).toMatchObject({
    value: "src/a/**, {b,c}/*",
  })
  const file = app.places.projectConfig
  await writeFile(file, '{ "guard": { "highRiskPaths": ["x/**", "y"] } }')
  await set(app, "board.checks", '["npm test", "npm run lint"]')
  const shown = async (name: string) => await app.call("config.show", { key: name }, { signal })
  expect(await shown(key)).toMatchObject({ settings: [{ value: "x/**, y" }] })
  expect(await shown("board.checks")).toMatchObject({
    settings: [{ value: "npm test; npm run lint" }],
  })
  for (const wrong of ["[1]", '["a, b"]', '[["a"]]'])
    await expect(set(app, key, wrong)).rejects.toMatchObject({ code: "CONFIG_INVALID" })
  await expect(set(app, "log.level", '["info"]')).rejects.toMatchObject({ code: "CONFIG_INVALID" })
})
