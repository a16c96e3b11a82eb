import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { commit, git } from "#test/git"
import { enrol, type HookResult, hookPayload, installHooks } from "#test/hooks"
import { seed } from "#test/seed"
import { type TempDirectory, tempDirectory } from "#test/temp"

let temp: TempDirectory
let hooks: Awaited<ReturnType<typeof installHooks>>
let repo: string
let state: string

beforeAll(async () => {
  temp = await tempDirectory()
  hooks = await installHooks(temp.path)
  repo = path.join(temp.path, "repo")
  mkdirSync(repo)
  git(repo, "init", "-q")
  const files = Object.fromEntries(FILES.map((it) => [it, "x\n"]))
  const config = { kit: { level: 5, fetch: false }, guard: { highRiskPaths: "db/**" } }
  commit(repo, "first", { ...files, ".qm/config.json": JSON.stringify(config) })
  state = enrol(repo)
})
afterAll(async () => temp[Symbol.asyncDispose]())

const FILES = ["src/a.ts", "src/b.ts", "src/c.ts", "db/schema.sql", "CHANGELOG.md", "notes.txt"]
const SESSIONS = ["one", "two", "three/../4", "four"]
const EVENTS = 200
const AT_ONCE = 4

type Step = { readonly session: string; readonly name: string; readonly fields: object }

/** Any event, mostly stops and edits, because only those can cause a loop. */
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: editStep("PostToolUse") },
  { weight: 3, arbitrary: editStep("PreToolUse") },
  { weight: 4, arbitrary: stepOf("Stop", fc.record({ stop_hook_active: fc.boolean() })) },
  { weight: 1, arbitrary: stepOf("SessionStart", fc.record({ source: fc.constant("resume") })) },
  {
    weight: 1,
    arbitrary: stepOf(
      "SubagentStart",
      fc.record({ agent_id: fc.string(), agent_type: fc.constantFrom("Explore", "") }),
    ),
  },
  { weight: 1, arbitrary: stepOf("PreToolUse", agentFields()) },
  { weight: 1, arbitrary: stepOf("SessionEnd", fc.constant({})) },
)

const DRIFT: readonly Step[] = [
  { session: "one", name: "PostToolUse", fields: editFields("src/a.ts") },
  { session: "one", name: "PostToolUse", fields: editFields("src/b.ts") },
  { session: "one", name: "Stop", fields: {} },
]

function stepOf(name: string, fields: fc.Arbitrary<object>): fc.Arbitrary<Step> {
  return fc.record({ session: fc.constantFrom(...SESSIONS), name: fc.constant(name), fields })
}

function editStep(name: string): fc.Arbitrary<Step> {
  return stepOf(name, fc.constantFrom(...FILES).map(editFields))
}

function editFields(file: string): object {
  const tool_input = { file_path: file, new_string: "y" }
  return { tool_name: "Edit", tool_input, tool_response: {} }
}

function agentFields(): fc.Arbitrary<object> {
  return fc.string().map((prompt) => ({
    tool_name: "Agent",
    tool_input: { subagent_type: "Explore", prompt },
  }))
}

/** Two sessions belong to each of two hosts. */
function run({ session, name, fields }: Step): Promise<HookResult> {
  const host = SESSIONS.indexOf(session) < 2 ? "claude-code" : "codex"
  return hooks.run({ host, payload: hookPayload(name, { cwd: repo, session }, fields) })
}

test("[HOOKS-18] 200 events as processes, in any order and four at a time, never loop", async () => {
  const [steps = []] = fc.sample(fc.array(step, { minLength: EVENTS, maxLength: EVENTS }), {
    seed: seed(),
    numRuns: 1,
  })
  const said = new Map<Step, HookResult>()
  // One certain block first; otherwise a hook that does nothing would pass.
  for (const next of DRIFT) said.set(next, await run(next))
  expect(isBlock([...said.values()].at(-1)?.stdout ?? "")).toBe(true)
  const waiting = [...steps]
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      // Sometimes a file really changes between two hooks.
      if (next.name === "PostToolUse") writeFileSync(path.join(repo, "src/a.ts"), next.session)
      said.set(next, await run(next))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  expect(said.size).toBe(EVENTS + DRIFT.length)
  for (const result of said.values()) {
    expect(result).toMatchObject({ code: 0, stderr: "" })
    if (result.stdout !== "") expect(JSON.parse(result.stdout)).toBeTypeOf("object")
  }
  for (const session of SESSIONS) {
    const blocks = [...said].filter(([it, { stdout }]) => it.session === session && isBlock(stdout))
    expect(blocks.length).toBeLessThanOrEqual(fingerprintsOf(session).size)
  }
}, 240_000)

test.for(SESSIONS)(
  "[HOOKS-18] %s can stop: at most one more block, then no output",
  async (session) => {
    const again = { session, name: "Stop", fields: { stop_hook_active: true } }
    const first = await run({ ...again, fields: {} })
    expect(first.code).toBe(0)
    expect(await run(again)).toEqual({ code: 0, stdout: "", stderr: "" })
    expect(await run({ ...again, fields: {} })).toEqual({ code: 0, stdout: "", stderr: "" })
  },
)

test("[HOOKS-18] one of eight simultaneous stops is blocked", async () => {
  const session = "hurried"
  for (const next of DRIFT.slice(0, 2)) await run({ ...next, session })
  const stop = { session, name: "Stop", fields: {} }
  const said = await Promise.all(Array.from({ length: 8 }, () => run(stop)))
  expect(said.filter((it) => isBlock(it.stdout))).toHaveLength(1)
})

function isBlock(stdout: string): boolean {
  return stdout.includes('"decision":"block"')
}

function fingerprintsOf(session: string): ReadonlySet<string> {
  const ledgers = globSync("*.jsonl", { cwd: path.join(state, "ledger") })
    .map((it) => readFileSync(path.join(state, "ledger", it), "utf8"))
    .filter((it) => it.includes(`"sessionId":${JSON.stringify(session)}`))
  const found = ledgers.join("").matchAll(/"kind":"nudged","fingerprint":"([^"]+)"/g)
  return new Set(Array.from(found, (it) => it[1] ?? ""))
}
