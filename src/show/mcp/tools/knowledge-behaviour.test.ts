import { cp } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createApp } from "#show/app"
import { tempDirectory } from "#test/temp"
import { join, read } from "../mcp.fixture.ts"
import { createMcp } from "../mcp.ts"

const NORTHGATE = path.join(import.meta.dirname, "../../../../bench/research/corpus/northgate")

const CALLER = { signal: new AbortController().signal }

/** A real app over standards with guides, called by a real client. */
async function openNorthgate() {
  const temp = await tempDirectory()
  const docs = path.join(temp.path, "docs")
  await cp(NORTHGATE, docs, { recursive: true })
  const app = await createApp({
    directory: temp.path,
    environment: { QM_HOME: path.join(temp.path, "home") },
    settings: [],
    writeLog: () => {},
  })
  await app.call("kb.add", { path: path.join(docs, "guides"), tier: "guide" }, CALLER)
  await app.call("kb.add", { path: docs }, CALLER)
  const client = await join(createMcp({ app, tools: ["knowledge"], version: "1" }), {
    era: "modern",
  })
  const call = async (name: string, given: Record<string, unknown>) =>
    read(await client.callTool({ name: `kb_${name}`, arguments: given }))
  const idOf = async (tool: string, query: string) => {
    const { text } = await call(tool, { query, limit: 1 })
    return /qm:paragraph (\S+)/.exec(text)?.[1] ?? ""
  }
  return {
    call,
    idOf,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]()
      await app[Symbol.asyncDispose]()
      await temp[Symbol.asyncDispose]()
    },
  }
}

let northgate: Awaited<ReturnType<typeof openNorthgate>>
beforeAll(async () => {
  northgate = await openNorthgate()
})
afterAll(() => northgate[Symbol.asyncDispose]())

test("[MCP-17] the search tools find rules, guides, and each tier", async () => {
  const { call } = northgate
  const found = await call("hybrid_search", { query: "How long are recordings kept?", limit: 2 })
  expect(found.text).toContain("The recordings are kept for 180 days")
  expect(found.text).toContain("Access Standard (AS) § 3.3, primary")
  expect(found.text).toContain("Searched by words and related words.")
  const guides = await call("guide_search", { query: "bad night", limit: 3 })
  expect(guides.text).toContain("declare first and think later")
  expect(guides.text).not.toContain(", primary,")
  const tiers = await call("multi_tier_search", { query: "notice to the authority", limit: 2 })
  expect(tiers.text).toContain("Data Handling Policy § 4.1, primary")
  expect(tiers.text).toContain("Customer's Guide § 2.2, guide")
  const hops = await call("hybrid_search", { query: "repair without waiting", limit: 6, hops: 1 })
  expect(hops.text).toContain("Incident Procedure § 4.1")
})

test("[MCP-17] kb_guide_to_primary_hop leads from every guide paragraph to the rules it names", async () => {
  const { call, idOf } = northgate
  const cases = [
    [
      "repair without waiting for a meeting",
      ["Incident Procedure § 4.1", "Change Procedure § 4.1"],
    ],
    ["admin rights vanish after a shift", ["Access Standard (AS) § 3.1"]],
    ["why text messages will not do", ["Access Standard (AS) § 2.2"]],
    ["coffee in the hall boxes", ["Facility Rules § 5.2", "Facility Rules § 3.2"]],
    ["two red nights", ["Backup and Recovery Standard (BRS) § 5.2"]],
    ["information about people has leaked privacy officer", ["Data Handling Policy § 4.1"]],
    ["hear from us within the hour", ["Incident Procedure § 3.2"]],
    ["sorry to see you go", ["Service Terms § 4.1", "Service Terms § 4.2"]],
  ] as const
  for (const [words, rules] of cases) {
    const { text, fields } = await call("guide_to_primary_hop", {
      paragraphs: [await idOf("guide_search", words)],
      limit: 2,
    })
    for (const rule of rules) expect(text, words).toContain(`${rule}, primary`)
    expect(text, words).not.toContain(", guide,")
    expect(fields).toMatchObject({ paragraphs: expect.any(Array) })
  }
})

test("[MCP-17] lists, paragraphs, hops and their explanation", async () => {
  const { call, idOf } = northgate
  const documents = await call("list_documents", {})
  expect(documents.fields).toMatchObject({ documents: { length: 9 } })
  const guides = await call("list_guides", {})
  expect(guides.text).toContain("Operator's Guide")
  expect(guides.text).not.toContain("Service Terms")
  const id = await idOf("hybrid_search", "Copies that leave the building are encrypted")
  const shown = await call("get_paragraph", { id })
  expect(shown.text).toContain("Data Handling Policy § 5.2")
  const hops = await call("hop_retrieve", { paragraphs: [id], limit: 5 })
  expect(hops.text).toContain("Keys are kept apart from the data they protect.")
  const trace = await call("debug_hop_trace", { paragraphs: [id], limit: 5 })
  expect(trace.text).toContain("refers to")
  expect(trace.text).toContain("§ 5.2")
  const status = await call("status", {})
  expect(status.fields).toMatchObject({ documents: 9, stale: 0 })
})

test("[MCP-17] a right answer passes the four checks, and a wrong one fails each", async () => {
  const { call, idOf } = northgate
  const ids = [
    await idOf("hybrid_search", "account of a person who leaves is disabled"),
    await idOf("hybrid_search", "Privileged access is granted for a named task"),
  ]
  const context = await call("format_context", { paragraphs: ids, budget: 500 })
  expect(context.text).toContain('<paragraph label="P1"')
  const right =
    "The account of a person who leaves is disabled on the last working day, at 18:00 at the latest [P1]. Privileged access ends by itself after eight hours [P2]."
  const wrong =
    "The account of a person who leaves is disabled at 22:00 by the Night Captain of Ostmark [P1]. Privileged access ends after nine hours [P3]."
  const isPassed = async (tool: string, answer: string) =>
    (await call(tool, { answer, paragraphs: ids })).fields
  for (const tool of ["entity_verify", "citation_verify"]) {
    expect(await isPassed(tool, right), tool).toMatchObject({ is_passed: true })
    expect(await isPassed(tool, wrong), tool).toMatchObject({ is_passed: false })
  }
  expect(await isPassed("relation_verify", right)).toMatchObject({ is_passed: true })
  const invented = "The Duty Manager approves the Ostmark Treaty of the Night Captain [P1]."
  expect(await isPassed("relation_verify", invented)).toMatchObject({ is_passed: false })
  const opposed =
    "The Duty Manager may lower the severity of an incident [P1]. The Duty Manager may not lower the severity of an incident [P1]."
  expect(await isPassed("contradiction_check", opposed)).toMatchObject({ is_passed: false })
  expect(await isPassed("contradiction_check", right)).toMatchObject({ is_passed: true })
})

test("[MCP-17] kb_web_search without a source says so", async () => {
  const { text, fields } = await northgate.call("web_search", { query: "node" })
  expect(fields).toMatchObject({ source: null, results: [] })
  expect(text).not.toBe("")
})
