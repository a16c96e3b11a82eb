import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { type Host, type HostPlace, loadHost } from "#see/hosts"
import { hostProgram } from "#test/host-programs"
import { scriptedAnthropic } from "#test/model-anthropic"
import type { Home, HomeFile } from "./claude-code-homes.ts"

const loaded = await loadHost("claude-code")

export function claudeCode(): Host {
  return loaded
}

export type FirstRequest = {
  /** The block of instruction files between the host's own sentences; undefined without any. */
  readonly instructions: string | undefined
  readonly skills: string
  readonly agents: readonly string[]
  readonly system: string
}

export async function buildHome(home: Home, root: string): Promise<HostPlace> {
  const at = (path: string) => (path.startsWith("/") ? path : join(root, path))
  const cwd = at(home.cwd ?? "p")
  for (const folder of home.git ?? []) gitInit(at(folder))
  await plantAll(home.files, root)
  if (home.worktree !== undefined) {
    addWorktree(at(home.worktree.of), at(home.worktree.at))
    await plantAll(home.worktree.after ?? {}, root)
  }
  for (const folder of [at(home.home ?? "home"), cwd]) await mkdir(folder, { recursive: true })
  const env = Object.entries(home.env ?? {}).map(([name, value]) => [name, fill(value, root)])
  return {
    workingDirectory: cwd,
    home: at(home.home ?? "home"),
    environment: { PATH: process.env.PATH, ...Object.fromEntries(env) },
    platform: "linux",
  }
}

async function plantAll(files: Home["files"], root: string): Promise<void> {
  for (const [name, file] of Object.entries(files)) {
    const path = fill(name, root)
    await plant(path.startsWith("/") ? path : join(root, path), file, root)
  }
}

async function plant(path: string, file: HomeFile, root: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  if (typeof file === "string") await writeFile(path, fill(file, root))
  else if (Buffer.isBuffer(file)) await writeFile(path, file)
  else if ("link" in file) await symlink(file.link, path)
  else await mkdir(path, { recursive: true })
}

function fill(text: string, root: string): string {
  return text
    .replace(/\$SLUG\(([^)]*)\)/g, (_, folder: string) => slug(join(root, folder)))
    .replaceAll("$ROOT", root)
}

/** A second implementation, so that the room's own slug is not compared with itself. */
function slug(path: string): string {
  const plain = [...Array(path.length).keys()]
    .map((it) => path.charAt(it))
    .map(dashed)
    .join("")
  if (plain.length <= 200) return plain
  let hash = 0
  for (let it = 0; it < path.length; it++) hash = ((hash << 5) - hash + path.charCodeAt(it)) | 0
  return `${plain.slice(0, 200)}-${Math.abs(hash).toString(36)}`
}

function dashed(letter: string): string {
  return /[a-zA-Z0-9]/.test(letter) ? letter : "-"
}

const GIT_ENV = {
  PATH: process.env.PATH,
  HOME: "/nonexistent",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_AUTHOR_NAME: "t",
  GIT_AUTHOR_EMAIL: "t@example.org",
  GIT_COMMITTER_NAME: "t",
  GIT_COMMITTER_EMAIL: "t@example.org",
}

function git(folder: string, ...args: readonly string[]): void {
  execFileSync("git", ["-C", folder, ...args], { env: GIT_ENV, stdio: "ignore" })
}

function gitInit(folder: string): void {
  execFileSync("git", ["init", "-q", "-b", "main", folder], { env: GIT_ENV, stdio: "ignore" })
}

function addWorktree(repository: string, at: string): void {
  git(repository, "add", "-A")
  git(repository, "commit", "-q", "-m", "all", "--allow-empty")
  git(repository, "worktree", "add", "-q", "-b", "side", at)
}

const LONGEST_RUN_MS = 30_000

export async function observe(place: HostPlace): Promise<FirstRequest> {
  await using model = await scriptedAnthropic()
  const { program } = hostProgram("claude-code")
  const args = ["-p", "hello", "--output-format", "stream-json", "--verbose"]
  const child = spawn(program, args, {
    cwd: place.workingDirectory,
    env: hostEnvironment(place, model.url),
    stdio: ["ignore", "ignore", "pipe"],
    timeout: LONGEST_RUN_MS,
    killSignal: "SIGKILL",
  })
  let said = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-2_000)
  })
  await once(child, "close")
  const [first] = model.messages()
  if (first === undefined) throw new Error(`the host asked no model; it said: ${said}`)
  return readRequest(first.body)
}

function hostEnvironment(place: HostPlace, url: string): NodeJS.ProcessEnv {
  return {
    PATH: place.environment["PATH"],
    HOME: place.home,
    TERM: "dumb",
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "not-a-key",
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    ...place.environment,
  }
}

type Block = { readonly text?: string }
type Turn = { readonly role: string; readonly content: string | readonly Block[] }

const OPENING =
  "<system-reminder>\nCodebase and user instructions are shown below. Be sure to adhere to these " +
  "instructions. IMPORTANT: These instructions OVERRIDE any default behavior and you MUST follow " +
  "them exactly as written.\n\n"
const CLOSING = "\n</system-reminder>"

/**
 * Finds the block by the host's own first and last sentences, because the text between may contain
 * anything, including forgeries.
 */
function readRequest(body: unknown): FirstRequest {
  const turns = (body as { messages: readonly Turn[] }).messages
  const texts = (role: string) =>
    turns.filter((it) => it.role === role).flatMap((it) => textsOf(it.content))
  const block = texts("user").find((it) => it.startsWith(OPENING))
  const system = texts("system").join("\n\n")
  return {
    instructions: block?.slice(OPENING.length, block.lastIndexOf(CLOSING)),
    skills: between(system, "available for use with the Skill tool:\n\n", "\n\n"),
    agents: between(system, "Available agent types for the Agent tool:\n", "\n\nWhen you launch")
      .split(/\n(?=- )/)
      .filter((it) => it !== ""),
    system,
  }
}

function textsOf(content: Turn["content"]): readonly string[] {
  return typeof content === "string" ? [content] : content.map((it) => it.text ?? "")
}

function between(text: string, start: string, end: string): string {
  const from = text.indexOf(start)
  if (from === -1) return ""
  const rest = text.slice(from + start.length)
  const to = rest.indexOf(end)
  return to === -1 ? rest : rest.slice(0, to)
}
