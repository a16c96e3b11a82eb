import { createHash } from "node:crypto"
import { appendFile, mkdir, writeFile } from "node:fs/promises"
import path from "node:path"

/** Transcripts as Claude Code and Codex write them, the same for the same options. */

type Usage = {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly cacheWriteHour?: number
}

export type ClaudeLineOptions = {
  readonly cwd: string
  readonly sessionId: string
  readonly at: number
  readonly branch?: string
  readonly isSidechain?: boolean
}

export function claudePrompt(text: string, options: ClaudeLineOptions): object {
  return { type: "user", ...common(options), message: { role: "user", content: text } }
}

export type ClaudeAnswer = {
  readonly id: string
  readonly model: string
  readonly usage: Usage
  readonly blocks: readonly object[]
}

/** One line per content block, each with the usage of the whole message, as the host writes them. */
export function claudeAnswer(answer: ClaudeAnswer, options: ClaudeLineOptions): readonly object[] {
  const { id, model, usage, blocks } = answer
  return blocks.map((block) => ({
    type: "assistant",
    ...common(options),
    requestId: `req_${id}`,
    message: { id: `msg_${id}`, role: "assistant", model, content: [block], usage: wire(usage) },
  }))
}

export function claudeResult(id: string, content: string, options: ClaudeLineOptions): object {
  const block = { type: "tool_result", tool_use_id: id, content }
  return { type: "user", ...common(options), message: { role: "user", content: [block] } }
}

function common({ cwd, sessionId, at, branch = "main", isSidechain = false }: ClaudeLineOptions) {
  const timestamp = new Date(at).toISOString()
  return { cwd, sessionId, timestamp, gitBranch: branch, isSidechain, version: "2.1.325" }
}

function wire({ input, output, cacheRead = 0, cacheWrite = 0, cacheWriteHour = 0 }: Usage) {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite + cacheWriteHour,
    cache_creation: {
      ephemeral_5m_input_tokens: cacheWrite,
      ephemeral_1h_input_tokens: cacheWriteHour,
    },
  }
}

type CodexTotals = Pick<Usage, "input" | "output" | "cacheRead">

/** Totals of the session and of its last call; `input` includes cached tokens, as Codex reports it. */
export function codexUsage(total: CodexTotals, at: number, last: CodexTotals = total): object {
  const usage = ({ input, output, cacheRead = 0 }: CodexTotals) => ({
    input_tokens: input,
    cached_input_tokens: cacheRead,
    output_tokens: output,
    total_tokens: input + output,
  })
  const info = {
    total_token_usage: usage(total),
    last_token_usage: usage(last),
    model_context_window: 258_400,
  }
  return codexLine("event_msg", { type: "token_count", info }, at)
}

export function codexLine(type: string, payload: object, at: number): object {
  return { timestamp: new Date(at).toISOString(), type, payload }
}

export function codexStart({
  id,
  cwd,
  model,
  at,
}: {
  id: string
  cwd: string
  model: string
  at: number
}): readonly object[] {
  const meta = { id, cwd, cli_version: "0.166.0", git: { branch: "main" } }
  return [codexLine("session_meta", meta, at), codexLine("turn_context", { cwd, model }, at)]
}

export async function writeLines(file: string, lines: readonly object[]): Promise<string> {
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, linesText(lines))
  return file
}

export async function appendLines(file: string, lines: readonly object[]): Promise<void> {
  await appendFile(file, linesText(lines))
}

const linesText = (lines: readonly object[]) =>
  lines.map((it) => `${JSON.stringify(it)}\n`).join("")

export const claudeFile = (home: string, cwd: string, sessionId: string): string =>
  path.join(home, ".claude/projects", cwd.replace(/[^a-zA-Z0-9]/g, "-"), `${sessionId}.jsonl`)

export const codexFile = (home: string, sessionId: string, at: number): string => {
  const [day = "", time = ""] = new Date(at).toISOString().slice(0, 19).split("T")
  const folder = path.join(home, ".codex/sessions", ...day.split("-"))
  return path.join(folder, `rollout-${day}T${time.replaceAll(":", "-")}-${sessionId}.jsonl`)
}

export function sessionIdOf(name: string): string {
  const hex = createHash("sha256").update(name).digest("hex")
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-")
}

export type HomeOptions = {
  readonly home: string
  readonly cwd: string
  readonly claude: number
  readonly codex: number
  readonly totalBytes: number
  /** Share of all bytes that the largest session has. */
  readonly largest?: number
  readonly startedAt: number
}

/** A home with sessions of both hosts: prompts, answers, tool calls and results of code. */
export async function writeHome(options: HomeOptions): Promise<readonly string[]> {
  const { claude, codex, totalBytes, largest = 0 } = options
  const each = (totalBytes * (1 - largest)) / Math.max(1, claude + codex - (largest > 0 ? 1 : 0))
  const files: string[] = []
  for (let index = 0; index < claude; index++) {
    const bytes = index === 0 && largest > 0 ? totalBytes * largest : each
    files.push(await writeClaude(options, index, bytes))
  }
  for (let index = 0; index < codex; index++) files.push(await writeCodex(options, index, each))
  return files
}

const RESULT_BYTES = 6_000

async function writeClaude({ home, cwd, startedAt }: HomeOptions, index: number, bytes: number) {
  const sessionId = sessionIdOf(`claude ${index}`)
  const file = claudeFile(home, cwd, sessionId)
  await writeLines(file, [])
  let cacheRead = 12_000
  for (let turn = 0, written = 0; written < bytes; turn++) {
    const options = { cwd, sessionId, at: startedAt + index * 3_600_000 + turn * 30_000 }
    const id = `${index}_${turn}`
    const read = {
      type: "tool_use",
      id: `use_${id}`,
      name: "Read",
      input: { file_path: `${cwd}/src/part${turn % 40}.ts` },
    }
    const usage = { input: 12, output: 300, cacheRead, cacheWrite: 1_800 }
    const lines = [
      ...(turn % 8 === 0
        ? [
            claudePrompt(
              `${WORDS[(index + turn) % WORDS.length]} the ${WORDS[turn % WORDS.length]} in part ${turn}`,
              options,
            ),
          ]
        : []),
      ...claudeAnswer(
        {
          id,
          model: "claude-sonnet-4-5",
          usage,
          blocks: [{ type: "text", text: proseOf(index + turn) }, read],
        },
        options,
      ),
      claudeResult(`use_${id}`, codeOf(index * 1_000 + turn), options),
    ]
    cacheRead = cacheRead > 170_000 ? 20_000 : cacheRead + 1_800
    const text = linesText(lines)
    written += text.length
    await appendFile(file, text)
  }
  return file
}

async function writeCodex({ home, cwd, startedAt }: HomeOptions, index: number, bytes: number) {
  const id = sessionIdOf(`codex ${index}`)
  const at = startedAt + index * 3_600_000
  const file = codexFile(home, id, at)
  await writeLines(file, codexStart({ id, cwd, model: "gpt-5-codex", at }))
  const total = { input: 0, output: 0, cacheRead: 0 }
  for (let turn = 0, written = 0; written < bytes; turn++) {
    const now = at + turn * 30_000
    const call_id = `call_${turn}`
    const text = `${WORDS[(index * 3 + turn) % WORDS.length]} the ${WORDS[turn % WORDS.length]}, step ${turn}`
    total.input += 20_000
    total.cacheRead += 18_000
    total.output += 400
    const command = { cmd: `sed -n 1,80p src/part${turn % 40}.ts` }
    const lines = [
      ...(turn % 8 === 0
        ? [codexLine("event_msg", { type: "user_message", message: text }, now)]
        : []),
      codexLine(
        "response_item",
        {
          type: "function_call",
          name: "exec_command",
          call_id,
          arguments: JSON.stringify(command),
        },
        now,
      ),
      codexLine(
        "response_item",
        { type: "function_call_output", call_id, output: codeOf(index * 7_000 + turn) },
        now,
      ),
      codexLine("event_msg", { type: "agent_message", message: proseOf(index * 5 + turn) }, now),
      codexUsage(total, now, { input: 20_000, cacheRead: 18_000, output: 400 }),
    ]
    const added = linesText(lines)
    written += added.length
    await appendFile(file, added)
  }
  return file
}

const WORDS =
  "round parse render cache order ledger quote harbor invoice tariff vessel berth pilot anchor cargo manifest customs schedule".split(
    " ",
  )

function proseOf(seed: number): string {
  return Array.from(
    { length: 40 },
    (_, at) => WORDS[(seed * 7 + at * 5 + (at % 3)) % WORDS.length],
  ).join(" ")
}

function codeOf(seed: number): string {
  let text = ""
  for (let line = 0; text.length < RESULT_BYTES; line++) {
    const [a, b] = [WORDS[(seed + line) % WORDS.length], WORDS[(seed * 3 + line) % WORDS.length]]
    text += `${line + 1}\texport function ${a}${b}${line}(${b}: number): number { return ${a}(${b} * ${seed + line}) }\n`
  }
  return text
}
