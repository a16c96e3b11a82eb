import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Capture } from "#ground/contract"
import { createTokens, scaleCount } from "#ground/tokens"
import { type AccuracyHome, TEST_SERVER } from "./accuracy-homes.ts"
import {
  claudePartTokens,
  codexPartTokens,
  type PartTokens,
  readClaudeStart,
} from "./start-parts.ts"
import { emptyHome, firstRequest, PROMPT } from "./start-run.ts"

const ROOT = join(import.meta.dirname, "../..")
const { count } = await createTokens({ encoding: "claude" }).counter()

/** The estimate of `qm capture` beside the first request of the real host. */
export type StartComparison = {
  readonly home: AccuracyHome
  readonly estimate: PartTokens
  readonly sent: PartTokens
  readonly files: string
}

export async function compareHome(home: AccuracyHome): Promise<StartComparison> {
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
