import { AgentsApprovals } from "#ground/contract"
import { commit } from "#test/git"
import { FOLDING } from "./canary-folding.ts"
import { GATEWAY } from "./canary-gateway.ts"
import { PIPELINES } from "./canary-pipelines.ts"
import { type Canary, ofOneLine, textOf, textWithin } from "./canary-search.ts"
import type { CanaryEntry, CanaryWorld } from "./canary-world.ts"

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

async function played(world: CanaryWorld, events: readonly object[], prompt = "work") {
  const id = await world.start({ prompt, script: scriptOf(events) })
  await world.ended(id)
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
    async put(world, canaries) {
      const id = await played(world, [done], `use ${textOf(canaries)}`)
      for (const operation of ["show", "messages", "context", "timeline", "turns", "parts"])
        await world.get(`agents.${operation}`, { id })
    },
  },
  {
    name: "the first line of a prompt, which is its title",
    isQueued: true,
    async put(world, canaries) {
      for (const { text } of ofOneLine(canaries).slice(0, 5)) await played(world, [done], text)
      await world.get("agents.list")
    },
  },
  {
    name: "a further turn",
    isQueued: true,
    async put(world, canaries) {
      const id = await played(world, [done])
      await world.post("agents.send", { id, text: textOf(canaries) })
      await world.ended(id)
    },
  },
  {
    name: "what an agent says",
    async put(world, canaries) {
      const text = textOf(canaries)
      const id = await played(world, [
        ...canaries.map((it) => ({ event: "message", type: "assistant", text: it.text })),
        { event: "message", type: "system", text },
        { ...done, text },
      ])
      for (const format of ["jsonl", "html"]) await world.get("agents.export", { id, format })
      await world.post("agents.handoff", { id })
      await world.qm(["runs", "messages", id])
    },
  },
  {
    name: "what an agent says bit by bit",
    async put(world, canaries) {
      const pieces = textOf(canaries).match(/[^]{1,7}/g) ?? []
      const deltas = pieces.map((text) => ({ event: "text.delta", text }))
      await played(world, [...deltas, { event: "message", type: "assistant", text: "said" }, done])
    },
  },
  {
    name: "what an agent says bit by bit and never ends",
    async put(world, canaries) {
      const pieces = textOf(canaries).match(/[^]{1,7}/g) ?? []
      const deltas = pieces.map((text) => ({ event: "text.delta", text }))
      await played(world, [...deltas, { event: "turn.ended", outcome: "failed" }])
    },
  },
  {
    name: "what tools are given and give back",
    async put(world, canaries) {
      const id = await played(
        world,
        [...canaries.entries()].flatMap(([index, it]) => activity(index, it.text)).concat(done),
      )
      // By lines: host adapters buffer a line until it is complete, the synthetic agent does not.
      const pieces = canaries.map((it) => ({
        event: "activity.updated",
        activityId: "a0",
        output: `${it.text}\n\n`,
      }))
      const [begun, ended] = activity(0, textWithin(8_000, canaries))
      await played(world, [begun, ...pieces, ended, done])
      await world.qm(["runs", "context", id])
    },
  },
  {
    name: "what an agent asks, and the answer",
    async put(world, canaries) {
      const text = textOf(canaries)
      const asked = { event: "approval.requested", approvalId: "q", tool: "Bash" }
      const input = JSON.stringify({ command: text })
      const script = scriptOf([{ ...asked, title: text, input }, done])
      const id = await world.start({ prompt: "ask", script })
      for (;;) {
        const { text: listed } = await world.get("agents.approvals")
        const [approval] = AgentsApprovals.parse(JSON.parse(listed)).approvals
        if (approval === undefined) continue
        const note = textWithin(1_900, canaries)
        await world.post("agents.answer", { id: approval.id, decision: "deny", note })
        break
      }
      await world.post("agents.stop", { id })
    },
  },
  {
    name: "errors of an agent",
    async put(world, canaries) {
      const text = textOf(canaries)
      await played(world, [
        { event: "error", message: text },
        { event: "context.file", path: text, reason: text },
        { event: "context.compacted", trigger: text },
        { event: "turn.ended", outcome: "failed", error: text },
      ])
      await played(world, [{ event: "error", message: text, isFatal: true }])
    },
  },
  {
    name: "variables of a run",
    async put(world, canaries) {
      const env = canaries.slice(0, 100).map((it, at) => `V${at}=${it.text}`)
      await world.ended(await world.start({ prompt: "x", script: JSON.stringify(done), env }))
    },
  },
  {
    name: "titles and labels",
    async put(world, canaries) {
      const id = await played(world, [done])
      const labels = upTo(60, ofOneLine(canaries)).map((it) => it.text)
      for (const { text } of upTo(200, ofOneLine(canaries)).slice(0, 6)) {
        await world.post("agents.edit", { id, title: text, workflow: labels[0] })
      }
      await world.post("agents.edit", { id, label: labels.slice(0, 20) })
      await world.get("agents.list", { label: labels[0] ?? "", text: labels[1] ?? "" })
      await world.qm(["runs", "edit", id, "--title", labels[2] ?? ""])
    },
  },
]

const REPOSITORY: readonly CanaryEntry[] = [
  {
    name: "instruction files and settings of hosts",
    async put(world, canaries) {
      const text = textOf(canaries)
      for (const name of ["CLAUDE.md", "AGENTS.md", "GEMINI.md", ".github/copilot-instructions.md"])
        await world.write(`project/${name}`, text)
      const server = { command: "x", args: canaries.map((it) => it.text), env: { A: text } }
      await world.write("project/.mcp.json", JSON.stringify({ mcpServers: { x: server } }))
      await world.write("project/.claude/settings.json", JSON.stringify({ env: { A: text } }))
      for (const host of ["claude-code", "codex", "copilot", "gemini"]) {
        await world.post("capture.take", { path: world.user.project, host, content: true })
        await world.get("capture.settings", { path: world.user.project, host })
      }
      await world.get("capture.show", { id: "last", content: "true" })
      await world.qm(["capture", "--content"])
      await played(world, [done])
    },
  },
  {
    name: "source files and their history",
    async put(world, canaries) {
      const lines = ofOneLine(canaries).map(
        (it, at) => `# ${it.text}\nV${at} = ${JSON.stringify(it.text)}\n`,
      )
      const files = {
        "src/shop.py": `def total():\n    """${textOf(canaries)}"""\n    return 1\n\n${lines.join("\n")}`,
        "docs/keys.md": `# Keys of the shop\n\n${textOf(canaries)}\n`,
      }
      for (const name of Object.keys(files)) await world.write(`project/${name}`, "")
      commit(world.user.project, `total of the shop\n\n${textOf(canaries)}`, files)
      await world.post("map.scan", {})
      await world.get("map.tree", { folder: "src" })
      await world.get("map.show", { what: "src/shop.py" })
      await world.get("search.find", { words: "total of the shop keys" })
      const target = ["src/shop.py", "docs/keys.md"]
      for (const format of ["summary", "markdown", "xml", "json"])
        await world.post("pack.build", { task: "total of the shop", target, full: target, format })
      await world.qm(["pack", "total of the shop", "--target", "src/shop.py"])
      const id = await world.start({ prompt: "go", pack: "last", script: JSON.stringify(done) })
      await world.ended(id)
    },
  },
  {
    name: "the task of a package, and what is asked of map and search",
    async put(world, canaries) {
      const text = textOf(canaries)
      const short = upTo(90, ofOneLine(canaries)).map((it) => it.text)
      const [role = "", domain = "", what = ""] = short
      await world.post("pack.build", { task: text })
      await world.post("pack.build", { task: text, role, domain, session: what })
      await world.post("pack.build", { task: "x", target: short.slice(0, 30) })
      await world.get("pack.list")
      await world.get("pack.show", { id: "last" })
      await world.get("pack.show", { id: what })
      for (const words of short.slice(0, 30)) await world.get("search.find", { words })
      await world.get("search.find", { words: textWithin(6_000, canaries) })
      await world.get("map.show", { what })
      await world.get("map.tree", { filter: what })
      await world.get("map.tree", { folder: what })
    },
  },
]

const ID = "11111111-1111-4111-8111-111111111111"

const TAKEN_IN: readonly CanaryEntry[] = [
  {
    name: "a session that is imported",
    async put(world, canaries) {
      const id = await played(world, [{ event: "message", type: "assistant", text: "PLACE" }, done])
      const { text } = await world.get("agents.export", { id, format: "jsonl" })
      const exported: { text: string } = JSON.parse(text)
      const words = JSON.stringify(textOf(canaries)).slice(1, -1)
      const raw = exported.text.replaceAll("PLACE", words).replaceAll('"work"', `"${words}"`)
      await world.write("project/in.jsonl", raw)
      await world.qm(["runs", "import", "in.jsonl"])
      await world.write("project/bad.jsonl", textOf(canaries))
      await world.qm(["runs", "import", "bad.jsonl"])
    },
  },
  {
    name: "a host's transcript",
    async put(world, canaries) {
      const text = textOf(canaries)
      const { project } = world.user
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
      await world.write(
        `home/.claude/projects/${slug}/${ID}.jsonl`,
        `${lines.join("\n")}\n${text}\n`,
      )
      await world.get("agents.sessions")
      await world.post("agents.read", { session: ID })
    },
  },
]

const MISTAKES: readonly CanaryEntry[] = [
  {
    name: "settings",
    async put(world, canaries) {
      const short = upTo(150, ofOneLine(canaries)).map((it) => it.text)
      for (const value of short.slice(0, 10)) {
        await world.post("config.set", { key: "log.level", value, layer: "user" })
        await world.post("config.set", { key: value, value, layer: "user" })
      }
      const [level = "", key = "", given = "", override = ""] = short.slice(10)
      await Promise.all([
        world.qm(["config", "set", "log.level", level]),
        world.qm(["config", "set", key, "1"]),
        world.qm(["runs", "--set", `log.level=${given}`]),
        world.qm(["runs", "--set", override]),
      ])
      await world.get("config.show")
      await world.get("config.check")
    },
  },
  {
    name: "requests that are refused",
    async put(world, canaries) {
      const one = ofOneLine(canaries).map((it) => it.text)
      const [first = "", second = "", third = ""] = upTo(90, ofOneLine(canaries)).map(
        (it) => it.text,
      )
      await world.ask({ path: `/api/${encodeURIComponent(first)}` })
      await world.ask({ path: `/${encodeURIComponent(second)}` })
      await world.ask({ method: "POST", path: "/api/agents/start", body: textOf(canaries) })
      for (const id of one.slice(0, 12)) {
        await world.get("agents.show", { id })
        await world.get("capture.show", { id })
        await world.post("agents.start", { type: id, prompt: "x" })
        await world.post("agents.start", { type: "synthetic", prompt: "x", cwd: id })
        await world.post("agents.start", { type: "synthetic", prompt: "x", [id]: id, mode: id })
        await world.post("agents.answer", { id, decision: "allow" })
        await world.post("capture.take", { path: id, host: third })
        await world.post("agents.import", { file: id })
        await world.post("agents.read", { session: id })
      }
      await world.ask({
        path: "/api/agents/list",
        headers: { "x-note": first, cookie: `a=${second}` },
      })
      await world.post("tokens.count", { text: textOf(canaries) })
    },
  },
  {
    name: "commands that are refused",
    async put(world, canaries) {
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
      await Promise.all(commands.map((it) => world.qm(it)))
    },
  },
]

const COMMANDED: readonly CanaryEntry[] = [
  {
    name: "the prompt of a command",
    isQueued: true,
    async put(world, canaries) {
      const played = ["--agent", "synthetic", "--script", JSON.stringify(done)]
      await world.qm(["run", textOf(canaries), ...played])
    },
  },
  {
    name: "known values, said by person, agent and files",
    isQueued: true,
    async put(world) {
      const text = `The values are ${world.known.map((it) => it.text).join(" and ")}.`
      await world.write("project/CLAUDE.md", text)
      await world.post("capture.take", { path: world.user.project, content: true })
      await played(world, [{ event: "message", type: "assistant", text }, done], text)
      const files = { "docs/values.md": `# Values\n\n${text}\n` }
      await world.write("project/docs/values.md", "")
      commit(world.user.project, "values", files)
      await world.post("pack.build", { task: text, target: ["docs/values.md"], format: "xml" })
      await world.get("search.find", { words: "values" })
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
]

export async function lookAround(world: CanaryWorld): Promise<void> {
  for (const operation of ["agents.list", "capture.list", "pack.list", "config.show", "now.show"])
    await world.get(operation)
  await world.get("events.list", { limit: "1000" })
  await world.get("guidelines.list")
  await world.qm(["events", "--json"])
  await world.qm(["doctor"])
}
