import { describe, expect, test } from "vitest"
import { codexStory, gatewayUser, type HostResult, type Start } from "#test/gateway-story"
import { needs } from "#test/needs"
import type { Call, ModelTurn } from "#test/strict-anthropic"
import type { ResponsesBody, StrictResponse } from "#test/strict-openai"
import { GO, wordFile } from "./gateway-scenes.ts"

// The model requires calls and outputs in pairs, and reasoning at its original position.

const show = (file: string): Call => ({ use: "exec_command", input: { cmd: `cat ${file}` } })
const open = (as: string): Call => ({
  use: "mcp__qm/branch",
  as,
  input: { description: `Look into ${as}`, prompt: `Find out about ${as}.` },
})
const close = (name: string): Call => ({
  use: "mcp__qm/return",
  input: { branch_id: `$${name}`, message: `RESULT-${name} is what was found.` },
})
const NOBODY: Call = {
  use: "mcp__qm/return",
  input: { branch_id: `br_${"0".repeat(32)}`, message: "To nobody." },
}

const FILES = Object.fromEntries([1, 2, 3, 4].map((it) => [`w${it}.txt`, wordFile(`WORD-${it}`)]))

type CodexScene = {
  readonly title: string
  readonly says: readonly ModelTurn[]
  readonly resumed?: readonly string[]
  readonly folded: number
  readonly has: readonly string[]
  readonly lacks: readonly string[]
}

const SCENES: readonly CodexScene[] = [
  {
    title: "a branch",
    says: [
      [show("w1.txt")],
      [open("A")],
      [show("w2.txt")],
      [close("A")],
      [show("w3.txt")],
      "Done.",
    ],
    folded: 1,
    has: ["WORD-1", "RESULT-A", "WORD-3"],
    lacks: ["WORD-2"],
  },
  {
    title: "a return that fails, then a good one",
    says: [[open("A")], [show("w1.txt")], [NOBODY], [close("A")], [show("w2.txt")], "Done."],
    folded: 1,
    has: ["RESULT-A", "WORD-2"],
    // A failed call has no mark in this wire format, so its output stays with the rest.
    lacks: ["WORD-1"],
  },
  {
    title: "calls beside the branch and beside the return",
    says: [
      [open("A"), show("w1.txt")],
      [show("w2.txt")],
      [close("A"), show("w3.txt")],
      [show("w4.txt")],
      "Done.",
    ],
    folded: 1,
    has: ["WORD-1", "RESULT-A", "WORD-3", "WORD-4"],
    lacks: ["WORD-2"],
  },
  {
    title: "a branch in a branch",
    says: [
      [open("A")],
      [show("w1.txt")],
      [open("B")],
      [show("w2.txt")],
      [close("B")],
      [show("w3.txt")],
      [close("A")],
      "Done.",
    ],
    folded: 1,
    has: ["RESULT-A"],
    lacks: ["WORD-1", "WORD-2", "WORD-3", "RESULT-B"],
  },
  {
    title: "a branch that is never ended",
    says: [[open("A")], [show("w1.txt")], "Done."],
    folded: 0,
    has: ["WORD-1"],
    lacks: [],
  },
  {
    title: "a session that is resumed twice",
    says: [
      [open("A")],
      [show("w1.txt")],
      [close("A")],
      "Done.",
      [show("w2.txt")],
      "Once more.",
      "At last.",
    ],
    resumed: ["go on", "and on"],
    folded: 1,
    has: ["RESULT-A", "WORD-2"],
    lacks: ["WORD-1"],
  },
]

describe.runIf(needs("GATE-95", "codex"))("the real Codex with folding", () => {
  describe.concurrent("scenes", () => {
    for (const scenes of [SCENES.slice(0, 3), SCENES.slice(3)]) {
      const titles = scenes.map((it) => it.title).join("; ")
      test(`[GATE-95] pairs, reasoning and results stay: ${titles}`, {
        timeout: 200_000,
      }, async () => {
        for (const scene of scenes) await proveScene(scene)
      })
    }
  })
})

async function proveScene(scene: CodexScene): Promise<void> {
  const resumed = (scene.resumed ?? []).map(
    (prompt) =>
      (ended: readonly HostResult[]): Start => ({
        way: "fold",
        prompts: [prompt],
        resume: ended[0]?.session ?? "",
      }),
  )
  await using user = await gatewayUser(FILES)
  const { requests, ended } = await codexStory(
    user,
    { stories: [{ hears: GO, says: scene.says }], enforce: true },
    [() => ({ way: "fold", prompts: [GO] }), ...resumed],
  )
  const at = scene.title
  const failed = ended.filter((it) => it.code !== 0).map((it) => it.stderr)
  expect(failed, at).toEqual([])
  expect(problemsOf(requests), at).toEqual([])
  const last = requests.at(-1)
  const heard = heardIn(last)
  expect(
    scene.has.filter((it) => !heard.includes(it)),
    `${at}: lost`,
  ).toEqual([])
  expect(
    scene.lacks.filter((it) => heard.includes(it)),
    `${at}: still`,
  ).toEqual([])
  const everSaid = requests.map(heardIn).join("\n")
  expect(
    scene.lacks.filter((it) => !everSaid.includes(it)),
    `${at}: never`,
  ).toEqual([])
  expect(foldedIn(last), `${at}: folded`).toBe(scene.folded)
}

function problemsOf(requests: readonly StrictResponse[]): readonly string[] {
  return requests.flatMap((it) => [...it.violations, ...it.mismatches])
}

/** Everything the model receives, without its own messages. */
function heardIn(request: StrictResponse | undefined): string {
  const said = (request?.body.input ?? []).filter((it) => it.type !== "function_call")
  return JSON.stringify(said)
}

function foldedIn(request: StrictResponse | undefined): number {
  const items = request?.body.input ?? []
  const branches = items.filter((it) => it.type === "function_call" && it.name === "branch")
  return branches.filter((call) => {
    const output = items.find(
      (it) => it.type === "function_call_output" && it.call_id === call.call_id,
    )
    return JSON.stringify(output ?? "").includes("qm-fold:br_")
  }).length
}

describe.runIf(needs("GATE-97", "codex"))("a provider that refuses", () => {
  test("[GATE-97] the original is sent instead of the folded request, and no later fold", {
    timeout: 600_000,
  }, async () => {
    const refuses = (body: ResponsesBody): boolean => {
      const text = JSON.stringify(body.input)
      return text.includes("qm-fold:") && !text.includes('"name":"return"')
    }
    const says = [[open("A")], [show("w1.txt")], [close("A")], [show("w2.txt")], "Done."]
    await using user = await gatewayUser(FILES)
    const options = { stories: [{ hears: GO, says }], enforce: true, refuses }
    const it = await codexStory(user, options, [() => ({ way: "fold", prompts: [GO] })])
    expect(it.ended.map((end) => [end.code, end.results])).toEqual([[0, ["Done."]]])
    expect(it.requests.map((request) => request.status)).toEqual([200, 200, 200, 400, 200, 200])
    expect(it.requests.slice(4).map(foldedIn)).toEqual([0, 0])
    expect(problemsOf(it.requests)).toEqual([])
  })
})
