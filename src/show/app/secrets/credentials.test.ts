import { readFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { systemClock, systemRandom } from "#ground/base"
import { credentialOperations } from "#ground/contract"
import { createCredentials } from "#ground/secrets"
import { tempDirectory } from "#test/temp"
import { StoreMissing } from "../errors.ts"
import { credentialHandlers } from "./credentials.ts"

const context = { signal: new AbortController().signal }

test("[CREDENTIALS-2] credential operations accept a value and never return it", async () => {
  await using home = await tempDirectory()
  const credentials = createCredentials({
    directory: home.path,
    clock: systemClock,
    random: systemRandom,
  })
  const { set, remove, list } = credentialHandlers({
    credentials: async () => credentials,
    requests: () => Promise.reject(StoreMissing({ file: "none" })),
    sessionKey: async (session) => session,
    clock: systemClock,
  })
  const value = `fake-${Buffer.from(systemRandom.bytes(12)).toString("hex")}`
  // Like `printenv KEY | qm credential set x`.
  const said = await set({ name: "x", value: `${value}\n` }, context)
  expect(await credentials.use("x")).toBe(value)
  expect(said.credentials).toEqual([{ name: "x", setAt: expect.any(Number) }])
  const told = JSON.stringify([said, await list({}, context)])
  expect(told).not.toContain(value)
  expect(await readFile(path.join(home.path, "credentials.json"), "utf8")).not.toContain(value)
  await expect(set({ name: "x" }, context)).rejects.toThrow("the value is empty")
  expect((await remove({ name: "x" }, context)).credentials).toEqual([])
  const forAgents = Object.values(credentialOperations).filter((it) =>
    it.surfaces.some((one) => one === "mcp"),
  )
  expect(forAgents.map((it) => it.name)).toEqual(["credential.request"])
})
