import { commit } from "#test/git"
import type { CanaryEntry, CanaryFixture } from "./canary-fixture.ts"
import { type Canary, ofOneLine, textOf, textWithin } from "./canary-search.ts"

async function call(fixture: CanaryFixture, name: string, given: object): Promise<string> {
  const text = await tryCall(fixture, name, given)
  if (text.includes('"isError":true')) throw new Error(`${name} refused: ${text.slice(0, 300)}`)
  return text
}

async function tryCall(fixture: CanaryFixture, name: string, given: object): Promise<string> {
  const params = { name, arguments: { session_id: "canary", ...given } }
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })
  const headers = { accept: "application/json, text/event-stream" }
  const { status, text } = await fixture.ask({ method: "POST", path: "/mcp", headers, body })
  if (status !== 200) throw new Error(`no answer of ${name}: ${status} ${text.slice(0, 300)}`)
  return text
}

const lineOf = (characters: number, canaries: readonly Canary[]) =>
  textWithin(characters, ofOneLine(canaries)).replaceAll("\n", " ")

const handleIn = (text: string, form: RegExp) => form.exec(text)?.[0] ?? "none"

/** The largest list that `return` accepts. */
const MOST_EVIDENCE = 200

/** Branches and returns of agents, results under handles, and memories. */
export const FOLDING: readonly CanaryEntry[] = [
  {
    name: "a branch, its notes and what it gives back",
    async put(fixture, canaries) {
      const text = textWithin(9_000, canaries)
      const short = lineOf(450, canaries)
      const scope = ofOneLine(canaries)
        .slice(0, 3)
        .map((it) => it.text)
      const opened = await call(fixture, "branch", { description: short, prompt: text, scope })
      const branch_id = handleIn(opened, /br_[0-9a-f]{32}/)
      await call(fixture, "branch_status", { branch_id, progress: textWithin(1_900, canaries) })
      await call(fixture, "search", { query: short })
      const lines = ofOneLine(canaries).map((it) => it.text)
      const message = textWithin(48_000, canaries)
      const [evidence, files] = [lines.slice(0, MOST_EVIDENCE), lines.slice(MOST_EVIDENCE - 5)]
      const more = { evidence, files, open_questions: lines.slice(5, 9) }
      await call(fixture, "return", { branch_id, message, ...more, extract_memory: true })
      await call(fixture, "read_handle", { handle: branch_id, lines: 500 })
      for (const operation of ["fold.show", "fold.restore"])
        await fixture.get(operation, { id: branch_id })
      await fixture.get("fold.tree")
      await fixture.get("fold.list", { all: "true" })
      await fixture.get("fold.search", { words: "redacted" })
      await fixture.qm(["fold", "show", branch_id])
    },
  },
  {
    name: "a session, a decision and an override",
    async put(fixture, canaries) {
      const lines = ofOneLine(canaries).map((it) => it.text)
      const part = textWithin(9_000, canaries)
      const entry = { slug: "canary", request: part, done: lines, decisions: lines.slice(0, 5) }
      await fixture.post("session.register", { ...entry, finalState: part })
      const title = lineOf(150, canaries)
      await fixture.post("decision.add", {
        title,
        context: part,
        decision: part,
        consequences: part,
      })
      await fixture.post("guard.override", { paths: ["README.md"], reason: lineOf(400, canaries) })
      for (const operation of ["session.list", "decision.list", "guard.verdicts"])
        await fixture.get(operation)
      await fixture.qm(["guard", "--json"])
    },
  },
  {
    name: "a branch that ends by force",
    async put(fixture, canaries) {
      const text = textWithin(9_000, canaries)
      const opened = await call(fixture, "branch", { description: "x", prompt: text, budget: 1 })
      const branch_id = handleIn(opened, /br_[0-9a-f]{32}/)
      await call(fixture, "branch_status", { branch_id, progress: textWithin(1_900, canaries) })
      await tryCall(fixture, "search", { query: lineOf(450, canaries) })
      await call(fixture, "branch_status", { branch_id })
      await fixture.post("fold.end", { sessionId: "canary" })
    },
  },
  {
    name: "a large result under a handle",
    async put(fixture, canaries) {
      const notes = `# Harbour\n\n${textOf(canaries)}\n${"harbour masters keep ledgers. ".repeat(900)}\n`
      await fixture.write("project/docs/harbour.md", "")
      commit(fixture.user.project, "harbour", { "docs/harbour.md": notes })
      await fixture.post("map.scan", { mode: "incremental" })
      const given = { task: "harbour masters", target: ["docs/harbour.md"], budget: 20_000 }
      const packed = await call(fixture, "pack", given)
      const handle = handleIn(packed, /rh_[0-9a-f]{32}/)
      await call(fixture, "read_handle", { handle, lines: 2_000 })
      await call(fixture, "read_handle", { handle, query: "redacted" })
    },
  },
  {
    name: "what is remembered, by an agent and by a person",
    async put(fixture, canaries) {
      const [title, body] = [lineOf(110, canaries), textWithin(9_000, canaries)]
      await call(fixture, "memory_record", { kind: "fix", title, body, description: title })
      await fixture.post("memory.record", {
        kind: "rule",
        title: "A rule",
        body: `By hand.\n${body}`,
      })
      await call(fixture, "memory_search", { query: "rule by hand" })
      await fixture.get("memory.list")
      await fixture.get("memory.search", { words: "rule by hand" })
      await fixture.qm(["memory"])
      await fixture.qm([
        "memory",
        "add",
        title,
        `On the terminal: ${lineOf(300, canaries)}`,
        "--kind",
        "term",
      ])
    },
  },
  {
    name: "calls of tools that are refused",
    async put(fixture, canaries) {
      const lines = ofOneLine(canaries).map((it) => it.text)
      await tryCall(fixture, "return", { branch_id: lines[0], message: textOf(canaries) })
      await tryCall(fixture, "branch", { description: textOf(canaries), prompt: "x" })
      await tryCall(fixture, "read_handle", { handle: lines[1] })
      await tryCall(fixture, "search", { query: "x", limit: lines[2] })
      await tryCall(fixture, "memory_record", { kind: lines[3], title: "x", body: "y" })
    },
  },
]
