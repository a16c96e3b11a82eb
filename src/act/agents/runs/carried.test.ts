import { expect, test } from "vitest"
import { defineError } from "#ground/base"
import { configured, isOver, newRoom, until } from "#test/agents-room"
import type { Agent } from "../agent.ts"
import { loadAgent } from "../load-agent.ts"
import type { CarryAsked } from "./work/working.ts"

const Bypassed = defineError<{ file: string }>()("GATEWAY_BYPASSED", {
  family: "conflict",
  message: (it) => `${it.file} leads past the gateway.`,
  hint: () => "Take the line out.",
})

/** The synthetic agent, with what it was started with kept. */
async function listeningAgent() {
  const synthetic = await loadAgent("synthetic")
  const started: { environment: object; first: readonly string[] | undefined }[] = []
  const agent: Agent = {
    ...synthetic,
    start(options) {
      const { environment, firstArguments: first } = options
      started.push({ environment, first })
      return synthetic.start(options)
    },
  }
  return { agent, started }
}

const START = { type: "synthetic", prompt: "go" } as const

test("[AGENTS-47] a run that is carried is told where its model is, and its carry ends with it", async () => {
  const { agent, started } = await listeningAgent()
  const asked: CarryAsked[] = []
  const ended = Promise.withResolvers<void>()
  await using room = await newRoom({
    agent: async () => agent,
    environmentFor: () => ({ PATH: "/bin" }),
    async carry(wanted) {
      asked.push(wanted)
      wanted.tell("Nothing more is folded.")
      const end = async () => ended.resolve()
      return { environment: { ANTHROPIC_BASE_URL: "http://here" }, args: ["-c", "x"], end }
    },
  })
  const configuration = configured({ gateway: "fold" })
  const run = await room.start({ ...START, configuration })
  await until(room, run.id, isOver)
  await ended.promise
  expect(asked.map((it) => [it.mode, it.run.id])).toEqual([["fold", run.id]])
  expect(started).toEqual([
    { environment: { PATH: "/bin", ANTHROPIC_BASE_URL: "http://here" }, first: ["-c", "x"] },
  ])
  const messages = await room.messages(run.id, { after: 0, limit: 100 })
  expect(messages.map((it) => it.content)).toContain("Nothing more is folded.")
})

test("[AGENTS-47] one that would go past the gateway does not start, and says why", async () => {
  const { agent, started } = await listeningAgent()
  await using room = await newRoom({
    agent: async () => agent,
    carry: () => Promise.reject(Bypassed({ file: ".claude/settings.json" })),
  })
  const run = await room.start({ ...START, configuration: configured({ gateway: "record" }) })
  const ended = await until(room, run.id, isOver)
  expect(ended.status).toBe("failed")
  expect(ended.error).toContain(".claude/settings.json leads past the gateway")
  expect(started).toEqual([])
})
