import { readdirSync, readFileSync } from "node:fs"
import { mkdir, symlink, writeFile } from "node:fs/promises"
import path from "node:path"
import { hostProgram } from "#test/host-programs"
import { loopbackModel, type ModelRequest, type Reply } from "./agents-loopback.ts"
import { startConsole } from "./console-fixture.ts"

/** Not a real key. Long enough that a host does not find it in its own text. */
const NO_KEY = "not-a-key-of-anyone"

export type HostFixture = Awaited<ReturnType<typeof startHosts>>

/**
 * Starts the product with the three real hosts on its PATH. Each host's own settings point at one
 * scripted model on loopback. Use: `await using fixture = await startHosts()`.
 */
export async function startHosts(options: HostOptions = {}) {
  const { answer = tell } = options
  let project = ""
  const model = await loopbackModel((asked) => answer(asked, project))
  const fixture = await startConsole({
    backups: 0,
    async prepare(folders) {
      project = folders.project
      const tmp = path.join(folders.parent, "tmp")
      await mkdir(tmp)
      await writeFile(path.join(project, "CLAUDE.md"), "# Tideline\n\nAmounts are integers.\n")
      await writeFile(path.join(project, "AGENTS.md"), "# Tideline\n\nAmounts are integers.\n")
      return {
        ...options.prepare?.(project),
        TMPDIR: tmp,
        TERM: "dumb",
        PATH: `${await linkHosts(folders.parent)}:${process.env["PATH"] ?? ""}`,
        ...(await pointAt(model.url, folders.home)),
      }
    },
  })
  return {
    ...fixture,
    model,
    processes: () => processesWith(`HOME=${fixture.home}\0`),
    async [Symbol.asyncDispose]() {
      await fixture[Symbol.asyncDispose]()
      await model[Symbol.asyncDispose]()
    },
  }
}

type HostOptions = {
  /** Returns the reply of the model (default: `tell`, which follows the prompt). */
  readonly answer?: (asked: ModelRequest, project: string) => Reply | Promise<Reply>
  /** Runs before the server starts and returns additional environment variables. */
  readonly prepare?: (project: string) => Readonly<Record<string, string>>
}

async function linkHosts(root: string): Promise<string> {
  const folder = path.join(root, "programs")
  await mkdir(folder)
  for (const [name, host] of [
    ["claude", "claude-code"],
    ["codex", "codex"],
    ["copilot", "copilot"],
  ] as const) {
    await symlink(hostProgram(host).program, path.join(folder, name))
  }
  return folder
}

async function pointAt(url: string, home: string) {
  await mkdir(path.join(home, ".codex"))
  await writeFile(path.join(home, ".codex", "config.toml"), codexConfig(url))
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: NO_KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "0",
    OPENAI_API_KEY: NO_KEY,
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_MODEL: "gpt-4.1",
    COPILOT_OFFLINE: "true",
  }
}

/** Uses a model of our price table, so that its run has a price. */
function codexConfig(url: string): string {
  return `model = "gpt-4.1"
model_provider = "loopback"
[model_providers.loopback]
name = "loopback"
base_url = "${url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
`
}

export const COMMAND = "touch made.txt && echo made by a command"
/** Loops because Claude Code refuses a plain sleep. */
const FOREVER = "touch waiting.txt; until false; do sleep 0.2; done"

function tell({ wire, last, isAfterTool, whole }: ModelRequest, cwd: string): Reply {
  const isTitle = whole.includes("Name the piece of work below")
  if (isTitle) return { says: ["A title by the model"] }
  if (isAfterTool) return { says: ["It is made, and **done**."] }
  const run = (command: string): NonNullable<Reply["tool"]> => {
    const description = "as it was asked for"
    if (wire === "messages") return { name: "Bash", input: { command, description } }
    if (wire === "responses") return { name: "exec_command", input: { cmd: command } }
    return { name: "bash", input: { command, description, mode: "sync" } }
  }
  if (last.includes("please command")) {
    return { says: ["First I look at ", "what is there, ", "then I make it."], tool: run(COMMAND) }
  }
  if (last.includes("please edit")) return { says: ["I write a note."], tool: edit(wire, cwd) }
  if (last.includes("please wait")) return { says: ["It takes a while."], tool: run(FOREVER) }
  return { says: ["Understood, nothing to do."] }
}

function edit(wire: ModelRequest["wire"], cwd: string): NonNullable<Reply["tool"]> {
  const text = "Amounts are integers.\n"
  if (wire === "messages") {
    return { name: "Write", input: { file_path: `${cwd}/note.txt`, content: text } }
  }
  if (wire === "chat")
    return { name: "create", input: { path: `${cwd}/note.txt`, file_text: text } }
  const patch = `*** Begin Patch\n*** Add File: note.txt\n+${text}*** End Patch\n`
  return { name: "exec_command", input: { cmd: `apply_patch <<'EOF'\n${patch}EOF\n` } }
}

function processesWith(variable: string): readonly string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return []
    try {
      const isOurs = `${readFileSync(`/proc/${pid}/environ`, "latin1")}\0`.includes(variable)
      const state = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.[0]
      // Skip zombies: they have ended and only wait for their parent.
      const line = readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ").trim()
      return isOurs && state !== "Z" ? [line] : []
    } catch {
      // The process ended meanwhile or is not readable.
      return []
    }
  })
}
