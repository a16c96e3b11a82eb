import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import path from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { isAppError } from "#ground/base"
import {
  KbWeb,
  SourceAdded,
  SourceAnswer,
  SourceList,
  SourceLogin,
  SourceTemplates,
} from "#ground/contract"
import { type App, createApp } from "#show/app"
import { authorizationServer } from "#test/authorization-server"
import { LAUNCHER } from "#test/qm"
import { tempDirectory } from "#test/temp"
import { modelWires } from "#test/wires"

const ROOT = path.join(import.meta.dirname, "../..")
const context = { signal: new AbortController().signal }

const TEMPLATES = [
  "anthropic",
  "azure-ai-search",
  "azure-deepseek",
  "azure-document-intelligence",
  "azure-embeddings",
  "azure-openai",
  "brave-search",
  "onedrive",
  "outlook",
  "pdf",
  "quartermaster",
  "voyage",
]

type ApiCall = {
  readonly tool: string
  readonly args: object
  /** Exactly this is sent. */
  readonly sends: string
  readonly body?: unknown
  readonly answers: {
    readonly status?: number
    readonly json: unknown
    readonly headers?: Record<string, string>
  }
  readonly reads: string
}

type ApiRow = {
  readonly values: readonly string[]
  readonly host: string
  readonly keyHeader: string
  readonly calls: readonly ApiCall[]
}

const BRAVE = {
  web: { results: [{ title: "Pilots", url: "https://a.example/1", description: "About" }] },
}

/** From the documentation of each service: address, header of the key, requests and responses. */
const APIS: Readonly<Record<string, ApiRow>> = {
  "brave-search": {
    values: [],
    host: "api.search.brave.com",
    keyHeader: "x-subscription-token",
    calls: [
      {
        tool: "search",
        args: { query: "harbour pilots & more", count: 3 },
        sends: "GET /res/v1/web/search?q=harbour+pilots+%26+more&count=3",
        answers: { json: BRAVE },
        reads: "Pilots",
      },
    ],
  },
  "azure-ai-search": {
    values: ["service=contoso", "index=handbook"],
    host: "contoso.search.windows.net",
    keyHeader: "api-key",
    calls: [
      {
        tool: "search",
        args: { query: "pilots", limit: 3, filter: "year gt 2024" },
        sends: "POST /indexes/handbook/docs/search?api-version=2024-07-01",
        body: { search: "pilots", top: 3, filter: "year gt 2024" },
        answers: { json: { value: [{ "@search.score": 1, title: "Pilotage" }] } },
        reads: "Pilotage",
      },
      {
        tool: "read",
        args: { key: "a/../b'c" },
        sends: "GET /indexes/handbook/docs/a%2F..%2Fb%27c?api-version=2024-07-01",
        answers: { json: { title: "One" } },
        reads: "One",
      },
    ],
  },
  "azure-document-intelligence": {
    values: ["resource=contoso-docs"],
    host: "contoso-docs.cognitiveservices.azure.com",
    keyHeader: "ocp-apim-subscription-key",
    calls: [
      {
        tool: "analyze",
        args: { url: "https://a.example/scan.pdf", pages: "1-2" },
        sends:
          "POST /documentintelligence/documentModels/prebuilt-layout:analyze?api-version=2024-11-30&outputContentFormat=markdown&pages=1-2",
        body: { urlSource: "https://a.example/scan.pdf" },
        answers: {
          status: 202,
          json: {},
          headers: { "operation-location": "https://a.example/analyzeResults/42?api-version=1" },
        },
        reads: "operation-location: https://a.example/analyzeResults/42",
      },
      {
        tool: "result",
        args: { id: "42" },
        sends:
          "GET /documentintelligence/documentModels/prebuilt-layout/analyzeResults/42?api-version=2024-11-30",
        answers: { json: { status: "succeeded", analyzeResult: { content: "# Scan" } } },
        reads: "# Scan",
      },
    ],
  },
}

/** One server for all APIs: it answers the next expected request and notes every deviation. */
async function standIn() {
  const seen: string[] = []
  let expected: (ApiCall & { readonly keyHeader: string; readonly key: string }) | undefined
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    seen.push(`${request.method} ${request.url}`)
    const wanted = expected
    const problems = [
      ...(wanted === undefined ? ["nothing is expected"] : []),
      ...(`${request.method} ${request.url}` === wanted?.sends
        ? []
        : [`sent ${request.method} ${request.url}`]),
      ...(request.headers[wanted?.keyHeader ?? ""] === wanted?.key
        ? []
        : ["the key is not in its header"]),
      ...(wanted?.keyHeader !== "authorization" && request.headers.authorization !== undefined
        ? ["the key is in another header too"]
        : []),
      ...(request.url?.includes(wanted?.key ?? " ") === true ? ["the key is in the address"] : []),
      ...(JSON.stringify(wanted?.body) ===
      (body === "" ? undefined : JSON.stringify(JSON.parse(body)))
        ? []
        : [`body ${body}`]),
    ]
    const { status = 200, json, headers = {} } = wanted?.answers ?? { json: {} }
    response.writeHead(problems.length > 0 ? 400 : status, {
      "content-type": "application/json",
      ...headers,
    })
    response.end(JSON.stringify(problems.length > 0 ? { problems } : json))
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    seen,
    expect(call: typeof expected) {
      expected = call
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

let folder: Awaited<ReturnType<typeof tempDirectory>>
let app: App
let service: Awaited<ReturnType<typeof standIn>>
let home: string

beforeAll(async () => {
  folder = await tempDirectory()
  home = path.join(folder.path, "home")
  const directory = path.join(folder.path, "repo")
  await mkdir(directory)
  service = await standIn()
  const environment = {
    QM_HOME: home,
    HOME: folder.path,
    PATH: `${folder.path}/bin:${process.env["PATH"]}`,
  }
  app = await createApp({ directory, environment, settings: [], writeLog: () => {} })
})

afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

const call = (name: string, input: object) => app.call(name, input, context)
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "ok",
    (error: unknown) => (isAppError(error) ? error.code : String(error)),
  )
const key = () => `key-${crypto.randomUUID()}`
const viewOf = async (slug: string) =>
  SourceList.parse(await call("source.list", {})).sources.find((it) => it.slug === slug)

/** The same source with its requests sent to this machine; the user approves that version. */
async function pointAt(slug: string, from: string, to: string): Promise<void> {
  const file = path.join(home, "sources", slug, "config.json")
  const config = await readFile(file, "utf8")
  expect(config).toContain(from)
  await writeFile(file, config.replaceAll(from, to))
  await call("source.approve", { slug })
}

test("[SOURCES-26] every template has a guide that names the commands of its set-up, and none contains a key", async () => {
  const files = await readdir(path.join(ROOT, "templates/sources"))
  expect(files.toSorted()).toEqual(TEMPLATES.map((it) => `${it}.md`))
  const { templates } = SourceTemplates.parse(await call("source.templates", {}))
  expect(templates.map((it) => it.slug)).toEqual(TEMPLATES)
  for (const { slug, guide, values, needs } of templates) {
    expect(guide, slug).toContain(`qm source add ${slug}`)
    expect(needs === "" || guide.includes(needs.split(" ").slice(0, 3).join(" ")), slug).toBe(true)
    for (const { name } of values) expect(guide, slug).toContain(`${name}=`)
  }
  expect(await codeOf(call("source.templates", { template: "nosuch" }))).toBe(
    "SOURCES_TEMPLATE_NOT_FOUND",
  )
})

describe.each(Object.entries(APIS))("%s", (slug, { values, host, keyHeader, calls }) => {
  test("[SOURCES-26] is off until its key is set, then sends what the service documents", async () => {
    const added = SourceAdded.parse(await call("source.add", { template: slug, values }))
    expect(added.next).toEqual([`qm credential set ${slug}`, `qm source test ${slug}`])
    expect(await viewOf(slug)).toMatchObject({ isApproved: true, isReady: false })
    await pointAt(slug, `https://${host}`, service.origin)
    const [first] = calls
    const question = { slug, tool: first?.tool, args: JSON.stringify(first?.args) }
    const before = service.seen.length
    expect(await codeOf(call("source.call", question))).toBe("SOURCES_NO_CREDENTIAL")
    expect(service.seen.length).toBe(before)
    const value = key()
    await call("credential.set", { name: slug, value })
    expect(await viewOf(slug)).toMatchObject({ isReady: true })
    for (const it of calls) {
      service.expect({ ...it, keyHeader, key: value })
      const args = JSON.stringify(it.args)
      const answer = SourceAnswer.parse(await call("source.call", { slug, tool: it.tool, args }))
      expect(answer).toMatchObject({ isError: false, text: expect.stringContaining(it.reads) })
    }
    const missing = SourceAnswer.parse(
      await call("source.call", { slug, tool: first?.tool, args: "{}" }),
    )
    expect(missing).toMatchObject({ isError: true, text: expect.stringContaining("is missing") })
  })
})

test("[SOURCES-26] brave-search answers web searches of the knowledge base", async () => {
  const [search] = APIS["brave-search"]?.calls ?? []
  if (search === undefined) throw new Error("it has a search")
  const value = key()
  await call("credential.set", { name: "brave-search", value })
  const sends = "GET /res/v1/web/search?q=tides&count=3"
  service.expect({ ...search, sends, keyHeader: "x-subscription-token", key: value })
  const found = KbWeb.parse(await call("kb.web", { query: "tides", limit: 3 }))
  expect(found).toMatchObject({
    source: "brave-search",
    results: [{ title: "Pilots", text: "About" }],
  })
})

describe("model connections", () => {
  const ROWS = [
    [
      "anthropic",
      "anthropic",
      ["model=claude-sonnet-5-5"],
      "https://api.anthropic.com",
      "anthropic",
    ],
    [
      "azure-openai",
      "azure-east",
      ["resource=contoso-east", "deployment=gpt-5"],
      "https://contoso-east.openai.azure.com",
      "azure",
    ],
    [
      "azure-openai",
      "azure-west",
      ["resource=contoso-west", "deployment=gpt-5"],
      "https://contoso-west.openai.azure.com",
      "azure",
    ],
    [
      "azure-deepseek",
      "azure-deepseek",
      ["resource=contoso", "deployment=DeepSeek-V3.1"],
      "https://contoso.services.ai.azure.com",
      "openai",
    ],
    [
      "azure-embeddings",
      "azure-embeddings",
      ["resource=contoso", "deployment=embed-3"],
      "https://contoso.openai.azure.com",
      "embeddings",
    ],
    ["voyage", "voyage", ["model=voyage-3.5"], "https://api.voyageai.com", "embeddings"],
  ] as const

  test.each(ROWS)(
    "[SOURCES-26] %s as %s is off until its key is set, then satisfies a strict provider",
    async (...[template, name, values, address, wire]) => {
      await using wires = await modelWires()
      const added = SourceAdded.parse(
        await call("source.add", { template, name, values: [...values] }),
      )
      expect(added.next).toEqual([`qm credential set ${name}`, `qm connection test ${name}`])
      expect(await codeOf(call("connection.test", { name }))).toBe("MODEL_CONNECTION_NO_KEY")
      const file = path.join(home, "connections.json")
      const stored = await readFile(file, "utf8")
      // The provider's own address is not written; it is replaced all the same.
      const pointed =
        template === "anthropic"
          ? stored.replace('"baseUrl": ""', `"baseUrl": "${wires.url}"`)
          : stored.replace(address, wires.url)
      expect(pointed).not.toBe(stored)
      await writeFile(file, pointed)
      await call("credential.set", { name, value: wires.key })
      expect(await call("connection.test", { name })).toMatchObject({ name })
      expect(wires.refusals).toEqual([])
      expect(wires.requests.map((it) => it.wire)).toEqual([wire])
    },
  )
})

describe.each([
  ["onedrive", "Files.Read", { query: "it's" }],
  ["outlook", "Mail.Read", { query: '"harbour"' }],
] as const)("%s", (slug, scope, args) => {
  test("[SOURCES-26] needs a sign-in without a secret, then reads with its token", async () => {
    const paths: string[] = []
    await using graph = await authorizationServer({
      client: "app-1",
      registers: false,
      scopes: [scope, "offline_access"],
      api({ path: asked, query }) {
        paths.push(`${decodeURIComponent(asked)}${query}`)
        return { value: [{ name: "Handbook" }] }
      },
    })
    const values = ["tenant=contoso", "client=app-1"]
    const added = SourceAdded.parse(await call("source.add", { template: slug, values }))
    expect(added.next).toEqual([`qm source login ${slug}`, `qm source test ${slug}`])
    expect(await viewOf(slug)).toMatchObject({ isReady: false, login: "needed" })
    await pointAt(slug, "https://login.microsoftonline.com/contoso/v2.0", graph.origin)
    await pointAt(slug, "https://graph.microsoft.com", graph.origin)
    const question = { slug, tool: "search", args: JSON.stringify(args) }
    expect(await codeOf(call("source.call", question))).toBe("SOURCES_LOGIN_NEEDED")
    const { url } = SourceLogin.parse(await call("source.login", { slug }))
    await fetch(graph.signIn(url ?? "").replace("//localhost:", "//127.0.0.1:"))
    await call("source.login", { slug, wait: true })
    expect(await viewOf(slug)).toMatchObject({ isReady: true, login: "signed in" })
    const answer = SourceAnswer.parse(await call("source.call", question))
    expect(answer).toMatchObject({ isError: false, text: expect.stringContaining("Handbook") })
    graph.expireAccess()
    expect(SourceAnswer.parse(await call("source.call", question)).isError).toBe(false)
    expect(graph.violations).toEqual([])
    expect(paths[0]).toMatch(
      slug === "onedrive" ? /search\(q='it's'\)\?.*\$top=10/ : /messages\?.*\$search="harbour"/,
    )
    await call("source.logout", { slug })
    expect(await viewOf(slug)).toMatchObject({ isReady: false, login: "needed" })
  })
})

test("[SOURCES-26] pdf runs the program that the user names, after its command was approved", async () => {
  const program = path.join(folder.path, "mcp-server-pdf")
  const stub = path.join(ROOT, "src/see/sources/stub-server.sh")
  await writeFile(program, `#!/bin/sh\n[ "$*" = "--stdio" ] || exit 9\nexec sh '${stub}' good\n`)
  await chmod(program, 0o755)
  const added = SourceAdded.parse(
    await call("source.add", { template: "pdf", values: [`program=${program}`] }),
  )
  expect(added.next).toEqual(["qm source list", "qm source approve pdf", "qm source test pdf"])
  const question = { slug: "pdf", tool: "search", args: '{"query":"x"}' }
  expect(await codeOf(call("source.call", question))).toBe("SOURCES_NOT_APPROVED")
  expect(await viewOf("pdf")).toMatchObject({ command: `${program} --stdio` })
  await call("source.approve", { slug: "pdf" })
  expect(await call("source.call", question)).toMatchObject({ text: "found" })
})

test("[SOURCES-26] quartermaster offers its own tools, without those that would call it again", async () => {
  const program = path.join(folder.path, "bin", "qm")
  await mkdir(path.dirname(program))
  await writeFile(program, `#!/bin/sh\nexec '${LAUNCHER}' "$@"\n`)
  await chmod(program, 0o755)
  const added = SourceAdded.parse(await call("source.add", { template: "quartermaster" }))
  expect(added.file).toContain(path.join("repo", ".qm", "sources"))
  await call("source.approve", { slug: "quartermaster" })
  const tested = await call("source.test", { slug: "quartermaster" })
  expect(tested).toMatchObject({ source: { health: expect.stringMatching(/ok|slow/) } })
  const names = SourceList.parse(await call("source.list", {})).sources.find(
    (it) => it.slug === "quartermaster",
  )?.tools
  expect(names).toEqual(expect.arrayContaining(["pack", "search", "kb_hybrid_search"]))
  expect(names?.filter((it) => it.startsWith("source_"))).toEqual([])
})

test("[SOURCES-26] wrong values, unknown templates and taken names are refused and write nothing", async () => {
  const add = (input: object) => codeOf(call("source.add", input))
  const search = { template: "azure-ai-search", name: "other" }
  expect(await add({ template: "nosuch" })).toBe("SOURCES_TEMPLATE_NOT_FOUND")
  expect(await add({ ...search, values: ["service=contoso"] })).toBe(
    "SOURCES_TEMPLATE_VALUE_INVALID",
  )
  for (const service of ["evil.example/x#", "a@b", "a b", "", "a/b"]) {
    const values = [`service=${service}`, "index=handbook"]
    expect(await add({ ...search, values })).toBe("SOURCES_TEMPLATE_VALUE_INVALID")
  }
  expect(await add({ ...search, values: ["index=a", "service=b", "more=c"] })).toBe(
    "SOURCES_TEMPLATE_VALUE_INVALID",
  )
  expect(await add({ template: "brave-search" })).toBe("SOURCES_EXISTS")
  expect(await add({ template: "brave-search", name: "demo-web" })).toBe("SOURCES_EXISTS")
  expect(await viewOf("other")).toBeUndefined()
})
