import { existsSync } from "node:fs"
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { run } from "#ground/base"
import { type HostPlace, realDisk, type Survey } from "#see/hosts"
import { hostProgram, type TestedHost } from "../kit/host-programs.ts"
import { type OpenAiModel, openAiModel, type SentRequest } from "../kit/model-openai.ts"

type HomeFile = string | Buffer | { readonly link: string } | { readonly dir: true }

/** A user's home and a project in it, as data; `{root}` is the folder that contains them. */
export type HostHome = {
  readonly name: string
  readonly files: Readonly<Record<string, HomeFile>>
  readonly cwd: string
  readonly git?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export type HostComparison = {
  readonly root: string
  readonly requests: readonly SentRequest[]
  readonly survey: Survey
  readonly place: HostPlace
}

export type HostRun = {
  readonly host: TestedHost | "opencode"
  readonly longestMs?: number
  args(port: number): readonly string[]
  env(port: number): Readonly<Record<string, string>>
  survey(place: HostPlace): Promise<Survey>
}

const LONGEST_RUN_MS = 30_000
const MOST_OUTPUT_BYTES = 1024 * 1024

/**
 * Creates the home, runs the real host in it against a scripted model, and surveys it afterwards.
 */
export async function compareHome<Answer>(
  home: HostHome,
  hostRun: HostRun,
  read: (compared: HostComparison) => Promise<Answer> | Answer,
): Promise<Answer> {
  await using temp = await quickDirectory()
  await using model = await openAiModel()
  const root = temp.path
  await plantHome(home, root)
  const place = placeOf(home, root)
  const outcome = await runHost(hostRun, model, place)
  const { requests } = model
  if (requests.length === 0) throw new Error(`${home.name}: the host sent nothing\n${outcome}`)
  const survey = await hostRun.survey(place)
  return await read({ root, requests, survey, place })
}

/** In memory if possible: the hosts sync databases, which is three times as slow on a disk. */
async function quickDirectory() {
  const base = existsSync("/dev/shm") ? "/dev/shm" : tmpdir()
  const path = await mkdtemp(join(base, "qm-host-"))
  return {
    path,
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Two at a time, because the machine has two cores and each host is a separate program. */
export async function inPairs<Item, Answer>(
  items: readonly Item[],
  work: (item: Item) => Promise<Answer>,
): Promise<Map<Item, Answer | Error>> {
  const answers = new Map<Item, Answer | Error>()
  const waiting = [...items]
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      answers.set(item, await work(item).catch((error: unknown) => error as Error))
    }
  }
  await Promise.all([worker(), worker()])
  return answers
}

function placeOf(home: HostHome, root: string): HostPlace {
  const env = Object.entries(home.env ?? {}).map(([name, value]) => [name, inRoot(value, root)])
  return {
    workingDirectory: join(root, home.cwd),
    home: join(root, "home"),
    environment: Object.fromEntries(env),
    platform: "linux",
  }
}

async function plantHome(home: HostHome, root: string): Promise<void> {
  await mkdir(join(root, "home"), { recursive: true })
  for (const [name, file] of Object.entries(home.files)) {
    const at = join(root, name)
    await mkdir(dirname(at), { recursive: true })
    if (typeof file === "string") await writeFile(at, inRoot(file, root))
    else if (Buffer.isBuffer(file)) await writeFile(at, file)
    else if ("link" in file) await symlink(inRoot(file.link, root), at)
    else await mkdir(at, { recursive: true })
  }
  for (const folder of home.git ?? []) await plantRepository(join(root, folder, ".git"))
  await mkdir(join(root, home.cwd), { recursive: true })
}

async function plantRepository(dotGit: string): Promise<void> {
  await mkdir(join(dotGit, "objects"), { recursive: true })
  await mkdir(join(dotGit, "refs"), { recursive: true })
  await writeFile(join(dotGit, "HEAD"), "ref: refs/heads/main\n")
  await writeFile(join(dotGit, "config"), "[core]\n\trepositoryformatversion = 0\n")
}

async function runHost(hostRun: HostRun, model: OpenAiModel, place: HostPlace): Promise<string> {
  const { program, args } = hostProgram(hostRun.host)
  const outcome = await run(program, [...args, ...hostRun.args(model.port)], {
    cwd: place.workingDirectory,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: place.home,
      TERM: "xterm-256color",
      ...hostRun.env(model.port),
      ...place.environment,
    } as Record<string, string>,
    timeoutMs: hostRun.longestMs ?? LONGEST_RUN_MS,
    maxOutputBytes: MOST_OUTPUT_BYTES,
  })
  return "stdout" in outcome
    ? `${outcome.kind}\n${outcome.stderr.toString()}\n${outcome.stdout.toString()}`
    : outcome.kind
}

function inRoot(text: string, root: string): string {
  return text.replaceAll("{root}", root)
}

export const disk = realDisk()
