import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { digest } from "#know/ledger"
import { hookFixture } from "#test/hook-fixture"
import { judgeEvent } from "../judge-hook-event.ts"
import { compactionRule } from "./compaction.ts"

const assistant = (name: string, input: object, id = "t"): string =>
  JSON.stringify({
    type: "assistant",
    message: { content: [{ type: "tool_use", id, name, input }] },
  })
const failed = (id: string): string =>
  typed([{ type: "tool_result", tool_use_id: id, is_error: true, content: "refused" }])
const typed = (content: unknown, more: object = {}): string =>
  JSON.stringify({ type: "user", message: { role: "user", content }, ...more })

async function busySession() {
  const it = await hookFixture()
  const transcript = join(it.root, "transcript.jsonl")
  const lines = [
    typed("Repair the login"),
    assistant("ExitPlanMode", { plan: "1. read\n2. change" }),
    assistant("TodoWrite", { todos: [{ content: "read", status: "completed" }] }),
    assistant("TodoWrite", { todos: [{ content: "not a tool here", status: "pending" }] }, "t2"),
    failed("t2"),
    assistant("ExitPlanMode", { plan: "a plan that the user refused" }, "t3"),
    failed("t3"),
    assistant("Read", { file_path: join(it.root, "src/login.ts") }),
    typed("a summary", { isCompactSummary: true }),
    typed([{ type: "text", text: "and the logout" }]),
    typed([{ type: "text", text: "<system-reminder>no</system-reminder>" }]),
  ]
  await writeFile(transcript, `${lines.join("\n")}\n`)
  await mkdir(join(it.stateDirectory, "charges"), { recursive: true })
  const marker = { id: "br_1", budgetUsed: 1_200, budgetTotal: 32_768 }
  await writeFile(
    join(it.stateDirectory, "charges", `open-${digest("mine")}`),
    JSON.stringify(marker),
  )
  await it.claim("mine", "src/login.ts")
  for (const path of ["src/login.ts", ".qm/memory/decisions/d1.md"]) {
    await it.ledger.modified("mine", { path, tool: "Edit", sha: undefined, tree: undefined })
  }
  return { ...it, transcript }
}

const FACTS = [
  "Open branch: br_1, 1,200 of 32,768 tokens used. End it with return and branch_id br_1.",
  "Claimed by this session: src/login.ts",
  "Decisions and notes written: .qm/memory/decisions/d1.md",
  "Files changed: src/login.ts",
  "Plan:",
  "> 1. read",
  "> 2. change",
  "Steps:",
  "> [completed] read",
  "Files read: src/login.ts",
  "Last prompts of the user:",
  "> Repair the login",
  "> and the logout",
]

test("[GUARD-87] a compaction gets the facts to keep, and the same facts come back after it", async () => {
  await using it = await busySession()
  const { transcript } = it
  const before = it.event("before-compact", { trigger: "auto", transcript })
  const kept = await compactionRule.judge(before, it)
  expect(kept.kind === "context" ? kept.text.split("\n").slice(1) : kept).toEqual(FACTS)
  const after = it.event("session-start", { source: "compact", transcript })
  const back = await compactionRule.judge(after, it)
  expect(back.kind === "context" ? back.text.split("\n").slice(1) : back).toEqual(FACTS)
  const resumed = it.event("session-start", { source: "resume", transcript })
  expect(await compactionRule.judge(resumed, it)).toEqual({ kind: "silent" })
})

test("[GUARD-87] the answer has at most 9,000 bytes, and the log has no prompt", async () => {
  await using it = await busySession()
  const long = typed(`${"word ".repeat(2_000)}`)
  const plan = assistant("ExitPlanMode", { plan: "step\n".repeat(5_000) })
  await writeFile(it.transcript, `${[plan, long, long, long, long].join("\n")}\n`)
  const event = it.event("before-compact", { trigger: "auto", transcript: it.transcript })
  const { verdict } = await judgeEvent(event, it)
  const text = verdict.kind === "context" ? verdict.text : ""
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(9_000)
  expect(text).toContain("> step")
  const day = new Date(it.clock.now()).toISOString().slice(0, 10)
  const logged = JSON.stringify(await it.lines(`verdicts/${day}.jsonl`))
  expect(logged).not.toContain("word word")
})

test("[GUARD-87] without anything to keep, or with a missing transcript, the hook is silent", async () => {
  await using it = await hookFixture()
  const transcript = join(it.root, "none.jsonl")
  const event = it.event("before-compact", { trigger: "manual", transcript })
  expect(await compactionRule.judge(event, it)).toEqual({ kind: "silent" })
})
