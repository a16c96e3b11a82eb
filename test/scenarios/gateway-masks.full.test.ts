import { afterAll, describe, expect, test } from "vitest"
import {
  claudeStory,
  codexStory,
  gatewayUser,
  type HostResult,
  type Start,
} from "#test/gateway-story"
import { needs } from "#test/needs"
import { runQm } from "#test/qm"
import { isNight, rowsOfThisRun } from "#test/seed"
import type {
  Call,
  ModelTurn,
  ScriptedStory,
  StrictOptions,
  StrictRequest,
} from "#test/strict-anthropic"
import type { MessagesBody } from "#test/strict-wire"
import { close, fakeToken, open, picture, read, type SceneFolder } from "./gateway-scenes.ts"
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
  readonly model?: Pick<StrictOptions, "gzip" | "overloaded">
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
    tag: "edits",
    title: "a file that is read, changed by the host's own tool and read again",
    parts: (at) =>
      rounds((part) => [
        [read(at, "a.ts")],
        [
          {
            use: "Edit",
            input: {
              file_path: `${at.folder}/a.ts`,
              old_string: part === 0 ? "// a version 0" : `// a edit ${part - 1}`,
              new_string: `// a edit ${part}`,
            },
          },
        ],
        [read(at, "a.ts")],
      ]),
    masks: 3,
  },
  {
    tag: "pictures",
    title: "pictures between masked reads",
    parts: (at) => rounds((part) => [[read(at, "p.png")], ...noise(at, part), [read(at, "a.ts")]]),
    masks: 2,
  },
  {
    tag: "forked",
    title: "the session is forked",
    parts: (at) => rounds((part) => [...noise(at, part), [read(at, "a.ts")]]),
    starts: [{}, { args: ["--fork-session"] }],
    masks: 2,
  },
  {
    tag: "overloaded",
    title: "an overloaded provider with compressed responses",
    parts: (at) => rounds((part) => [...noise(at, part), [read(at, "a.ts")]]),
    model: { overloaded: 2, gzip: true },
    masks: 2,
  },
  {
    tag: "secrets",
    title: "secrets in masked results",
    parts: (at) => rounds((part) => [...noise(at, part), [read(at, "s.ts")]]),
    masks: 2,
  },
]

type CodexScene = {
  readonly tag: string
  readonly part: (at: SceneFolder, part: number) => readonly ModelTurn[]
  readonly masks: number
}

const shell = (at: SceneFolder, cmd: string): Call => ({
  use: "exec_command",
  input: { cmd, workdir: at.folder },
})

const CODEX_SCENES: readonly CodexScene[] = [
  {
    tag: "reads",
    part: (at, it) => [[shell(at, `echo ${it}`)], [shell(at, `cat ${at.folder}/a.ts`)]],
    masks: 2,
  },
  {
    tag: "secrets",
    part: (at, it) => [[shell(at, `cat ${at.folder}/s.ts`)], [shell(at, `cp a.${it % 3} a.ts`)]],
    masks: 2,
  },
]

/** Scenes that a fault of masking would most probably break; the night plays all of them. */
const DAILY_SCENES = new Set(["branches", "handle", "off", "edits", "secrets"])
const DAILY_SESSION = "branches"
const DAILY_CODEX_SCENE = "secrets"

describe
  .runIf(needs("GATE-129", "claude-code"))
  .concurrent("the real Claude Code with masks", () => {
    for (const scene of rowsOfThisRun(SCENES, (it) => DAILY_SCENES.has(it.tag))) {
      test(`[GATE-129] masked requests are valid and complete: ${scene.tag} ${scene.title}`, {
        timeout: A_SESSION_MS,
      }, async () => {
        await inLane(() => proveScene(scene))
      })
    }

    for (const session of rowsOfThisRun(LONG_SESSIONS, (it) => it.name === DAILY_SESSION)) {
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

/** Each prompt up to the newest one in a request must be in it. */
function lostPrompts(body: MessagesBody, prompts: readonly string[]): readonly string[] {
  const sent = JSON.stringify(body.messages)
  const newest = prompts.findLastIndex((it) => sent.includes(it))
  return prompts.slice(0, newest).filter((it) => !sent.includes(it))
}

let [judged, scenes] = [0, 0]

function count(requests: readonly unknown[]): void {
  judged += requests.length
  scenes += 1
}

const ALL_SCENES = SCENES.length + LONG_SESSIONS.length + CODEX_SCENES.length

afterAll(() => {
  process.stdout.write(`\n${judged} requests of ${scenes} scenes judged\n`)
  // A run of a part cannot reach it.
  if (!isNight() || scenes < ALL_SCENES) return
  if (scenes < 20 || judged < 500) throw new Error("fewer than 500 requests in 20 scenes")
})

function sceneFiles(): Readonly<Record<string, string | Buffer>> {
  const versions = [0, 1, 2].flatMap((version) =>
    ["a", "b"].map((name) => [`${name}.${version}`, code(name, version)] as const),
  )
  return Object.fromEntries([
    ...versions,
    ["a.ts", code("a", 0)],
    ["b.ts", code("b", 0)],
    ["p.png", picture(40)],
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
    { stories, enforce: true, ...scene.model },
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
  expect(main.flatMap((it) => lostPrompts(it.body, prompts))).toEqual([])
  expect(JSON.stringify(main.at(-1)?.body)).toContain(prompts.at(-1) ?? "a prompt")
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

async function proveCodexScene({ part, masks }: CodexScene): Promise<void> {
  await using user = await gatewayUser(sceneFiles())
  const at = { folder: user.project, tag: TAG }
  const parts = Array.from({ length: PARTS }, (_, it) => [...part(at, it), `Part ${it} is done.`])
  const prompts = parts.map((_, it) => `${it === 0 ? "begin codex" : "go on with"} ${it}`)
  const stories = [{ hears: "begin codex", says: parts.flat() }]
  const start = (ended: readonly HostResult[]): Start => ({
    way: "fold",
    prompts: prompts.slice(ended.length, ended.length + 1),
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
  const inputs = played.requests.map((it) => JSON.stringify(it.body.input))
  const last = inputs.at(-1) ?? ""
  expect(prompts.filter((it) => !last.includes(it))).toEqual([])
  expect(last.split("[Removed by qm: exec_command").length - 1).toBeGreaterThanOrEqual(masks)
  expect(inputs.filter((it) => it.includes(TOKEN))).toEqual([])
  count(played.requests)
}

describe.runIf(needs("GATE-129", "codex")).concurrent("the real Codex with masks", () => {
  for (const scene of rowsOfThisRun(CODEX_SCENES, (it) => it.tag === DAILY_CODEX_SCENE)) {
    test(`[GATE-129] masked requests are valid over resumed sessions of Codex: ${scene.tag}`, {
      timeout: A_SESSION_MS,
    }, async () => {
      await inLane(() => proveCodexScene(scene))
    })
  }
})
