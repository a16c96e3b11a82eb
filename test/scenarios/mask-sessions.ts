import { claudeStory, gatewayUser, type Start } from "#test/gateway-story"
import { runQm } from "#test/qm"
import type { Call, ModelTurn, ScriptedStory, StrictRequest } from "#test/strict-anthropic"
import { blocksOf, type MessagesBody, textOfResult } from "#test/strict-wire"
import { close, open, read, type SceneFolder } from "./gateway-scenes.ts"

/** One long piece of work over several prompts, without a branch unless it says so. */
export type LongSession = {
  readonly name: string
  readonly title: string
  readonly files: Readonly<Record<string, string>>
  readonly parts: (at: SceneFolder) => readonly (readonly ModelTurn[])[]
}

const PARTS = 9

/** About 10,000 tokens each; the host's shell truncates output at 30,000 characters. */
const FILE_BYTES = 28_000

/** The host compacts at 87,000 tokens then. */
export const COMPACT_WINDOW = "120000"

function code(name: string, bytes = FILE_BYTES): string {
  let text = `// round 0 of ${name}\n`
  for (let line = 0; text.length < bytes; line++) {
    text += `export const ${name}_${line} = compute(${line * 7}, "step ${line} of ${name}")\n`
  }
  return text
}

const files = (names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((it) => [`${it}.ts`, code(it)]))

const bash = (at: SceneFolder, command: string): Call => ({
  use: "Bash",
  input: { command: `cd ${at.folder} && ${command}`, description: "Runs a command" },
})
const edit = (at: SceneFolder, file: string, round: number): Call => ({
  use: "Edit",
  input: {
    file_path: `${at.folder}/${file}`,
    old_string: `// round ${round} of`,
    new_string: `// round ${round + 1} of`,
  },
})
const grep = (at: SceneFolder, pattern: string): Call => ({
  use: "Grep",
  input: { pattern, path: at.folder, output_mode: "content", head_limit: 250 },
})

const parts = (
  turns: (part: number) => readonly ModelTurn[],
  count = PARTS,
): readonly (readonly ModelTurn[])[] =>
  Array.from({ length: count }, (_, part) => [...turns(part), `Part ${part} is done.`])

const NAMES = Array.from({ length: PARTS }, (_, it) => `file${String.fromCharCode(97 + it)}`)

export const LONG_SESSIONS: readonly LongSession[] = [
  {
    name: "edits",
    title: "one file, read and changed again and again",
    files: files(["main"]),
    parts: (at) =>
      parts((part) => [
        [read(at, "main.ts")],
        [edit(at, "main.ts", part)],
        [bash(at, `echo ${part}`)],
      ]),
  },
  {
    name: "tests",
    title: "a failing test with a long log, then a passing one",
    files: files(["log"]),
    parts: (at) =>
      parts(
        (part) => [
          [bash(at, `cat log.ts; echo ${part}; exit 1`)],
          [bash(at, `echo changed ${part}`)],
          [bash(at, `cat log.ts | head -3; echo passed ${part}`)],
        ],
        2 * PARTS,
      ),
  },
  {
    name: "search",
    title: "the same search in every part",
    files: files(["lib"]),
    parts: (at) =>
      parts(
        (part) => [[grep(at, "step 1.* of lib")], [bash(at, `echo ${part}`)], [bash(at, "ls")]],
        2 * PARTS,
      ),
  },
  {
    name: "outputs",
    title: "large outputs of commands, the first of which is needed again at the end",
    files: files(NAMES),
    parts: (at) =>
      parts((part) => [
        [bash(at, `tac ${NAMES[part]}.ts`)],
        [bash(at, `echo one ${part}`)],
        [bash(at, `echo two ${part}`)],
        [bash(at, `echo three ${part}`)],
        ...(part === PARTS - 1 ? [[bash(at, `tac ${NAMES[0]}.ts`)]] : []),
      ]),
  },
  {
    name: "tour",
    title: "five files, read in turns",
    files: files(NAMES.slice(0, 5)),
    parts: (at) =>
      parts(
        (part) => [
          [read(at, `${NAMES[part % 5]}.ts`)],
          [bash(at, `echo ${part}`)],
          [bash(at, `echo more ${part}`)],
        ],
        PARTS + 3,
      ),
  },
  {
    name: "branches",
    title: "branches for searches, reads of one file between them",
    files: files(["main", "other"]),
    parts: (at) =>
      parts((part) => [
        [open(`B${part}`)],
        [read(at, "other.ts")],
        [close(at, `B${part}`)],
        [read(at, "main.ts")],
        [edit(at, "main.ts", part)],
      ]),
  },
]

export type AutoFold = "off" | "suggest" | "on"

export type LongRun = {
  readonly requests: readonly StrictRequest[]
  readonly compactions: number
  readonly code: number | null
  readonly stderr: string
  readonly lost: readonly string[]
  /** Masked texts that the model read again soon. */
  readonly rereads: number
}

export async function playLong(session: LongSession, autoFold: AutoFold): Promise<LongRun> {
  await using user = await gatewayUser(session.files)
  const at = { folder: user.project, tag: session.name }
  const stories: readonly ScriptedStory[] = session
    .parts(at)
    .map((says, part) => ({ hears: `begin part ${part} of ${session.name}`, says }))
  const start: Start = {
    way: "fold",
    prompts: stories.map((it) => it.hears),
    isTyped: true,
    env: {
      QM_GATEWAY_AUTO_FOLD: autoFold,
      QM_GATEWAY_SECRETS: "replace",
      CLAUDE_CODE_AUTO_COMPACT_WINDOW: COMPACT_WINDOW,
    },
    gatewayArgs: ["--at", "50%"],
  }
  const played = await claudeStory(user, { stories, enforce: true }, [() => start])
  const main = played.requests.filter((it) => it.agent === null && it.status === 200)
  const options = { cwd: user.project, env: user.env }
  const listed = await runQm(["gateway", "masks", "last", "--json"], options)
  return {
    requests: played.requests,
    compactions: main.filter((it) => asksForSummary(it.body)).length,
    code: played.ended[0]?.code ?? null,
    stderr: played.ended[0]?.stderr ?? "",
    lost: main.flatMap((it) => lostIn(it.body)),
    rereads: JSON.parse(listed.stdout).rereads,
  }
}

function asksForSummary(body: MessagesBody): boolean {
  const last = body.messages.findLast((it) => it.role === "user")
  return JSON.stringify(last?.content ?? "").includes("summary of the conversation")
}

/** The newest read of each file, and the newest result of all, must be whole in each request. */
export function lostIn(body: MessagesBody): readonly string[] {
  const blocks = body.messages.flatMap((it) => blocksOf(it.content))
  const newest = new Map<string, string>()
  for (const call of blocks.filter((it) => it.type === "tool_use" && it.name === "Read")) {
    const file = (call["input"] as { file_path?: string }).file_path ?? ""
    const result = blocks.find((it) => it.tool_use_id === call.id)
    if (result !== undefined) newest.set(file, textOfResult(result))
  }
  const last = blocks.findLast((it) => it.type === "tool_result")
  if (last !== undefined) newest.set("the newest result", textOfResult(last))
  return [...newest].flatMap(([file, text]) => (text.includes("Removed by qm") ? [file] : []))
}

/** Results that are masked in a request. */
export function masksOn(body: MessagesBody | undefined): number {
  const blocks = (body?.messages ?? []).flatMap((it) => blocksOf(it.content))
  return blocks.filter(
    (it) => it.type === "tool_result" && textOfResult(it).startsWith("[Removed by qm: "),
  ).length
}
