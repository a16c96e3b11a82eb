import { mkdir, stat, writeFile } from "node:fs/promises"
import path from "node:path"
import { stringify } from "smol-toml"
import { expect, test } from "vitest"
import { systemRandom } from "#ground/base"
import { HOST_NAMES, type HostName } from "#ground/contract"
import { type HostPlace, loadHost, realDisk } from "#see/hosts"
import { restOf } from "#test/run-client"
import { newServer, type ServerFixture } from "#test/server"
import { tempDirectory } from "#test/temp"
import { mcpClient } from "../mcp/client.ts"
import { filesBelow, type Output } from "./canary-search.ts"

/** Plain words, which no rule for secrets would replace. */
const CANARY = "harvest moon over quiet meadows"

/** Private state in the shapes that hosts use: at the top, in groups, in lists and as names. */
function privateState(here: string) {
  const account = { emailAddress: CANARY, organizationName: CANARY }
  return {
    userID: CANARY,
    oauthAccount: account,
    customApiKeyResponses: { approved: [CANARY] },
    copilotTokens: { [`host ${CANARY}`]: CANARY },
    loggedInUsers: [{ login: CANARY }],
    security: { auth: { selectedType: CANARY, enforced: CANARY } },
    projects: {
      [`/other/${CANARY}`]: { trust_level: "trusted", history: [CANARY] },
      [here]: { history: [{ display: CANARY }], lastSessionId: CANARY },
    },
    trustedFolders: [`/other/${CANARY}`],
    trusted_folders: [`/other/${CANARY}`],
    notify: [CANARY],
    mcpServers: { notes: { command: "notes", env: { ACCOUNT: CANARY } } },
    mcp: {
      notes: { command: ["notes"], environment: { ACCOUNT: CANARY }, headers: { A: CANARY } },
    },
    provider: { own: { options: { apiKey: CANARY } } },
    mcp_servers: { notes: { command: "notes", env: { ACCOUNT: CANARY } } },
    aKeyOfTomorrow: { deep: { deeper: CANARY } },
  }
}

/** Every settings or state file below `home` that the host looks for, written with private state. */
async function plantState(name: HostName, place: HostPlace): Promise<readonly string[]> {
  const host = await loadHost(name)
  const planted = new Set<string>()
  // Twice, because a folder that exists makes the host look for more.
  for (let round = 0; round < 2; round++) {
    const { searched } = await host.survey(place, realDisk())
    for (const { path: at } of searched.filter((it) => it.path.startsWith(place.home))) {
      const file = await fileFor(at)
      if (file === undefined || planted.has(file)) continue
      const values = { ...privateState(place.workingDirectory), notes: { of: name } }
      await mkdir(path.dirname(file), { recursive: true })
      await writeFile(file, file.endsWith(".toml") ? stringify(values) : JSON.stringify(values))
      planted.add(file)
    }
  }
  return [...planted]
}

/** A path without an extension is a folder, in which a host may list files of any name. */
async function fileFor(at: string): Promise<string | undefined> {
  const extension = path.extname(path.basename(at).replace(/^\./, ""))
  if (extension === ".json" || extension === ".toml") return at
  const isFile = await stat(at).then(
    (it) => it.isFile(),
    () => false,
  )
  return extension === "" && !isFile ? path.join(at, "state.json") : undefined
}

async function allOutputs(server: ServerFixture): Promise<readonly Output[]> {
  const outputs: Output[] = []
  const get = async (route: string, query: Readonly<Record<string, string>> = {}) => {
    const { text } = await server.ask({ path: `${route}?${new URLSearchParams(query).toString()}` })
    outputs.push({ from: `GET ${route} ${JSON.stringify(query)}`, text })
    return text
  }
  const post = async (operation: string, body: object) => {
    const route = `/api/${operation.replace(".", "/")}`
    const { text } = await server.ask({ method: "POST", path: route, body: JSON.stringify(body) })
    outputs.push({ from: `POST ${operation}`, text })
    return text
  }
  const rest = restOf(server)
  const run = await rest.start("say hello")
  await rest.until(run, (it) => it.status === "completed" || it.status === "failed")
  const messages = JSON.stringify(await rest.messages(run))
  expect(messages).toContain(".claude.json")
  outputs.push({ from: "messages of a run", text: messages })
  for (const format of ["jsonl", "html"]) await get("/api/agents/export", { id: run, format })
  for (const host of HOST_NAMES) {
    const taken = JSON.parse(await post("capture.take", { host, content: true, save: true }))
    const { id, items } = taken.manifest
    for (const item of items) await get("/api/capture/text", { id, path: item.path })
    await get("/api/capture/show", { id, content: "true" })
  }
  const routes = server.serving().routes.filter((it) => it.method === "GET")
  for (const { url } of routes.filter((it) => it.url.startsWith("/api/") && !/[*:]/.test(it.url))) {
    for (const host of HOST_NAMES) await get(url, { host, path: ".", id: run })
  }
  using client = mcpClient({ port: server.port, token: await server.token(), name: "canary" })
  const listed = await client.ask("tools/list", {}, 1)
  const tools = listed.body.result?.["tools"] as readonly { readonly name: string }[]
  for (const { name } of tools) {
    for (const host of HOST_NAMES) {
      const { text, fields } = await client.call(name, { host, content: true })
      outputs.push({ from: `tool ${name}`, text: `${text}${JSON.stringify(fields)}` })
    }
  }
  return outputs
}

test("[H2][CAPTURE-28] private state in every file of every host appears in no output, export, event, tool or store", async () => {
  await using home = await tempDirectory()
  const environment = { HOME: home.path, PATH: "/usr/bin:/bin" }
  await using server = await newServer({ environment })
  const place = {
    workingDirectory: server.directory,
    home: home.path,
    environment,
    platform: "linux",
  } as const
  const planted = new Map<HostName, readonly string[]>()
  for (const name of HOST_NAMES) planted.set(name, await plantState(name, place))
  for (const [name, files] of planted) {
    const { items } = await (await loadHost(name)).survey(place, realDisk())
    const shown = items.filter((it) => files.includes(it.path))
    expect([name, shown.length > 0]).toEqual([name, true])
  }

  const outputs = await allOutputs(server)
  const stored = await filesBelow(server.directory, () => false)
  expect(stored.some((it) => it.from.endsWith("store.db-wal"))).toBe(true)
  const all = [...outputs, ...stored, { from: "log", text: server.logged.join("\n") }]
  expect(all.filter((it) => it.text.includes(CANARY)).map((it) => it.from)).toEqual([])
})

test("[H7][AGENTS-28] a secret in the script of a synthetic run is stored redacted", async () => {
  await using server = await newServer()
  const secret = `ghp_${Buffer.from(systemRandom.bytes(27)).toString("base64").replace(/[+/]/g, "x")}`
  const script = JSON.stringify({ event: "message", text: `use ${secret} here` })
  const rest = restOf(server)
  const run = await rest.start("play", { script })
  await rest.until(run, (it) => it.status === "completed" || it.status === "failed")
  const stored = await filesBelow(server.directory, () => false)
  expect(stored.filter((it) => it.text.includes(secret)).map((it) => it.from)).toEqual([])
})
