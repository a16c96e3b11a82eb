import { expect, test } from "vitest"
import { isAppError, systemRandom } from "#ground/base"
import { type Caller, CredentialRequests, CredentialState } from "#ground/contract"
import { tempDirectory } from "#test/temp"
import { createApp } from "../app.ts"

const { signal } = new AbortController()
const AGENT: Caller = { principal: "owner", client: "codex", session: "host-1" }

async function scene() {
  const folder = await tempDirectory()
  const environment = {
    QM_HOME: `${folder.path}/home`,
    HOME: folder.path,
    PATH: process.env["PATH"],
  }
  const app = await createApp({
    directory: folder.path,
    environment,
    settings: [],
    writeLog: () => {},
  })
  const heard: unknown[] = []
  return {
    heard,
    async ask(input: object, caller: Caller = AGENT) {
      const answer = await app.call("credential.request", input, { signal, caller })
      heard.push(answer)
      return CredentialState.parse(answer)
    },
    call: (name: string, input: object) => app.call(name, input, { signal }),
    open: async () =>
      CredentialRequests.parse(await app.call("credential.requests", {}, { signal })).requests,
    codeOf: (name: string, input: object, caller?: Caller) =>
      app.call(name, input, { signal, ...(caller !== undefined && { caller }) }).then(
        () => "ok",
        (error: unknown) => (isAppError(error) ? error.code : String(error)),
      ),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

const newKey = () => `key-${Buffer.from(systemRandom.bytes(16)).toString("hex")}`
const BRAVE = { name: "brave-search", reason: "to search the web for tides" }

test("[SOURCES-27] an agent asks for a credential, the user gives it, and the agent learns only that it is set", async () => {
  await using it = await scene()
  const value = newKey()
  expect(await it.ask(BRAVE)).toMatchObject({ status: "open", id: expect.any(String) })
  const [request] = await it.open()
  expect(request).toMatchObject({ ...BRAVE, client: "codex", status: "open" })
  // The same request, not a second one.
  expect((await it.ask(BRAVE)).id).toBe(request?.id)
  const waiting = it.ask({ ...BRAVE, wait: 60 })
  await it.call("credential.give", { id: request?.id, value: `${value}\n` })
  expect((await waiting).status).toBe("given")
  expect(await it.ask(BRAVE)).toEqual({ name: "brave-search", status: "set", id: null })
  expect(await it.open()).toEqual([])
  const events = await it.call("events.list", {})
  expect(JSON.stringify([it.heard, events])).not.toContain(value)
  expect(JSON.stringify(events)).toContain("sources.credential")
  expect(await it.codeOf("credential.give", { id: request?.id, value: "again" })).toBe(
    "CREDENTIALS_REQUEST_ANSWERED",
  )
  expect(await it.codeOf("credential.deny", { id: "cr_none" })).toBe(
    "CREDENTIALS_REQUEST_NOT_FOUND",
  )
})

test("[SOURCES-27] a refusal is final for the session, another session may ask, and `set` answers all requests", async () => {
  await using it = await scene()
  await it.ask(BRAVE)
  const [first] = await it.open()
  await it.call("credential.deny", { id: first?.id })
  expect(await it.ask(BRAVE)).toMatchObject({ status: "denied", id: first?.id })
  expect(await it.open()).toEqual([])
  const other = { ...AGENT, session: "host-2" }
  expect((await it.ask(BRAVE, other)).status).toBe("open")
  await it.call("credential.set", { name: "brave-search", value: newKey() })
  expect(await it.open()).toEqual([])
  expect((await it.ask(BRAVE, other)).status).toBe("set")
})

test("[SOURCES-27] an agent cannot replace a credential, read a sign-in, or fill the list of the user", async () => {
  await using it = await scene()
  const value = newKey()
  await it.call("credential.set", { name: "anthropic", value })
  expect((await it.ask({ name: "anthropic", reason: "x" })).status).toBe("set")
  expect(await it.codeOf("credential.request", { name: "oauth.x", reason: "x" }, AGENT)).toBe(
    "APP_INPUT_INVALID",
  )
  for (let at = 0; at < 20; at++) await it.ask({ name: `key-${at}`, reason: "x" })
  expect(await it.codeOf("credential.request", { name: "one-more", reason: "x" }, AGENT)).toBe(
    "CREDENTIALS_TOO_MANY_REQUESTS",
  )
  const hostile = { name: "later", reason: `a\u001b[2J ${value}` }
  const [oldest] = await it.open()
  await it.call("credential.deny", { id: oldest?.id })
  await it.ask(hostile)
  const asked = (await it.open()).find((one) => one.name === "later")
  expect(asked?.reason).not.toContain("\u001b")
  expect(asked?.reason).not.toContain(value)
})
