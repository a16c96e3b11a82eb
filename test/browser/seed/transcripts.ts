import {
  claudeAnswer,
  claudeFile,
  claudePrompt,
  claudeResult,
  codexFile,
  codexLine,
  codexStart,
  codexUsage,
  sessionIdOf,
  writeLines,
} from "#test/transcripts"
import type { ConsoleFixture } from "../console-fixture.ts"
import { CLAUDE } from "./guard.ts"

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

type Story = {
  readonly id: string
  readonly title: string
  readonly model: string
  readonly calls: number
  readonly endsAt: number
  readonly branch: string
}

/** Calls of two minutes, a wait of 72 minutes, and a compaction where the window is nearly full. */
function claudeLines({ id, title, model, calls, endsAt, branch }: Story, cwd: string): object[] {
  const startsAt = endsAt - calls * 2 * MINUTE_MS - 72 * MINUTE_MS
  const lines: object[] = []
  let window = 16_800
  for (let i = 0; i < calls; i++) {
    const waited = i > calls / 2 ? 72 * MINUTE_MS : 0
    const at = { cwd, sessionId: id, branch, at: startsAt + i * 2 * MINUTE_MS + waited }
    if (i % 4 === 0) {
      lines.push(claudePrompt(i === 0 ? title : `Continue with step ${i / 4 + 1}`, at))
    }
    const input = { file_path: `${cwd}/src/tariff/rounding.ts` }
    const run = { command: "npm test -- rounding" }
    const use =
      i % 2 === 0
        ? { type: "tool_use", id: `u${i}`, name: "Read", input }
        : { type: "tool_use", id: `u${i}`, name: "Bash", input: run }
    const isMiss = i === Math.floor(calls / 3)
    const usage = isMiss
      ? { input: 40, output: 700, cacheRead: 9_000, cacheWrite: window - 9_040 }
      : { input: 40, output: 700, cacheRead: Math.max(0, window - 4_040), cacheWrite: 4_000 }
    lines.push(...claudeAnswer({ id: `${id}-${i}`, model, usage, blocks: [use] }, at))
    const text = `line ${i}: quotes are rounded half to even\n`.repeat(i % 2 === 0 ? 240 : 60)
    lines.push(claudeResult(`u${i}`, text, { ...at, at: at.at + 1_000 }))
    window += i % 2 === 0 ? 9_400 : 3_100
    if (window > 180_000) {
      const timestamp = new Date(at.at + MINUTE_MS).toISOString()
      const compactMetadata = { trigger: "auto", preTokens: window, postTokens: 24_500 }
      lines.push({ type: "system", subtype: "compact_boundary", timestamp, compactMetadata })
      window = 24_500
    }
  }
  return lines
}

/** Sessions of two hosts on several days; one of them is the session of the guard. */
export async function seedTranscripts({ home, project, call }: ConsoleFixture) {
  const now = Date.now()
  const long = sessionIdOf("long")
  const stories: readonly Story[] = [
    {
      id: CLAUDE,
      title: "Bill night pilotage once",
      model: "claude-sonnet-4-5",
      calls: 9,
      endsAt: now - 2 * MINUTE_MS,
      branch: "fix/pilotage",
    },
    {
      id: long,
      title: "Round quotes half to even",
      model: "claude-opus-4-5",
      calls: 46,
      endsAt: now - DAY_MS,
      branch: "fix/rounding",
    },
    {
      id: sessionIdOf("unknown model"),
      title: "Explain the tariff tables of the harbour",
      model: "nova-9",
      calls: 4,
      endsAt: now - 3 * DAY_MS,
      branch: "main",
    },
    // In the 30 days before, so that costs have a change.
    {
      id: sessionIdOf("last month"),
      title: "Charge the lock fee per passage",
      model: "claude-opus-4-5",
      calls: 30,
      endsAt: now - 40 * DAY_MS,
      branch: "main",
    },
  ]
  for (const story of stories) {
    await writeLines(claudeFile(home, project, story.id), claudeLines(story, project))
  }
  const agent = claudeFile(home, project, long).replace(".jsonl", "/subagents/agent-x1.jsonl")
  const inner = { cwd: project, sessionId: long, at: now - DAY_MS - MINUTE_MS, isSidechain: true }
  const usage = { input: 5_000, output: 1_000, cacheWrite: 8_000 }
  const blocks = [{ type: "text", text: "Three callers round twice" }]
  await writeLines(
    agent,
    claudeAnswer({ id: "x1", model: "claude-haiku-4-5", usage, blocks }, inner),
  )
  await writeLines(agent.replace(".jsonl", ".meta.json"), [{ agentType: "Explore" }])
  const codex = sessionIdOf("codex")
  const at = now - 2 * DAY_MS
  await writeLines(codexFile(home, codex, at), [
    ...codexStart({ id: codex, cwd: project, model: "gpt-5-codex", at }),
    codexLine("event_msg", { type: "user_message", message: "Fix the pier of the harbour" }, at),
    codexUsage({ input: 19_000, cacheRead: 12_000, output: 900 }, at + MINUTE_MS),
    codexUsage({ input: 64_000, cacheRead: 52_000, output: 2_100 }, at + 3 * MINUTE_MS, {
      input: 45_000,
      cacheRead: 40_000,
      output: 1_200,
    }),
  ])
  await call("sessions.import", { all: false })
  return { long, codex }
}
