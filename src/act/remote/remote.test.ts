import { afterEach, expect, test } from "vitest"
import { silentLog, systemClock } from "#ground/base"
import type { RemoteMessage, RemoteRun, RemoteState } from "#ground/contract"
import { sql } from "#ground/store"
import { newServer, type ServerFixture } from "#test/server"
import { noteSeen } from "./queries.ts"
import { type LocalRepository, type RunnerDeps, runRunner } from "./runner.ts"
import { checkServerUrl, createServerClient } from "./server-client.ts"

const ID = `rn_${"a".repeat(32)}`
const NEVER = new AbortController().signal

const ends: AbortController[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end.abort()
})

async function personToken(server: ServerFixture, name: string): Promise<string> {
  const context = { signal: NEVER }
  await server.app().call("people.invite", { name, role: "operator" }, context)
  const issued = await server.app().call("people.issue", { name }, context)
  return (issued as { token: string }).token
}

/** A repository whose agent writes these messages and ends. */
function repository(name: string, texts: readonly string[]) {
  const started: string[] = []
  const ids = new Map<string, string>()
  const all = texts.map(
    (text, at): RemoteMessage => ({ seq: at + 1, kind: "assistant", text, at: 1 }),
  )
  const local: LocalRepository = {
    name,
    shares: async () => ["board"],
    find: async (runId) => ids.get(runId),
    start: async (run) => {
      ids.set(run.id, `run_${started.push(run.prompt)}`)
      return ids.get(run.id) ?? ""
    },
    stop: async () => {},
    messages: async (_, after) => all.filter((it) => it.seq > after),
    outcome: async () => ({ state: "done", note: "" }),
    items: async (kind) => [{ repository: name, kind, id: "t1", title: "Ticket", text: "open" }],
  }
  return { local, started }
}

function runner(server: ServerFixture, token: string, more: Partial<RunnerDeps> = {}) {
  const end = new AbortController()
  ends.push(end)
  const client = createServerClient({ url: `http://${server.host}`, token, signal: end.signal })
  const done = runRunner({
    id: ID,
    name: "laptop",
    server: client,
    repositories: [],
    consent: async () => undefined,
    clock: systemClock,
    log: silentLog,
    signal: end.signal,
    say: () => {},
    ...more,
  })
  done.catch(() => {})
  return { done, client, stop: () => end.abort() }
}

async function until<Value>(ask: () => Promise<Value | undefined>): Promise<Value> {
  for (;;) {
    const value = await ask()
    if (value !== undefined) return value
    await systemClock.sleep(50)
  }
}

const call = <Value>(server: ServerFixture, name: string, input: object = {}) =>
  server.app().call(name, input, { signal: NEVER }) as Promise<Value>

async function startOn(server: ServerFixture, repositoryName: string): Promise<RemoteRun> {
  const input = { runner: ID, repository: repositoryName, prompt: "Paint it", type: "synthetic" }
  return until(() => call<RemoteRun>(server, "remote.start", input).catch(() => undefined))
}

const inState = (server: ServerFixture, id: string, state: RemoteState) =>
  until(async () => {
    const { runs } = await call<{ runs: RemoteRun[] }>(server, "remote.runs")
    return runs.find((it) => it.id === id && it.state === state)
  })

test("[REMOTE-3] [REMOTE-4] with consent a run starts once, and its messages arrive once and in order", {
  timeout: 300_000,
}, async () => {
  await using server = await newServer()
  const token = await personToken(server, "ada")
  const texts = Array.from({ length: 250 }, (_, at) => `message ${at}`)
  const { local, started } = repository("shop", texts)
  const first = runner(server, token, { repositories: [local] })
  const run = await startOn(server, "shop")
  await inState(server, run.id, "done")
  expect(started).toEqual(["Paint it"])
  const read = async (after: number) =>
    (await call<{ messages: RemoteMessage[] }>(server, "remote.messages", { id: run.id, after }))
      .messages
  expect((await read(0)).map((it) => it.text)).toEqual(texts)
  // A runner that lost its connection after the server had stored a page sends the page again.
  const again = texts.slice(0, 3).map((text, at) => ({
    run: run.id,
    seq: at + 1,
    kind: "assistant",
    text,
    at: 1,
  }))
  await first.client.report({ id: ID, states: [], messages: again, items: [] })
  expect(await read(0)).toHaveLength(250)
  const shared = await until(async () => {
    const { items } = await call<{ items: object[] }>(server, "remote.shared")
    return items.length > 0 ? items : undefined
  })
  expect(shared).toMatchObject([{ repository: "shop", kind: "board", id: "t1" }])
})

test("[REMOTE-3] without consent, and outside the offered repositories, nothing starts", {
  timeout: 300_000,
}, async () => {
  await using server = await newServer()
  const token = await personToken(server, "ada")
  const { local, started } = repository("shop", ["x"])
  const { client } = runner(server, token, {
    repositories: [local],
    consent: async () => "the user refused",
  })
  const run = await startOn(server, "shop")
  expect(await inState(server, run.id, "denied")).toMatchObject({ note: "the user refused" })
  const elsewhere = { runner: ID, repository: "etc", prompt: "read", type: "synthetic" }
  await expect(call(server, "remote.start", elsewhere)).rejects.toMatchObject({
    code: "REMOTE_REPOSITORY_NOT_OFFERED",
  })
  const outside = { ...elsewhere, repository: "../../etc" }
  await expect(call(server, "remote.start", outside)).rejects.toThrow(/letters, digits/)
  // The server of a person who means harm may list more than the machine has.
  await client.attach({ id: ID, name: "laptop", repositories: [{ name: "etc", shares: [] }] })
  const forced = await call<RemoteRun>(server, "remote.start", elsewhere)
  expect(await inState(server, forced.id, "denied")).toMatchObject({
    note: "the repository is not shared",
  })
  expect(started).toEqual([])
})

test("[REMOTE-4] a run that an ended runner had started is continued by the next, not started again", {
  timeout: 300_000,
}, async () => {
  await using server = await newServer()
  const token = await personToken(server, "ada")
  const { local, started } = repository("shop", ["one", "two"])
  // Ended after the run was stored here and before the server heard of it.
  const hung = Promise.withResolvers<void>()
  const first = runner(server, token, {
    repositories: [
      {
        ...local,
        start: async (run) => {
          await local.start(run)
          hung.resolve()
          return new Promise(() => {})
        },
      },
    ],
  })
  const run = await startOn(server, "shop")
  await hung.promise
  first.stop()
  runner(server, token, { repositories: [local] })
  await inState(server, run.id, "done")
  expect(started).toEqual(["Paint it"])
  const { messages } = await call<{ messages: RemoteMessage[] }>(server, "remote.messages", {
    id: run.id,
  })
  expect(messages.map((it) => it.text)).toEqual(["one", "two"])
})

test("[REMOTE-3] a run that the server stops while its question is open is not started", {
  timeout: 300_000,
}, async () => {
  await using server = await newServer()
  const token = await personToken(server, "ada")
  const { local, started } = repository("shop", ["x"])
  const asked = Promise.withResolvers<void>()
  const { promise, resolve } = Promise.withResolvers<undefined>()
  runner(server, token, {
    repositories: [local],
    consent: async (_, signal) => {
      asked.resolve()
      signal.addEventListener("abort", () => resolve(undefined))
      return promise
    },
  })
  const run = await startOn(server, "shop")
  await asked.promise
  await call(server, "remote.stop", { id: run.id })
  await inState(server, run.id, "stopped")
  expect(started).toEqual([])
})

test("[REMOTE-1] [REMOTE-5] a revoked token ends the runner, and another person cannot use its id", {
  timeout: 300_000,
}, async () => {
  await using server = await newServer()
  const [token, other] = [await personToken(server, "ada"), await personToken(server, "bob")]
  const first = runner(server, token)
  await until(async () => {
    const { runners } = await call<{ runners: object[] }>(server, "remote.list")
    return runners.length > 0 ? true : undefined
  })
  const foreign = runner(server, other)
  await expect(foreign.done).rejects.toMatchObject({ code: "REMOTE_REFUSED" })
  await call(server, "people.revoke", { name: "ada" })
  await expect(first.done).rejects.toMatchObject({ code: "REMOTE_REFUSED" })
})

test("[REMOTE-2] a run needs a connected machine, and a mode that asks there", {
  timeout: 300_000,
}, async () => {
  await using server = await newServer()
  const token = await personToken(server, "ada")
  const { local } = repository("shop", ["x"])
  const input = { runner: ID, repository: "shop", prompt: "Paint it", type: "synthetic" }
  await expect(call(server, "remote.start", input)).rejects.toMatchObject({
    code: "REMOTE_RUNNER_NOT_FOUND",
  })
  const { stop, done } = runner(server, token, { repositories: [local] })
  await startOn(server, "shop")
  for (const mode of ["edits", "auto"])
    await expect(call(server, "remote.start", { ...input, mode })).rejects.toThrow(/mode/)
  stop()
  await done
  const longAgo = sql`${Date.now() - 3_600_000}`
  await (await server.store()).db.run(noteSeen(ID, longAgo))
  await expect(call(server, "remote.start", input)).rejects.toMatchObject({
    code: "REMOTE_RUNNER_AWAY",
  })
})

test("[REMOTE-4] [REMOTE-5] a run goes on while the server is away, is forwarded afterwards, and stops on request", {
  timeout: 300_000,
}, async () => {
  await using server = await newServer()
  const token = await personToken(server, "ada")
  const { local, started } = repository("shop", ["one", "two"])
  let state: "working" | "stopped" = "working"
  runner(server, token, {
    repositories: [
      {
        ...local,
        stop: async () => {
          state = "stopped"
        },
        outcome: async () => (state === "working" ? undefined : { state, note: "" }),
      },
    ],
  })
  const run = await startOn(server, "shop")
  await inState(server, run.id, "running")
  await server.restart()
  await call(server, "remote.stop", { id: run.id })
  await inState(server, run.id, "stopped")
  expect(started).toEqual(["Paint it"])
  const { messages } = await call<{ messages: RemoteMessage[] }>(server, "remote.messages", {
    id: run.id,
  })
  expect(messages.map((it) => it.text)).toEqual(["one", "two"])
})

test("[REMOTE-6] a server off this machine needs https", () => {
  expect(checkServerUrl("https://qm.example.org/")).toBe("https://qm.example.org")
  expect(checkServerUrl("http://127.0.0.1:4242")).toBe("http://127.0.0.1:4242")
  const refused = ["http://qm.example.org", "http://127.0.0.1.example.org", "ftp://127.0.0.1", "x"]
  for (const url of [...refused, "https://a:b@qm.example.org"])
    expect(() => checkServerUrl(url)).toThrow(/neither https/)
})
