import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Capture } from "#ground/contract"
import { createTokens, scaleCount } from "#ground/tokens"
import {
  ACCURACY_HOMES,
  type AccuracyHome,
  TEST_SERVER,
} from "../test/conformance/accuracy-homes.ts"
import {
  claudePartTokens,
  codexPartTokens,
  type PartTokens,
  readClaudeStart,
  START_PARTS,
  totalOf,
} from "../test/conformance/start-parts.ts"
import { emptyHome, firstRequest, PROMPT } from "../test/conformance/start-run.ts"

/**
 * Compares the estimate of `qm capture` with the first request of the real hosts in 20 homes and
 * writes docs/reference/capture-accuracy.md: `node scripts/capture-accuracy.ts`. It needs the real
 * hosts, which `npm run test:full` installs, and calls no provider.
 */
const ROOT = join(import.meta.dirname, "..")
const PAGE = join(ROOT, "docs/reference/capture-accuracy.md")
const { count } = await createTokens({ encoding: "claude" }).counter()

type Row = {
  readonly home: AccuracyHome
  readonly estimate: PartTokens
  readonly sent: PartTokens
  readonly files: string
}

async function compareHome(home: AccuracyHome): Promise<Row> {
  await using place = await emptyHome()
  plant(home, place.root)
  const env = home.env ?? {}
  const body = await firstRequest(home.host, { ...place, env })
  const capture = takeCapture(home, { ...place, env })
  const inModel = scaleCount(count, capture.manifest.scale ?? { factor: 1 })
  const sent =
    home.host === "codex"
      ? codexPartTokens(body, PROMPT, inModel)
      : claudePartTokens(readClaudeStart(body, PROMPT), inModel)
  const { agreed, compared } = capture.observation ?? { agreed: 0, compared: 0 }
  return { home, estimate: partsOf(capture, home), sent, files: `${agreed} of ${compared}` }
}

/** The product itself, after the host ran, so that it also compares its files with the transcript. */
function takeCapture(
  { host }: AccuracyHome,
  place: {
    readonly home: string
    readonly cwd: string
    readonly env: Readonly<Record<string, string>>
  },
): Capture {
  const args = ["capture", "--host", host, "--json", "--ask-servers", "--trust", "--no-save"]
  const output = execFileSync(join(ROOT, "bin/qm"), args, {
    cwd: place.cwd,
    env: {
      PATH: process.env["PATH"],
      HOME: place.home,
      QM_HOME: join(dirname(place.home), "qm"),
      ...place.env,
    },
    maxBuffer: 64 * 1024 * 1024,
  })
  return Capture.parse(JSON.parse(output.toString()))
}

function partsOf({ manifest }: Capture, { host }: AccuracyHome): PartTokens {
  const of = (...kinds: readonly string[]) =>
    manifest.items.reduce((sum, it) => sum + (kinds.includes(it.kind) ? it.tokens : 0), 0)
  const [tools, mcp] = [of("tools"), of("mcp")]
  return {
    system: of("system"),
    tools: host === "codex" ? tools + mcp : tools,
    mcp: host === "codex" ? 0 : mcp,
    memory: of("instructions", "memory"),
    skills: of("skills"),
    agents: of("agents"),
  }
}

function plant(home: AccuracyHome, root: string): void {
  for (const [name, text] of Object.entries(home.files ?? {})) write(join(root, name), text)
  const servers = Object.entries(home.servers ?? {}).map(([name, { tools, loads }]) => {
    const args = [
      join(root, "server.cjs"),
      name,
      String(tools),
      ...(loads === true ? ["loads"] : []),
    ]
    return [name, { command: process.execPath, args }] as const
  })
  if (servers.length > 0) write(join(root, "server.cjs"), TEST_SERVER)
  if (servers.length > 0 && home.host === "codex") {
    const text = servers.map(
      ([name, it]) =>
        `[mcp_servers.${name}]\ncommand = ${JSON.stringify(it.command)}\nargs = ${JSON.stringify(it.args)}\n`,
    )
    write(join(root, "home/.codex/config.toml"), text.join("\n"))
  } else if (servers.length > 0) {
    const mcpServers = Object.fromEntries(servers)
    write(join(root, "p/.mcp.json"), JSON.stringify({ mcpServers }))
  }
  if (home.isGit === true) execFileSync("git", ["init", "-q", "-b", "main", join(root, "p")])
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function percent(estimate: number, sent: number): string {
  if (sent === 0) return estimate === 0 ? "–" : "+∞"
  const error = (estimate / sent - 1) * 100
  return `${error >= 0 ? "+" : "−"}${Math.abs(error).toFixed(1)} %`
}

const cell = (estimate: number, sent: number) =>
  sent === 0 && estimate === 0 ? "–" : `${estimate} / ${sent} (${percent(estimate, sent)})`

function lineOf({ home, estimate, sent, files }: Row): string {
  const parts = START_PARTS.map((it) => cell(estimate[it], sent[it]))
  const total = cell(totalOf(estimate), totalOf(sent))
  return `| ${[home.host, home.name, ...parts, total, files].join(" | ")} |`
}

const rows: Row[] = []
for (const home of ACCURACY_HOMES) {
  const row = await compareHome(home)
  rows.push(row)
  process.stdout.write(`${lineOf(row)}\n`)
}
const errors = rows.map((it) => Math.abs(totalOf(it.estimate) / totalOf(it.sent) - 1) * 100)
const worst = Math.max(...errors).toFixed(1)
const mean = (errors.reduce((sum, it) => sum + it, 0) / errors.length).toFixed(1)
const categoryErrors = rows.flatMap(({ estimate, sent }) =>
  START_PARTS.flatMap((it) =>
    sent[it] === 0 ? [] : [Math.abs(estimate[it] / sent[it] - 1) * 100],
  ),
)
const worstCategory = Math.max(...categoryErrors).toFixed(1)
const page = `# Accuracy of captures

Written by \`node scripts/capture-accuracy.ts\` on ${new Date().toISOString().slice(0, 10)}; do not edit.

\`qm capture --ask-servers\` against the first request that the real host sends to a loopback model, in
${rows.length} homes: Claude Code 2.1.325 and Codex 0.166.0. Both sides are counted with the \`claude\` encoding, times
the same factor of the model, so the error is that of the estimate and not of the counter. Each cell is estimate / sent (error). The
request is the strictest account: the host's own \`get_context_usage\` leaves out the environment, the git
status and the names of deferred tools. The last column has the instruction files whose text the host
recorded and the capture has byte for byte.

Total: mean error ${mean} %, largest ${worst} %. Largest error of a category: ${worstCategory} %.

| Host | Home | System prompt | Tools | MCP | Memory files | Skills | Agents | Total | Files exact |
|---|---|---|---|---|---|---|---|---|---|
${rows.map(lineOf).join("\n")}

The git status (changed files and recent commits) is not counted and named as such. Codex names its
MCP servers inside a tool's text, so they are in the column Tools there.
`
writeFileSync(PAGE, page)
process.stdout.write(`mean ${mean} %, largest ${worst} %\n`)
