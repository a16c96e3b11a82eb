import { readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { systemClock } from "#ground/base"
import { AgentsApprovals, AgentsList, PipelineRun } from "#ground/contract"
import { type App, createApp } from "#show/app"
import { kitUser } from "#test/kit-story"
import { type AnswerBlock, type Script, scriptedAnthropic } from "#test/model-anthropic"
import { needs } from "#test/needs"

const LONG_MS = 300_000
const { signal } = new AbortController()

const FILES = {
  "src/price.js": "export const total = (a, b) => a + b\n",
  "package.json": '{"name":"price","type":"module","scripts":{"test":"node test.js"}}\n',
  "test.js":
    'import { total } from "./src/price.js"\nif (total(0.1, 0.2) !== 0.3) throw new Error("total(0.1, 0.2) is not 0.3")\n',
}

/** By the field that only this stage's schema has. */
const STAGE_ANSWERS: readonly (readonly [string, object])[] = [
  [
    "acceptance",
    { goal: "Sums are cents", clarity: 0.9, clarify: "", risks: [], acceptance: ["npm test"] },
  ],
  ["decision", { decision: "done", why: "The test passes.", open: [] }],
  ["remarks", { remarks: ["Say how half a cent is rounded."] }],
  ["steps", { steps: [{ step: "Round the sum in src/price.js", why: "0.1 + 0.2" }] }],
]

/** Plays the model of the stages, and of the agent: it edits wrongly, tests, repairs and tests. */
function devLoop(file: string): Script {
  return ({ body }, turn) => {
    const { messages, tools = [] } = body as {
      readonly messages: readonly object[]
      readonly tools?: readonly { readonly name: string }[]
    }
    const says = (value: object | string): readonly AnswerBlock[] => [
      { type: "text", text: typeof value === "string" ? value : JSON.stringify(value) },
    ]
    const uses = (name: string, input: object): readonly AnswerBlock[] => [
      { type: "tool_use", id: `toolu_${turn}_${messages.length}`, name, input },
    ]
    const [first, last] = [JSON.stringify(messages[0]), JSON.stringify(messages.at(-1))]
    if (!tools.some((it) => it.name === "Edit")) {
      const asked = JSON.stringify(body)
      return says(STAGE_ANSWERS.find(([field]) => asked.includes(`"${field}":`))?.[1] ?? "A title")
    }
    if (first.includes("larger task: Test.")) {
      if (turn === 0) return uses("Bash", { command: "npm test", description: "Run the tests" })
      const isFailed = last.includes("is not 0.3")
      return says({ passed: !isFailed, problems: isFailed ? ["total(0.1, 0.2) is not 0.3"] : [] })
    }
    if (turn === 0) return uses("Read", { file_path: file })
    if (turn > 1) return says("Rounded the sum.")
    const isRepair = first.includes("total(0.1, 0.2) is not 0.3")
    const [before, after] = isRepair
      ? ["Math.trunc(a + b)", "Math.round((a + b) * 100) / 100"]
      : ["a + b", "Math.trunc(a + b)"]
    return uses("Edit", { file_path: file, old_string: before, new_string: after })
  }
}

/** Allows what the agents ask for, like a user in another window, until the pipeline ends. */
async function allowAll(app: App, id: string): Promise<readonly string[]> {
  const allowed: string[] = []
  const pipelines = await app.pipelines()
  for (;;) {
    const { run } = await pipelines.show(id)
    if (run.status !== "running") return allowed
    const { approvals } = AgentsApprovals.parse(await app.call("agents.approvals", {}, { signal }))
    for (const approval of approvals.filter((it) => it.status === "open")) {
      await app.call("agents.answer", { id: approval.id, decision: "allow" }, { signal })
      allowed.push(approval.title)
    }
    await systemClock.sleep(50)
  }
}

describe.runIf(needs("PIPE-86", "claude-code"))("the development loop with Claude Code", () => {
  test(
    "[PIPE-86] the agent implements, its test fails, it repairs, and each question is shown in the pipeline",
    async () => {
      await using user = await kitUser(FILES)
      const file = path.join(user.project, "src/price.js")
      await using model = await scriptedAnthropic(devLoop(file))
      await writeFile(path.join(user.home, ".gitconfig"), "")
      const environment = {
        ...user.env,
        TMPDIR: user.path,
        QM_HOME: path.join(user.home, ".qm"),
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_API_KEY: "not-a-key",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      }
      const settings = ["model.provider=anthropic", `model.baseUrl=${model.url}`]
      await using app = await createApp({
        directory: user.project,
        environment,
        settings,
        writeLog: () => {},
      })
      const input = { agent: "dev-loop", query: "Round total() to cents", auto: true }
      const { id } = PipelineRun.parse(await app.call("pipeline.run", input, { signal }))
      const allowed = await allowAll(app, id)
      const done = await (await app.pipelines()).finished(id)
      expect(done).toMatchObject({ status: "completed", isPartial: false })
      expect(done.repairs).toMatchObject([{ used: 1, most: 5 }])
      expect(await readFile(file, "utf8")).toContain("Math.round((a + b) * 100) / 100")

      const { runs } = AgentsList.parse(await app.call("agents.list", {}, { signal }))
      expect(runs.map((it) => [it.type, it.status, it.title.split(":")[0]])).toEqual([
        ["claude-code", "completed", "Test"],
        ["claude-code", "completed", "Implement"],
        ["claude-code", "completed", "Test"],
        ["claude-code", "completed", "Implement"],
      ])
      expect(allowed).toEqual(["Bash npm test", "Bash npm test"])
      const { events } = await (await app.pipelines()).show(id)
      const notes = events.flatMap(({ body }) =>
        body.type === "substep" && body.tool === "Approval needed" ? [body.title] : [],
      )
      expect(notes).toHaveLength(2)
      for (const note of notes) expect(note).toMatch(/^Bash npm test \(`qm approve apr_\w+`\)$/)
      // The pipeline names these runs, so no title is paid for.
      const prompts = model.messages().map((it) => JSON.stringify(it.body))
      expect(prompts.filter((it) => it.includes("Name the piece of work"))).toEqual([])
    },
    LONG_MS,
  )
})
