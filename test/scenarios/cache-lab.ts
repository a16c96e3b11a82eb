import { writeFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import path from "node:path"
import { type CacheCause, type CacheReport, GatewayCache } from "#ground/contract"
import {
  claudeStory,
  type GatewayUser,
  gatewayUser,
  type HostResult,
  type Start,
} from "#test/gateway-story"
import { runQm } from "#test/qm"
import type { Call, ModelTurn, StrictOptions, StrictRequest } from "#test/strict-anthropic"
import { blocksOf, type MessagesBody } from "#test/strict-wire"
import { close, open, read } from "./gateway-scenes.ts"

// Injects each cause of a cache miss into sessions of the real Claude Code. A cause counts as injected
// when the simulated provider lost tokens by it; the host itself avoids some losses.

const LONG_FILE = "a line of no interest to anyone at all\n".repeat(900)
const PAUSE_MS = 6 * 60_000

type Injection = {
  readonly prompt: string
  /** The cause of lost tokens in requests of this prompt; without a cause none may be lost. */
  readonly cause?: CacheCause
  /** Part of the explanation. */
  readonly detail?: string
  readonly before?: (lab: Lab, send: (line: object) => void) => void
  readonly says?: (lab: Lab) => readonly ModelTurn[]
  /** The provider drops its cache before this prompt. */
  readonly evicts?: boolean
}

type LabScene = {
  readonly name: string
  /** Causes by which tokens are lost. */
  readonly causes: readonly CacheCause[]
  readonly starts: readonly (Partial<Start> & { readonly injections: readonly Injection[] })[]
  readonly mode?: "record" | "fold"
}

type Lab = {
  readonly user: GatewayUser
  /** Moves the clock of the gateway. */
  passTime(ms: number): void
  /** Sets the tools of an MCP server, which tells the host. */
  setTools(names: readonly string[]): void
  write(file: string, text: string): void
}

const control = (request: object): object => ({
  type: "control_request",
  request_id: `lab_${JSON.stringify(request)}`,
  request,
})

const SLEEP: Call = { use: "Bash", input: { command: "sleep 2", description: "Waits" } }

const reads = ({ user }: Lab, file: string): Call =>
  read({ folder: user.project, tag: "lab" }, file)

const manyResults = ({ user }: Lab): readonly ModelTurn[] => [
  Array.from(
    { length: 26 },
    (_, it): Call => ({
      use: "Bash",
      input: { command: `head -c 400 ${user.project}/long.txt; echo ${it}`, description: "Reads" },
    }),
  ),
  "Read.",
]

/** Without betas the host puts a new tool among the others; with them it appends it. */
const NO_BETAS = { CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: "1" }
const SONNET = "claude-sonnet-4-5"

export const LAB_SCENES: readonly LabScene[] = [
  {
    name: "model",
    causes: ["model"],
    starts: [
      {
        injections: [
          { prompt: "nothing changes" },
          {
            prompt: "another model",
            cause: "model",
            detail: `became ${SONNET}`,
            before: (_, send) => send(control({ subtype: "set_model", model: SONNET })),
          },
          { prompt: "all the same" },
          { prompt: "/effort high" },
          { prompt: "after another effort", cause: "effort" },
        ],
      },
    ],
  },
  {
    name: "lifetime",
    causes: ["unknown", "expired"],
    starts: [
      {
        injections: [
          { prompt: "nothing changes" },
          { prompt: "the provider evicts", cause: "unknown", evicts: true },
          {
            prompt: "time has passed",
            cause: "expired",
            before: (lab) => lab.passTime(PAUSE_MS),
            evicts: true,
          },
          { prompt: "all the same" },
          {
            prompt: "still later",
            cause: "expired",
            before: (lab) => lab.passTime(3 * PAUSE_MS),
            evicts: true,
          },
        ],
      },
    ],
  },
  {
    name: "thinking",
    causes: ["effort"],
    starts: [
      {
        args: ["--model", SONNET],
        injections: [
          { prompt: "nothing changes" },
          ...[5_000, 12_000].map(
            (tokens): Injection => ({
              prompt: `a budget of ${tokens}`,
              cause: "effort",
              detail: `"budget_tokens":${tokens}`,
              before: (_, send) =>
                send(control({ subtype: "set_max_thinking_tokens", max_thinking_tokens: tokens })),
            }),
          ),
        ],
      },
    ],
  },
  {
    name: "tools",
    causes: ["tools"],
    starts: [
      {
        env: NO_BETAS,
        injections: [
          { prompt: "nothing changes" },
          {
            prompt: "a tool more",
            cause: "tools",
            detail: "tools added: mcp__lab__zebra",
            before: (lab) => lab.setTools(["one", "two", "zebra"]),
            // The host learns of it while it works.
            says: () => [...Array.from({ length: 8 }, () => [SLEEP]), "Waited."],
          },
          { prompt: "all the same" },
        ],
      },
    ],
  },
  {
    name: "compaction",
    causes: ["compaction"],
    starts: [
      {
        injections: [
          { prompt: "nothing changes" },
          { prompt: "/compact" },
          { prompt: "after the summary", cause: "compaction" },
          { prompt: "all the same" },
        ],
      },
    ],
  },
  {
    name: "look-back",
    causes: ["lookback"],
    starts: [
      {
        injections: [
          { prompt: "nothing changes" },
          { prompt: "many results at once", cause: "lookback", says: manyResults },
          { prompt: "all the same" },
        ],
      },
    ],
  },
  {
    name: "resume",
    causes: ["resume", "model", "expired"],
    starts: [
      { injections: [{ prompt: "nothing changes" }] },
      { injections: [{ prompt: "begun again", cause: "resume" }] },
      {
        args: ["--disallowedTools", "Edit"],
        injections: [
          { prompt: "without a tool", cause: "resume", detail: "tools removed: Edit" },
          { prompt: "all the same" },
        ],
      },
      {
        args: ["--disallowedTools", "Edit"],
        injections: [
          {
            prompt: "with other instructions",
            cause: "resume",
            before: (lab) => lab.write("CLAUDE.md", "Write in short sentences.\n".repeat(20)),
          },
        ],
      },
      {
        args: ["--disallowedTools", "Edit", "--model", SONNET],
        injections: [{ prompt: "begun with another model", cause: "model" }],
      },
      {
        args: ["--disallowedTools", "Edit", "--model", SONNET],
        injections: [
          {
            prompt: "begun after a pause",
            cause: "expired",
            before: (lab) => lab.passTime(2 * PAUSE_MS),
            evicts: true,
          },
        ],
      },
    ],
  },
  {
    name: "our fold",
    causes: [],
    mode: "fold",
    starts: [
      {
        injections: [
          { prompt: "nothing changes" },
          {
            prompt: "a branch",
            cause: "fold",
            says: (lab) => {
              const place = { folder: lab.user.project, tag: "lab" }
              return [[open("A")], [reads(lab, "more.txt")], [close(place, "A")], "Folded."]
            },
          },
          { prompt: "all the same" },
        ],
      },
    ],
  },
  {
    name: "our masks",
    causes: ["fold"],
    mode: "fold",
    starts: [
      {
        env: { QM_GATEWAY_AUTO_FOLD: "on" },
        gatewayArgs: ["--at", "1%"],
        injections: Array.from({ length: 8 }, (_, it) => ({
          prompt: `read number ${it}`,
          cause: "fold",
          says: (lab) => [[reads(lab, "long.txt")], [reads(lab, "more.txt")], "Read."],
        })),
      },
    ],
  },
]

export type JudgedRequest = {
  readonly scene: string
  readonly prompt: string
  readonly expected: string
  readonly named: string
  readonly isCertain: boolean
  readonly isRight: boolean
  readonly detail: string
}

export async function playLab(scene: LabScene): Promise<readonly JudgedRequest[]> {
  await using user = await gatewayUser({ "long.txt": LONG_FILE, "more.txt": LONG_FILE })
  const inHome = (name: string) => path.join(user.path, name)
  const lab: Lab = {
    user,
    passTime: (ms) => writeFileSync(inHome("skew"), String(ms)),
    setTools: (names) => writeFileSync(inHome("tools.json"), JSON.stringify(names)),
    write: (file, text) => writeFileSync(path.join(user.project, file), text),
  }
  lab.passTime(0)
  lab.setTools(["one", "two"])
  await writeFile(inHome("skew.mjs"), skewedClock(inHome("skew")))
  await writeFile(inHome("lab.mjs"), toolServer(inHome("tools.json")))
  const server = { command: process.execPath, args: [inHome("lab.mjs")] }
  await writeFile(inHome("lab.json"), JSON.stringify({ mcpServers: { lab: server } }))
  const injections = scene.starts.flatMap((it) => it.injections)
  const begin = {
    hears: "begin the lab",
    says: [[reads(lab, "long.txt")], [reads(lab, "more.txt")], "Begun."],
  }
  const stories = injections.map((it) => ({
    hears: it.prompt,
    says: it.says?.(lab) ?? ["Answered."],
  }))
  const options: StrictOptions = {
    stories: [begin, ...stories],
    evicts: (body) => injectionOf(body, injections)?.evicts === true && isAsked(body),
  }
  const starts = scene.starts.map(
    ({ injections: own, ...more }, index) =>
      (ended: readonly HostResult[]): Start => ({
        way: scene.mode ?? "record",
        isTyped: true,
        prompts: [...(index === 0 ? [begin.hears] : []), ...own.map((it) => it.prompt)],
        ...(ended[0] !== undefined && { resume: ended[0].session }),
        before: (prompt, send) => own.find((it) => it.prompt === prompt)?.before?.(lab, send),
        ...more,
        args: [`--mcp-config=${inHome("lab.json")}`, ...(more.args ?? [])],
        env: { NODE_OPTIONS: `--import=${inHome("skew.mjs")}`, ...more.env },
      }),
  )
  const { ended, requests } = await claudeStory(user, options, starts)
  const failed = ended.filter((it) => it.code !== 0).map((it) => it.stderr)
  if (failed.length > 0) throw new Error(`${scene.name}: the host failed: ${failed.join()}`)
  return judge(scene, requests, await reportsOf(user))
}

/** The reports of all requests, in the order in which the provider got them. */
async function reportsOf(user: GatewayUser): Promise<readonly CacheReport[]> {
  const options = { cwd: user.project, env: user.env }
  const listed = await runQm(["gateway", "list", "--json"], options)
  const sessions: readonly { readonly id: string }[] = JSON.parse(listed.stdout).sessions
  const reports: CacheReport[] = []
  for (const { id } of sessions.toReversed()) {
    const shown = await runQm(["gateway", "cache", id, "--json"], options)
    const { requests } = GatewayCache.parse(JSON.parse(shown.stdout))
    reports.push(...requests.map((it) => it.cache))
  }
  return reports
}

function judge(
  scene: LabScene,
  requests: readonly StrictRequest[],
  reports: readonly CacheReport[],
): readonly JudgedRequest[] {
  if (requests.length !== reports.length) {
    throw new Error(`${scene.name}: ${requests.length} requests, ${reports.length} reports`)
  }
  const injections = scene.starts.flatMap((it) => it.injections)
  let cached = 0
  return requests.flatMap(({ body, usage }, index): readonly JudgedRequest[] => {
    const report = reports[index]
    // A title or a suggestion is no part of the conversation.
    if (report === undefined || body.tools === undefined || body.tools.length === 0) return []
    const sent = usage.input + usage.cacheRead + usage.cacheWrite
    // Content that the host or the gateway removed is not lost.
    const expectedRead = Math.min(cached, sent) * KEPT_SHARE
    const isLost = usage.cacheRead < expectedRead && report.verdict !== "first"
    cached = usage.cacheRead + usage.cacheWrite
    const injection = injectionOf(body, injections)
    const expected = isLost ? (injection?.cause ?? "no cause") : "hit"
    const named = report.verdict === "miss" ? (report.cause ?? "") : "hit"
    const hasDetail = !isLost || report.detail.includes(injection?.detail ?? "")
    const { isCertain, detail } = report
    const prompt = injection?.prompt ?? "begin the lab"
    const isRight = named === expected && hasDetail
    return [{ scene: scene.name, prompt, expected, named, isCertain, isRight, detail }]
  })
}

/** Of what the request before had in the cache; a request that continues it reads all. */
const KEPT_SHARE = 0.9

/** The injection of the newest prompt in a request. */
function injectionOf(body: MessagesBody, injections: readonly Injection[]): Injection | undefined {
  const texts = body.messages
    .filter((it) => it.role === "user")
    .flatMap((it) => blocksOf(it.content).map((block) => block.text ?? ""))
    .join("\n")
  return injections
    .map((it) => ({ it, at: texts.lastIndexOf(it.prompt) }))
    .filter(({ at }) => at !== -1)
    .toSorted((a, b) => b.at - a.at)[0]?.it
}

/** The last message is a prompt, not a result. */
function isAsked(body: MessagesBody): boolean {
  const last = body.messages.findLast((it) => it.role === "user")
  return blocksOf(last?.content).every((it) => it.type !== "tool_result")
}

/** Preloaded into every Node process of the user: the time plus the milliseconds in a file. */
function skewedClock(file: string): string {
  return [
    'import { readFileSync } from "node:fs"',
    "const real = Date.now",
    `Date.now = () => real() + Number(readFileSync(${JSON.stringify(file)}, "utf8"))`,
  ].join("\n")
}

/** An MCP server whose tools are in a file; it tells the host when the file changes. */
function toolServer(file: string): string {
  return `
import { readFileSync, watchFile } from "node:fs"
import { createInterface } from "node:readline"
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n")
const tools = () => JSON.parse(readFileSync(${JSON.stringify(file)}, "utf8")).map((it) => ({
  name: it.replace("+", ""),
  description: it.includes("+") ? "Does something else." : "Does something.",
  inputSchema: { type: "object", properties: {} },
  _meta: { "anthropic/alwaysLoad": true },
}))
watchFile(${JSON.stringify(file)}, { interval: 50 }, () =>
  send({ method: "notifications/tools/list_changed" }))
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const capabilities = { tools: { listChanged: true } }
  const serverInfo = { name: "lab", version: "1" }
  const hello = { protocolVersion: params?.protocolVersion, capabilities, serverInfo }
  const result = { initialize: hello, "tools/list": { tools: tools() } }[method] ?? {}
  send({ id, result })
}
process.exit(0)
`
}
