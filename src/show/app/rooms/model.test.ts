import { mkdir } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { z } from "zod"
import { tempDirectory } from "#test/temp"
import { createApp } from "../app.ts"

const { signal } = new AbortController()
const KEY = "a key of the provider, for this test only"

const Listed = z.object({
  connections: z.array(z.object({ name: z.string(), hasKey: z.boolean() })),
})

test("[MODEL-20] a connection at an address of its own gets its own key only, at the provider's address also the provider's", async () => {
  await using temp = await tempDirectory()
  const project = path.join(temp.path, "project")
  await mkdir(project)
  const environment = {
    PATH: process.env["PATH"],
    HOME: temp.path,
    QM_HOME: path.join(temp.path, "home"),
    ANTHROPIC_API_KEY: KEY,
  }
  await using app = await createApp({
    directory: project,
    environment,
    settings: [],
    writeLog: () => {},
  })
  const call = (name: string, input: object) => app.call(name, input, { signal })
  const connection = { provider: "anthropic", model: "claude-sonnet-5-5" }
  const baseUrl = "https://models.example"
  await call("connection.add", { ...connection, name: "usual" })
  await call("connection.add", { ...connection, name: "foreign", baseUrl })
  const keys = async () => {
    const { connections } = Listed.parse(await call("connection.list", {}))
    return Object.fromEntries(connections.map((it) => [it.name, it.hasKey]))
  }
  expect(await keys()).toEqual({ usual: true, foreign: false })
  await expect(call("connection.test", { name: "foreign" })).rejects.toMatchObject({
    code: "MODEL_CONNECTION_NO_KEY",
  })
  await call("credential.set", { name: "foreign", value: "a key of its own" })
  expect(await keys()).toEqual({ usual: true, foreign: true })
})
