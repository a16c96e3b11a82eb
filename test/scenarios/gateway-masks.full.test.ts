import { describe, expect, test } from "vitest"
import {
  claudeStory,
  codexStory,
  gatewayUser,
  type HostResult,
  type Start,
} from "#test/gateway-story"
import { needs } from "#test/needs"
import { runQm } from "#test/qm"
import type { Call, ModelTurn, ScriptedStory, StrictRequest } from "#test/strict-anthropic"
import { close, fakeToken, open, read, type SceneFolder } from "./gateway-scenes.ts"
import { LONG_SESSIONS, lostIn, masksOn, playLong } from "./mask-sessions.ts"

// Strict model servers judge each request: form, signatures of thinking, thinking of open tool loops.

const A_SESSION_MS = 600_000

/** Two hosts at a time, because a small machine has two cores. */
const lanes = [Promise.resolve(), Promise.resolve()]
let taken = 0

function inLane<Done>(work: () => Promise<Done>): Promise<Done> {
  const lane = taken % lanes.length
  taken += 1
  const done = (lanes[lane] ?? Promise.resolve()).then(work)
  lanes[lane] = done.then(
    () => {},
    () => {},
  )
  return done
}

const TAG = "m"
const TOKEN = fakeToken("masks")

function code(name: string, version: number, bytes = 24_000): string {
  let text = `// ${name} version ${version}\n`
  for (let line = 0; text.length < bytes; line++)
    text += `export const ${name}_${version}_${line} = ${line}\n`
  return text
}

const bash = (at: SceneFolder, command: string): Call => ({
  use: "Bash",
  input: { command: `cd ${at.folder} && ${command}`, description: "Runs a command" },
})
const write = (at: SceneFolder, name: string, version: number): Call =>
  bash(at, `cp ${name}.${version} ${name}.ts`)

type MaskScene = {
  readonly tag: string
  readonly title: string
  readonly parts: (at: SceneFolder) => readonly (readonly ModelTurn[])[]
  readonly others?: (at: SceneFolder) => readonly ScriptedStory[]
  /** One for each start of the host; the prompts are divided among them. */
  readonly starts?: readonly Partial<Start>[]
  readonly env?: Readonly<Record<string, string>>
  /** Least number of masks in the last request. */
  readonly masks: number
}

const PARTS = 8

const rounds = (turns: (part: number) => readonly ModelTurn[]) =>
  Array.from({ length: PARTS }, (_, part) => [...turns(part), `Part ${part} is done.`])

const noise = (at: SceneFolder, part: number, count = 2): readonly ModelTurn[] =>
  Array.from({ length: count }, (_, it) => [bash(at, `echo ${part} ${it}`)])

const SCENES: readonly MaskScene[] = [
  {
    tag: "reads",
    title: "a file that changes between reads",
    parts: (at) =>
      rounds((part) => [...noise(at, part), [write(at, "a", part % 3)], [read(at, "a.ts")]]),
    masks: 3,
  },
  {
    tag: "parallel",
    title: "two reads in one message",
    parts: (at) => rounds((part) => [...noise(at, part), [read(at, "a.ts"), read(at, "b.ts")]]),
    masks: 4,
  },
  {
    tag: "failed",
    title: "a command that fails, then succeeds",
    parts: (at) =>
      rounds((part) => [
        ...noise(at, part),
        [bash(at, `cat a.0; false ${part}`)],
        [bash(at, "cat b.0 | head -2")],
      ]),
    masks: 2,
  },
  {
    tag: "large",
    title: "outputs that become old",
    parts: (at) =>
      rounds((part) => [[bash(at, `tac a.${part % 3}; echo ${part}`)], ...noise(at, part, 3)]),
    masks: 2,
  },
  {
    tag: "branches",
    title: "folded branches between masked reads",
    parts: (at) =>
      rounds((part) => [
        [open(`B${part}`)],
        [read(at, "b.ts")],
        [close(at, `B${part}`)],
        [write(at, "a", part % 3)],
        [read(at, "a.ts")],
      ]),
    masks: 3,
  },
  {
    tag: "handle",
    title: "a masked text is read by its handle",
    parts: (at) =>
      rounds((part) => [
        ...noise(at, part),
        [read(at, "a.ts")],
        ...(part === 4 ? [[{ use: "mcp__qm__read_handle", input: { handle: "$handle" } }]] : []),
      ]),
    masks: 2,
  },
  {
    tag: "agents",
    title: "a sub-agent between masked reads",
    parts: (at) =>
      rounds((part) => [
        ...noise(at, part),
        ...(part === 3
          ? [
              [
                {
                  use: "Agent",
                  input: {
                    description: "Dig",
                    prompt: "dig here-agents",
                    subagent_type: "general-purpose",
                  },
                },
              ],
            ]
          : []),
        [read(at, "a.ts")],
      ]),
    others: (at) => [
      { hears: "dig here-agents", says: [[read(at, "b.ts")], "The agent is done."] },
    ],
    masks: 2,
  },
  {
    tag: "resumed",
    title: "the session is resumed twice",
    parts: (at) => rounds((part) => [...noise(at, part), [read(at, "a.ts")]]),
    starts: [{}, {}, {}],
    masks: 2,
  },
  {
    tag: "off",
    title: "auto-fold is switched off in the middle",
    parts: (at) => rounds((part) => [...noise(at, part), [read(at, "a.ts")]]),
    starts: [{}, {}, { env: { QM_GATEWAY_AUTO_FOLD: "off" } }],
    masks: 1,
  },
  {
    tag: "plain",
    title: "without thinking",
    parts: (at) => rounds((part) => [...noise(at, part), [read(at, "a.ts")]]),
    env: { MAX_THINKING_TOKENS: "0", CLAUDE_CODE_DISABLE_THINKING: "1" },
    masks: 2,
  },
  {
    tag: "long",
    title: "one long prompt, then short ones, where no mask pays",
    parts: (at) => [
      [
        ...noise(at, 0, 4),
        [read(at, "b.ts")],
        [read(at, "a.ts")],
        [read(at, "a.ts")],
        ...noise(at, 1, 6),
        "Part 0 is done.",
      ],
      ...rounds((part) => [[bash(at, `echo short ${part}`)]]),
    ],
    masks: 0,
  },
  {
    tag: "secrets",
    title: "secrets in masked results",
    parts: (at) => rounds((part) => [...noise(at, part), [read(at, "s.ts")]]),
    masks: 2,
  },
]

describe
  .runIf(needs("GATE-129", "claude-code"))
  .concurrent("the real Claude Code with masks", () => {
    for (const scene of SCENES) {
      test(`[GATE-129] masked requests are valid and complete: ${scene.tag} ${scene.title}`, {
        timeout: A_SESSION_MS,
      }, async () => {
        await inLane(() => proveScene(scene))
      })
    }

    // In `tour` nothing can be masked early enough: each part reads a file that stays.
    for (const session of LONG_SESSIONS.filter((it) => it.name !== "tour")) {
      test(`[GATE-129] no compaction and no fault in a long session: ${session.name}`, {
        timeout: A_SESSION_MS,
      }, async () => {
        const run = await inLane(() => playLong(session, "on"))
        expect([run.code, run.compactions, run.lost]).toEqual([0, 0, []])
        expect(problemsOf(run.requests)).toEqual([])
        const most = Math.max(...run.requests.map((it) => masksOn(it.body)))
        expect(most).toBeGreaterThanOrEqual(3)
        count(run.requests)
      })
    }
  })

function problemsOf(requests: readonly StrictRequest[]): readonly string[] {
  return requests.flatMap((it) => [...it.violations, ...it.mismatches])
}

let judged = 0

function count(requests: readonly unknown[]): void {
  judged += requests.length
  process.stdout.write(`\n${judged} requests judged\n`)
}

function sceneFiles(): Readonly<Record<string, string>> {
  const versions = [0, 1, 2].flatMap((version) =>
    ["a", "b"].map((name) => [`${name}.${version}`, code(name, version)] as const),
  )
  return Object.fromEntries([
    ...versions,
    ["a.ts", code("a", 0)],
    ["b.ts", code("b", 0)],
    ["s.ts", `${code("s", 0)}API_TOKEN=${TOKEN}\n`],
  ])
}

async function proveScene(scene: MaskScene): Promise<void> {
  await using user = await gatewayUser(sceneFiles())
  const at = { folder: user.project, tag: TAG }
  const parts = scene
    .parts(at)
    .map((says, part) => ({ hears: `begin part ${part} of ${scene.tag}`, says }))
  const stories = [...parts, ...(scene.others?.(at) ?? [])]
  const prompts = parts.map((it) => it.hears)
  const starts = scene.starts ?? [{}]
  const perStart = Math.ceil(prompts.length / starts.length)
  const played = await claudeStory(
    user,
    { stories, enforce: true },
    starts.map(
      (more, index) =>
        (ended: readonly HostResult[]): Start => ({
          way: "fold",
          isTyped: true,
          prompts: prompts.slice(index * perStart, (index + 1) * perStart),
          ...(ended[0] !== undefined && { resume: ended[0].session }),
          gatewayArgs: ["--at", "1%"],
          ...more,
          env: {
            QM_GATEWAY_AUTO_FOLD: "on",
            QM_GATEWAY_SECRETS: "replace",
            ...scene.env,
            ...more.env,
          },
        }),
    ),
  )
  expect(played.ended.map((it) => [it.code, it.stderr])).toEqual(starts.map(() => [0, ""]))
  const { requests } = played
  expect(problemsOf(requests)).toEqual([])
  const main = requests.filter((it) => it.agent === null && it.body.tools !== undefined)
  expect(main.flatMap((it) => lostIn(it.body))).toEqual([])
  const last = JSON.stringify(main.at(-1)?.body)
  expect(prompts.filter((it) => !last.includes(it))).toEqual([])
  expect(masksOn(main.at(-1)?.body)).toBeGreaterThanOrEqual(scene.masks)
  expect(JSON.stringify(requests.map((it) => it.body)).includes(TOKEN)).toBe(false)
  const masks = main.map((it) => masksOn(it.body))
  // Latched: what is masked once stays masked.
  expect(masks).toEqual(masks.toSorted((a, b) => a - b))
  if (scene.tag === "handle") await proveReread(user)
  count(requests)
}

async function proveReread(user: Awaited<ReturnType<typeof gatewayUser>>): Promise<void> {
  const options = { cwd: user.project, env: user.env }
  const shown = await runQm(["gateway", "masks", "last", "--json"], options)
  expect(shown.stderr).toBe("")
  const { rereads, kinds, savedTokens } = JSON.parse(shown.stdout)
  expect([rereads, kinds[0].kind, kinds[0].isStopped]).toEqual([1, "superseded", true])
  expect(savedTokens).toBeGreaterThan(0)
}

const codexRead = (at: SceneFolder, file: string): Call => ({
  use: "exec_command",
  input: { cmd: `cat ${at.folder}/${file}`, workdir: at.folder },
})

describe.runIf(needs("GATE-129", "codex")).concurrent("the real Codex with masks", () => {
  test("[GATE-129] masked requests are valid over resumed sessions of Codex", {
    timeout: A_SESSION_MS,
  }, async () => {
    await inLane(async () => {
      await using user = await gatewayUser(sceneFiles())
      const at = { folder: user.project, tag: TAG }
      const part = (it: number): readonly ModelTurn[] => [
        [{ use: "exec_command", input: { cmd: `echo ${it}`, workdir: at.folder } }],
        [codexRead(at, "a.ts")],
        `Part ${it} is done.`,
      ]
      const stories = [
        { hears: "begin codex", says: Array.from({ length: PARTS }, (_, it) => part(it)).flat() },
      ]
      const start = (ended: readonly HostResult[]): Start => ({
        way: "fold",
        prompts: [ended.length === 0 ? "begin codex" : "go on"],
        ...(ended[0] !== undefined && { resume: ended[0].session }),
        gatewayArgs: ["--at", "1%"],
        env: { QM_GATEWAY_AUTO_FOLD: "on", QM_GATEWAY_SECRETS: "replace" },
      })
      const played = await codexStory(
        user,
        { stories, enforce: true },
        Array.from({ length: PARTS }, () => start),
      )
      expect(played.ended.map((it) => it.code)).toEqual(Array.from({ length: PARTS }, () => 0))
      expect(played.requests.flatMap((it) => [...it.violations, ...it.mismatches])).toEqual([])
      const last = JSON.stringify(played.requests.at(-1)?.body.input)
      expect(last.split("[Removed by qm: exec_command").length - 1).toBeGreaterThanOrEqual(2)
      count(played.requests)
    })
  })
})
