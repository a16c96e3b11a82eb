import { AgentsApprovals } from "#ground/contract"
import { commit } from "#test/git"
import type { CanaryEntry, CanaryFixture } from "./canary-fixture.ts"
import { FOLDING } from "./canary-folding.ts"
import { GATEWAY } from "./canary-gateway.ts"
import { OPERATION_INPUTS } from "./canary-operations.ts"
import { PIPELINES } from "./canary-pipelines.ts"
import { type Canary, ofOneLine, textOf, textWithin } from "./canary-search.ts"

const upTo = (characters: number, canaries: readonly Canary[]) =>
  canaries.filter((it) => it.text.length <= characters)

/**
 * A script is stored with its run, because the agent needs it. It is not a leak here: escapes break
 * the secrets in it, and only the agent's message has them complete.
 */
function scriptOf(events: readonly object[]): string {
  const lines = events.map((it) => JSON.stringify(it)).join("\n")
  return lines.replace(/[\w+/=!@#$%^*?.~-]{8}/g, (run) => {
    const last = run.charCodeAt(7).toString(16).padStart(4, "0")
    return `${run.slice(0, 7)}\\u${last}`
  })
}

async function played(fixture: CanaryFixture, events: readonly object[], prompt = "work") {
  const id = await fixture.start({ prompt, script: scriptOf(events) })
  await fixture.ended(id)
  return id
}

function activity(index: number, text: string): readonly [object, object] {
  const shared = { activityId: `a${index}` }
  const tool = { kind: "command", tool: "Bash", title: text, path: text }
  const diff = `--- a/x\n+++ b/x\n@@ -1,0 +1,1 @@\n+${text.replaceAll("\n", "\n+")}\n`
  return [
    { event: "activity.started", ...shared, ...tool, input: JSON.stringify({ command: text }) },
    { event: "activity.ended", ...shared, outcome: "done", output: text, diff },
  ]
}

const done = { event: "turn.ended", outcome: "completed" }

const TALKING: readonly CanaryEntry[] = [
  {
    name: "the prompt of a run",
    isQueued: true,
    async put(fixture, canaries) {
      const id = await played(fixture, [done], `use ${textOf(canaries)}`)
      for (const operation of ["show", "messages", "context", "timeline", "turns", "parts"])
        await fixture.get(`agents.${operation}`, { id })
    },
  },
  {
    name: "the first line of a prompt, which is its title",
    isQueued: true,
    async put(fixture, canaries) {
      for (const { text } of ofOneLine(canaries).slice(0, 5)) await played(fixture, [done], text)
      await fixture.get("agents.list")
    },
  },
  {
    name: "a further turn",
    isQueued: true,
    async put(fixture, canaries) {
      const id = await played(fixture, [done])
      await fixture.post("agents.send", { id, text: textOf(canaries) })
      await fixture.ended(id)
    },
  },
  {
    name: "what an agent says",
    async put(fixture, canaries) {
      const text = textOf(canaries)
      const id = await played(fixture, [
        ...canaries.map((it) => ({ event: "message", type: "assistant", text: it.text })),
        { event: "message", type: "system", text },
        { ...done, text },
      ])
      for (const format of ["jsonl", "html"]) await fixture.get("agents.export", { id, format })
      await fixture.post("agents.handoff", { id })
      await fixture.qm(["runs", "messages", id])
    },
  },
  {
    name: "what an agent says bit by bit",
    async put(fixture, canaries) {
      const pieces = textOf(canaries).match(/[^]{1,7}/g) ?? []
      const deltas = pieces.map((text) => ({ event: "text.delta", text }))
      await played(fixture, [
        ...deltas,
        { event: "message", type: "assistant", text: "said" },
        done,
      ])
    },
  },
  {
    name: "what an agent says bit by bit and never ends",
    async put(fixture, canaries) {
      const pieces = textOf(canaries).match(/[^]{1,7}/g) ?? []
      const deltas = pieces.map((text) => ({ event: "text.delta", text }))
      await played(fixture, [...deltas, { event: "turn.ended", outcome: "failed" }])
    },
  },
  {
    name: "what tools are given and give back",
    async put(fixture, canaries) {
      const id = await played(
        fixture,
        [...canaries.entries()].flatMap(([index, it]) => activity(index, it.text)).concat(done),
      )
      // By lines: host adapters buffer a line until it is complete, the synthetic agent does not.
      const pieces = canaries.map((it) => ({
        event: "activity.updated",
        activityId: "a0",
        output: `${it.text}\n\n`,
      }))
      const [begun, ended] = activity(0, textWithin(8_000, canaries))
      await played(fixture, [begun, ...pieces, ended, done])
      await fixture.qm(["runs", "context", id])
    },
  },
  {
    name: "what an agent asks, and the answer",
    async put(fixture, canaries) {
      const text = textOf(canaries)
      const asked = { event: "approval.requested", approvalId: "q", tool: "Bash" }
      const input = JSON.stringify({ command: text })
      const script = scriptOf([{ ...asked, title: text, input }, done])
      const id = await fixture.start({ prompt: "ask", script })
      for (;;) {
        const { text: listed } = await fixture.get("agents.approvals")
        const [approval] = AgentsApprovals.parse(JSON.parse(listed)).approvals
        if (approval === undefined) continue
        const note = textWithin(1_900, canaries)
        await fixture.post("agents.answer", { id: approval.id, decision: "deny", note })
        break
      }
      await fixture.post("agents.stop", { id })
    },
  },
  {
    name: "errors of an agent",
    async put(fixture, canaries) {
      const text = textOf(canaries)
      await played(fixture, [
        { event: "error", message: text },
        { event: "context.file", path: text, reason: text },
        { event: "context.compacted", trigger: text },
        { event: "turn.ended", outcome: "failed", error: text },
      ])
      await played(fixture, [{ event: "error", message: text, isFatal: true }])
    },
  },
  {
    name: "variables of a run",
    async put(fixture, canaries) {
      const env = canaries.slice(0, 100).map((it, at) => `V${at}=${it.text}`)
      await fixture.ended(await fixture.start({ prompt: "x", script: JSON.stringify(done), env }))
    },
  },
  {
    name: "titles and labels",
    async put(fixture, canaries) {
      const id = await played(fixture, [done])
      const labels = upTo(60, ofOneLine(canaries)).map((it) => it.text)
      for (const { text } of upTo(200, ofOneLine(canaries)).slice(0, 6)) {
        await fixture.post("agents.edit", { id, title: text, workflow: labels[0] })
      }
      await fixture.post("agents.edit", { id, label: labels.slice(0, 20) })
      await fixture.get("agents.list", { label: labels[0] ?? "", text: labels[1] ?? "" })
      await fixture.qm(["runs", "edit", id, "--title", labels[2] ?? ""])
    },
  },
]

const REPOSITORY: readonly CanaryEntry[] = [
  {
    name: "instruction files and settings of hosts",
    async put(fixture, canaries) {
      const text = textOf(canaries)
      for (const name of ["CLAUDE.md", "AGENTS.md", "GEMINI.md", ".github/copilot-instructions.md"])
        await fixture.write(`project/${name}`, text)
      const server = { command: "x", args: canaries.map((it) => it.text), env: { A: text } }
      await fixture.write("project/.mcp.json", JSON.stringify({ mcpServers: { x: server } }))
      await fixture.write("project/.claude/settings.json", JSON.stringify({ env: { A: text } }))
      for (const host of ["claude-code", "codex", "copilot", "gemini"]) {
        await fixture.post("capture.take", { path: fixture.user.project, host, content: true })
        await fixture.get("capture.settings", { path: fixture.user.project, host })
      }
      await fixture.get("capture.show", { id: "last", content: "true" })
      await fixture.qm(["capture", "--content"])
      await played(fixture, [done])
    },
  },
  {
    name: "source files and their history",
    async put(fixture, canaries) {
      const lines = ofOneLine(canaries).map(
        (it, at) => `# ${it.text}\nV${at} = ${JSON.stringify(it.text)}\n`,
      )
      const files = {
        "src/shop.py": `def total():\n    """${textOf(canaries)}"""\n    return 1\n\n${lines.join("\n")}`,
        "docs/keys.md": `# Keys of the shop\n\n${textOf(canaries)}\n`,
      }
      for (const name of Object.keys(files)) await fixture.write(`project/${name}`, "")
      commit(fixture.user.project, `total of the shop\n\n${textOf(canaries)}`, files)
      await fixture.post("map.scan", {})
      await fixture.get("map.tree", { folder: "src" })
      await fixture.get("map.show", { what: "src/shop.py" })
      await fixture.get("search.find", { words: "total of the shop keys" })
      const target = ["src/shop.py", "docs/keys.md"]
      for (const format of ["summary", "markdown", "xml", "json"])
        await fixture.post("pack.build", {
          task: "total of the shop",
          target,
          full: target,
          format,
        })
      await fixture.qm(["pack", "total of the shop", "--target", "src/shop.py"])
      const id = await fixture.start({ prompt: "go", pack: "last", script: JSON.stringify(done) })
      await fixture.ended(id)
    },
  },
  {
    name: "the task of a package, and what is asked of map and search",
    async put(fixture, canaries) {
      const text = textOf(canaries)
      const short = upTo(90, ofOneLine(canaries)).map((it) => it.text)
      const [role = "", domain = "", what = ""] = short
      await fixture.post("pack.build", { task: text })
      await fixture.post("pack.build", { task: text, role, domain, session: what })
      await fixture.post("pack.build", { task: "x", target: short.slice(0, 30) })
      await fixture.get("pack.list")
      await fixture.get("pack.show", { id: "last" })
      await fixture.get("pack.show", { id: what })
      for (const words of short.slice(0, 30)) await fixture.get("search.find", { words })
      await fixture.get("search.find", { words: textWithin(6_000, canaries) })
      await fixture.get("map.show", { what })
      await fixture.get("map.tree", { filter: what })
      await fixture.get("map.tree", { folder: what })
    },
  },
]

const ID = "11111111-1111-4111-8111-111111111111"

const TAKEN_IN: readonly CanaryEntry[] = [
  {
    name: "a session that is imported",
    async put(fixture, canaries) {
      const id = await played(fixture, [
        { event: "message", type: "assistant", text: "PLACE" },
        done,
      ])
      const { text } = await fixture.get("agents.export", { id, format: "jsonl" })
      const exported: { text: string } = JSON.parse(text)
      const words = JSON.stringify(textOf(canaries)).slice(1, -1)
      const raw = exported.text.replaceAll("PLACE", words).replaceAll('"work"', `"${words}"`)
      await fixture.write("project/in.jsonl", raw)
      await fixture.qm(["runs", "import", "in.jsonl"])
      await fixture.write("project/bad.jsonl", textOf(canaries))
      await fixture.qm(["runs", "import", "bad.jsonl"])
    },
  },
  {
    name: "a host's transcript",
    async put(fixture, canaries) {
      const text = textOf(canaries)
      const { project } = fixture.user
      const place = { sessionId: ID, cwd: project, version: "2.1.0", isSidechain: false }
      const at = { timestamp: new Date(1_700_000_000_000).toISOString() }
      const said = (role: string, content: unknown) => ({
        ...place,
        ...at,
        type: role,
        message: { role, id: "msg_1", model: "m", content, stop_reason: "end_turn" },
      })
      const use = { type: "tool_use", id: "t1", name: "Bash", input: { command: text } }
      const result = { type: "tool_result", tool_use_id: "t1", content: text }
      const lines = [
        said("user", text),
        said("assistant", [{ type: "text", text }]),
        said("assistant", [use]),
        said("user", [result]),
      ].map((it) => JSON.stringify(it))
      const slug = project.replace(/[^a-zA-Z0-9]/g, "-")
      await fixture.write(
        `home/.claude/projects/${slug}/${ID}.jsonl`,
        `${lines.join("\n")}\n${text}\n`,
      )
      await fixture.get("agents.sessions")
      await fixture.post("agents.read", { session: ID })
    },
  },
]

const MISTAKES: readonly CanaryEntry[] = [
  {
    name: "settings",
    async put(fixture, canaries) {
      const short = upTo(150, ofOneLine(canaries)).map((it) => it.text)
      for (const value of short.slice(0, 10)) {
        await fixture.post("config.set", { key: "log.level", value, layer: "user" })
        await fixture.post("config.set", { key: value, value, layer: "user" })
      }
      const [level = "", key = "", given = "", override = ""] = short.slice(10)
      await Promise.all([
        fixture.qm(["config", "set", "log.level", level]),
        fixture.qm(["config", "set", key, "1"]),
        fixture.qm(["runs", "--set", `log.level=${given}`]),
        fixture.qm(["runs", "--set", override]),
      ])
      await fixture.get("config.show")
      await fixture.get("config.check")
    },
  },
  {
    name: "requests that are refused",
    async put(fixture, canaries) {
      const one = ofOneLine(canaries).map((it) => it.text)
      const [first = "", second = "", third = ""] = upTo(90, ofOneLine(canaries)).map(
        (it) => it.text,
      )
      await fixture.ask({ path: `/api/${encodeURIComponent(first)}` })
      await fixture.ask({ path: `/${encodeURIComponent(second)}` })
      await fixture.ask({ method: "POST", path: "/api/agents/start", body: textOf(canaries) })
      for (const id of one.slice(0, 12)) {
        await fixture.get("agents.show", { id })
        await fixture.get("capture.show", { id })
        await fixture.post("agents.start", { type: id, prompt: "x" })
        await fixture.post("agents.start", { type: "synthetic", prompt: "x", cwd: id })
        await fixture.post("agents.start", { type: "synthetic", prompt: "x", [id]: id, mode: id })
        await fixture.post("agents.answer", { id, decision: "allow" })
        await fixture.post("capture.take", { path: id, host: third })
        await fixture.post("agents.import", { file: id })
        await fixture.post("agents.read", { session: id })
      }
      await fixture.ask({
        path: "/api/agents/list",
        headers: { "x-note": first, cookie: `a=${second}` },
      })
      await fixture.post("tokens.count", { text: textOf(canaries) })
    },
  },
  {
    name: "commands that are refused",
    async put(fixture, canaries) {
      const short = upTo(90, ofOneLine(canaries)).map((it) => it.text)
      const at = (index: number) => short[index] ?? ""
      const commands = [
        [at(0)],
        ["runs", "show", at(1)],
        ["runs", `--${at(2)}`],
        ["runs", "--limit", at(3)],
        ["map", "show", at(5)],
        ["capture", at(6)],
        ["capture", "--host", at(7)],
        ["-C", at(9), "runs"],
        ["search", at(11), at(12)],
      ]
      await Promise.all(commands.map((it) => fixture.qm(it)))
    },
  },
]

const COMMANDED: readonly CanaryEntry[] = [
  {
    name: "the prompt of a command",
    isQueued: true,
    async put(fixture, canaries) {
      const played = ["--agent", "synthetic", "--script", JSON.stringify(done)]
      await fixture.qm(["run", textOf(canaries), ...played])
    },
  },
  {
    name: "known values, said by person, agent and files",
    isQueued: true,
    async put(fixture) {
      const text = `The values are ${fixture.known.map((it) => it.text).join(" and ")}.`
      await fixture.write("project/CLAUDE.md", text)
      await fixture.post("capture.take", { path: fixture.user.project, content: true })
      await played(fixture, [{ event: "message", type: "assistant", text }, done], text)
      const files = { "docs/values.md": `# Values\n\n${text}\n` }
      await fixture.write("project/docs/values.md", "")
      commit(fixture.user.project, "values", files)
      await fixture.post("pack.build", { task: text, target: ["docs/values.md"], format: "xml" })
      await fixture.get("search.find", { words: "values" })
    },
  },
]

/** Every input of the product. A room that takes text adds its row here. */
export const CANARY_ENTRIES: readonly CanaryEntry[] = [
  ...TALKING,
  ...REPOSITORY,
  ...TAKEN_IN,
  ...MISTAKES,
  ...COMMANDED,
  ...FOLDING,
  ...PIPELINES,
  ...GATEWAY,
  ...OPERATION_INPUTS,
]

export async function lookAround(fixture: CanaryFixture): Promise<void> {
  for (const operation of ["agents.list", "capture.list", "pack.list", "config.show", "now.show"])
    await fixture.get(operation)
  await fixture.get("events.list", { limit: "1000" })
  await fixture.get("guidelines.list")
  await fixture.qm(["events", "--json"])
  await fixture.qm(["doctor"])
}
