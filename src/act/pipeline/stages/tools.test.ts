import { expect, test } from "vitest"
import type { StageCall } from "#ground/contract"
import { readFence } from "./prompt.ts"
import { portsWith, recordEffects, stageInput } from "./stage-input.fixture.ts"
import { toolsStage } from "./tools.ts"

const SCOPE = { knowledge: false, sources: ["crm", "files"], agents: [], paths: [] }

function echoing(own: { readonly dead?: string } = {}) {
  const called: StageCall[] = []
  const ports = portsWith({
    async callTool(call) {
      called.push(call)
      if (call.source === own.dead) throw new Error("Source crm failed: it exited.")
      return { text: `about ${JSON.stringify(call.args)}`, isError: false }
    },
    sourceTools: async (sources) => ({
      tools: sources.map((source) => ({
        source,
        name: "find",
        description: "Find a record.",
        input: '{"type":"object"}',
      })),
      notes: [],
    }),
  })
  return { called, ports }
}

const fixed = (calls: readonly StageCall[]) => ({
  kind: "tools" as const,
  prompt: undefined,
  calls: [...calls],
  scope: SCOPE,
})

test("[PIPE-82] a stage calls tools of its sources, with values of the run in the arguments", async () => {
  const { called, ports } = echoing()
  const calls = [
    { source: "crm", tool: "find", args: { text: "{{query}}", most: 3 } },
    { source: "files", tool: "read", args: { paths: ["{{outputs.analyze.file}}", "b.md"] } },
  ]
  const input = stageInput({
    stage: fixed(calls),
    query: "Who is {{outputs.analyze}}?",
    outputs: { analyze: { file: "a.md" } },
  })
  const { output, summary } = await toolsStage(ports)(input)
  expect(called).toEqual([
    // A placeholder inside of a value stays text.
    { source: "crm", tool: "find", args: { text: "Who is {{outputs.analyze}}?", most: 3 } },
    { source: "files", tool: "read", args: { paths: ["a.md", "b.md"] } },
  ])
  expect(output).toMatchObject({
    results: [{ source: "crm" }, { text: 'about {"paths":["a.md","b.md"]}' }],
  })
  expect(summary).toBe("2 tool calls")
})

test("[PIPE-82] with a prompt a model chooses among the tools of the stage's sources, and nothing else", async () => {
  const { called, ports } = echoing()
  const answer = {
    calls: [
      { source: "crm", tool: "find", args: '{"text":"x"}' },
      { source: "crm", tool: "delete_all", args: "{}" },
      { source: "bank", tool: "find", args: "{}" },
      { source: "files", tool: "find", args: "no JSON" },
    ],
  }
  const effects = recordEffects(() => answer)
  const stage = {
    kind: "tools" as const,
    scope: { ...SCOPE, sources: ["crm", "files", "web-search"] },
  }
  await toolsStage(ports)(stageInput({ stage, effects, template: "{{query}} {{tools}}" }))
  expect(called).toEqual([
    { source: "crm", tool: "find", args: { text: "x" } },
    { source: "files", tool: "find", args: {} },
  ])
  const asked = effects.seen.find((it) => it.what === "ask")
  const prompt = asked?.what === "ask" ? asked.ask.prompt : ""
  expect(readFence(prompt, "tools")).toContain("source crm, tool find: Find a record.")
})

test("[PIPE-82] a dead source is a failed call; the stage is skipped only if every call failed", async () => {
  const calls = [
    { source: "crm", tool: "find", args: {} },
    { source: "files", tool: "find", args: {} },
  ]
  const some = echoing({ dead: "crm" })
  const effects = recordEffects(() => ({}))
  const { output, summary } = await toolsStage(some.ports)(
    stageInput({ stage: fixed(calls), effects }),
  )
  expect(summary).toBe("2 tool calls, 1 failed")
  expect(output).toMatchObject({ results: [{ isError: true }, { isError: false }] })
  expect(effects.seen.map((it) => "outcome" in it && it.outcome)).toEqual(["failed", "done"])
  const none = echoing({ dead: "crm" })
  const only = await toolsStage(none.ports)(stageInput({ stage: fixed(calls.slice(0, 1)) }))
  expect(only.skipped).toBe("No tool answered: Source crm failed: it exited.")
})

test("[PIPE-82] a long result is truncated before it is stored", async () => {
  const ports = portsWith({ callTool: async () => ({ text: "x".repeat(50_000), isError: false }) })
  const calls = [{ source: "crm", tool: "find", args: {} }]
  const { output } = await toolsStage(ports)(stageInput({ stage: fixed(calls) }))
  expect(JSON.stringify(output).length).toBeLessThan(21_000)
})
