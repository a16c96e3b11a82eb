import { expect, test } from "vitest"
import { AgentNotCompleted } from "../errors.ts"
import { agentStage } from "./agent.ts"
import type { AgentEnd, AgentStart } from "./ports.ts"
import { portsWith, recordEffects, stageInput } from "./stage-input.fixture.ts"

const SCHEMA = { type: "object" }
const TEMPLATE = `Do it.
{{query}}

\`\`\`script
{"event":"one"}
\`\`\`

\`\`\`script
{"event":"two"}
\`\`\`
`

function agents(end: Partial<AgentEnd> = {}) {
  const starts: AgentStart[] = []
  const stage = agentStage(
    portsWith({
      async startAgent(start) {
        starts.push(start)
        return { runId: "rn_1", outcome: "completed", text: "Done.", usd: 0.5, tokens: 900, ...end }
      },
    }),
  )
  return { stage, starts }
}

test("[PIPE-86] a question of the agent is a note with the command that allows it", async () => {
  const effects = recordEffects(() => "")
  const ports = portsWith({
    async startAgent({ onApproval }) {
      onApproval({ id: "apr_1", title: "Bash npm test" })
      return { runId: "rn_1", outcome: "completed", text: "Done.", usd: 0, tokens: 1 }
    },
  })
  await agentStage(ports)(stageInput({ stage: { kind: "agent" }, effects, query: "Mend it" }))
  const note = {
    tool: "Approval needed",
    kind: "other",
    title: "Bash npm test (`qm approve apr_1`)",
  }
  expect(effects.seen).toContainEqual({ what: "note", key: "approval-apr_1", ...note })
})

test("an agent is one activity with its run as detail, and its last message is the output", async () => {
  const { stage, starts } = agents()
  const effects = recordEffects(() => "")
  const scope = { knowledge: false, sources: [], agents: ["default"], paths: ["src/**"] }
  const config = { kind: "agent", mode: "edits", budgetUsd: 2, scope } as const
  const { output, summary } = await stage(
    stageInput({ stage: config, effects, query: "Mend it", person: "ada" }),
  )
  expect({ output, summary }).toEqual({ output: { text: "Done." }, summary: "Done." })
  expect(starts).toMatchObject([
    {
      type: undefined,
      mode: "edits",
      paths: ["src/**"],
      budgetUsd: 2,
      title: "Work: Mend it",
      person: "ada",
    },
  ])
  expect(effects.seen).toEqual([
    {
      what: "step",
      key: "agent",
      tool: "Agent",
      kind: "agent",
      title: "Work: Mend it",
      detail: "rn_1",
      usd: 0.5,
      tokens: 900,
    },
  ])
})

test("JSON is found inside an agent's message, and a false `passes` field requests a repair", async () => {
  const text =
    'I looked.\n```json\n{"passed": false, "problems": ["total is 1"]}\n```\nThat is all.'
  const { stage } = agents({ text })
  const config = { kind: "agent", output: SCHEMA, passes: "passed" } as const
  const { output, failed } = await stage(stageInput({ stage: config }))
  expect(output).toEqual({ passed: false, problems: ["total is 1"] })
  expect(failed).toEqual({ problems: ["total is 1"], feedback: "- total is 1" })
})

test("an agent without a readable result has not passed", async () => {
  const { stage } = agents({ text: "All fine, I think." })
  const config = { kind: "agent", output: SCHEMA, passes: "passed" } as const
  const { failed } = await stage(stageInput({ stage: config }))
  expect(failed?.problems).toEqual(["`passed` is not true"])
})

test("the result of a failed agent is not stored, so a resume starts it again", async () => {
  const { stage, starts } = agents({ outcome: "failed" })
  const kept = new Map<string, string>()
  const effects = recordEffects(() => "", kept)
  const failing = stage(stageInput({ stage: { kind: "agent" }, effects, leftUsd: () => 0.3 }))
  await expect(failing).rejects.toSatisfy(AgentNotCompleted.is)
  expect(kept.size).toBe(0)
  expect(starts).toMatchObject([{ budgetUsd: 0.3 }])
})

test("`script` blocks of the prompt are for the synthetic agent, by round, and no real agent gets them", async () => {
  const { stage, starts } = agents()
  for (const iteration of [0, 1, 4]) {
    const fixture = stageInput({ stage: { kind: "agent" }, template: TEMPLATE, iteration })
    await stage(fixture)
  }
  expect(starts.map((it) => it.script)).toEqual([
    '{"event":"one"}\n',
    '{"event":"two"}\n',
    '{"event":"two"}\n',
  ])
  expect(starts[0]?.prompt).not.toContain("script")
  expect(starts[0]?.prompt).toMatch(/<\/data>$/)
})
