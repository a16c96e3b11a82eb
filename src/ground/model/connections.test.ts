import { readFile, stat, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { isAppError } from "#ground/base"
import { Config, type ModelConnection } from "#ground/contract"
import { tempDirectory } from "#test/temp"
import { createConnectionFile, settingsOf } from "./connections.ts"

const EAST: ModelConnection = {
  name: "east",
  provider: "azure",
  model: "gpt-5",
  baseUrl: "https://contoso-east.openai.azure.com",
  apiVersion: "",
  purpose: "answers",
  credential: "east",
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "ok",
    (error: unknown) => (isAppError(error) ? error.code : String(error)),
  )

async function scene() {
  const folder = await tempDirectory()
  const file = path.join(folder.path, "home", "connections.json")
  return Object.assign(folder, { file, connections: createConnectionFile(file) })
}

test("[MODEL-19] several connections are stored in a private file without keys, replaced by name and removed", async () => {
  await using it = await scene()
  const { connections, file } = it
  expect(await connections.list()).toEqual([])
  const west = { ...EAST, name: "west", credential: "west" }
  await Promise.all([connections.put(EAST), connections.put(west)])
  expect((await connections.list()).map((one) => one.name).toSorted()).toEqual(["east", "west"])
  await connections.put({ ...EAST, model: "gpt-6" })
  expect(await connections.find("east")).toMatchObject({ model: "gpt-6" })
  await connections.remove("west")
  expect(await codeOf(connections.find("west"))).toBe("MODEL_CONNECTION_NOT_FOUND")
  await expect(connections.find("esat")).rejects.toMatchObject({
    hint: expect.stringContaining("Did you mean east?"),
  })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test("[MODEL-19] an address that would reveal the key is refused, and an unreadable file is never replaced", async () => {
  await using it = await scene()
  const wrong = ["http://a.example", "https://name:word@a.example", "no address"]
  for (const baseUrl of wrong) {
    expect(await codeOf(it.connections.put({ ...EAST, baseUrl }))).toBe("MODEL_ADDRESS_INVALID")
  }
  expect(await codeOf(it.connections.put({ ...EAST, baseUrl: "" }))).toBe(
    "MODEL_CONNECTION_NO_ADDRESS",
  )
  await it.connections.put(EAST)
  await writeFile(it.file, "{")
  expect(await codeOf(it.connections.put(EAST))).toBe("MODEL_CONNECTIONS_UNREADABLE")
  expect(await readFile(it.file, "utf8")).toBe("{")
})

test("[MODEL-19] at most 100 connections are stored", async () => {
  await using it = await scene()
  await it.connections.put(EAST)
  const many = Array.from({ length: 100 }, (_, at) => ({ ...EAST, name: `n${at}` }))
  await writeFile(it.file, JSON.stringify({ version: 1, connections: many }))
  expect(await codeOf(it.connections.put(EAST))).toBe("MODEL_TOO_MANY_CONNECTIONS")
})

test("[MODEL-19] a connection replaces provider, model and address of the settings, and keeps the others", () => {
  const { model } = Config.parse({ model: { provider: "anthropic", retries: 7, effort: "high" } })
  expect(settingsOf(EAST, model)).toEqual({
    ...model,
    provider: "azure",
    name: "gpt-5",
    baseUrl: EAST.baseUrl,
  })
  expect(settingsOf({ ...EAST, apiVersion: "2026-01-01" }, model).apiVersion).toBe("2026-01-01")
})
