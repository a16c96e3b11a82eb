import { spawn } from "node:child_process"
import { once as heardOnce } from "node:events"
import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { createInterface } from "node:readline"
import { z } from "zod"
import { type JournalEntry, Run } from "#ground/contract"
import { commit, git } from "#test/git"
import { LAUNCHER, newUser } from "#test/qm"
import { type Answer, follow, readToken, send, type TestRequest } from "#test/server"
import { type Canary, filesBelow, newKnownValues, type Output } from "./canary-search.ts"

export type CanaryFixture = Awaited<ReturnType<typeof newCanaryFixture>>

export type CanaryEntry = {
  readonly name: string
  /**
   * The agent receives this text unredacted from a queue in the store (AGENTS-30): it is there
   * until delivery, and in the store's log until the checkpoint.
   */
  readonly isQueued?: true
  /** The kinds that this entry uses; all without it. */
  choose?(canaries: readonly Canary[]): readonly Canary[]
  put(fixture: CanaryFixture, canaries: readonly Canary[]): Promise<void>
}

/**
 * A user with a project, a real server with full logging, and commands beside it. All output is
 * recorded and searched at the end.
 */
export async function newCanaryFixture() {
  const user = await newUser()
  const known = newKnownValues(6)
  const [inFile, inEnvironment] = [known.slice(0, 3), known.slice(3)]
  const outputs: Output[] = []
  const ours = new Set<string>()
  const hear = (from: string, text: string) => void outputs.push({ from, text })
  const variables = inEnvironment.map((it, at) => [`SHOP_TOKEN_${at}`, it.text])
  const env = { QM_LOG_LEVEL: "debug", ...Object.fromEntries(variables) }
  git(user.project, "init", "-q", "-b", "main")
  commit(user.project, "begin", { "README.md": "# Shop\n" })
  const dotenv = path.join(user.project, ".env")
  ours.add(dotenv)
  await writeFile(dotenv, inFile.map((it, at) => `SHOP_${at}=${it.text}\n`).join(""))
  const server = await startServer(user, { env, hear })
  const token = await readToken(path.join(user.home, ".qm"))
  const live = follow(server.url, { token, after: null })
  await live.until(() => live.replies.length > 0)

  const ask = async (asked: TestRequest): Promise<Answer> => {
    const headers = { authorization: `Bearer ${token}`, ...asked.headers }
    const answer = await send(server.port, { ...asked, headers })
    hear(`${asked.method ?? "GET"} ${asked.path.split("?")[0]?.slice(0, 40)}`, answer.text)
    hear("headers of an answer", JSON.stringify(answer.headers))
    return answer
  }
  const post = (operation: string, body: object) =>
    ask({ method: "POST", path: pathOf(operation), body: JSON.stringify(body) })
  const heardEnds = new Map<string, number>()
  const stop = once(async () => {
    live[Symbol.dispose]()
    await server.stop()
  })
  return {
    user,
    known,
    stop,
    ask,
    post,
    hear,
    get: (operation: string, query: Readonly<Record<string, string>> = {}) =>
      ask({ path: `${pathOf(operation)}?${new URLSearchParams(query).toString()}` }),
    async qm(args: readonly string[]) {
      const result = await user.qm(args, { env })
      hear(`stdout of qm ${args[0]?.slice(0, 12)}`, result.stdout)
      hear(`stderr of qm ${args[0]?.slice(0, 12)}`, result.stderr)
      return result
    },
    async write(name: string, text: string): Promise<void> {
      const file = path.join(user.path, name)
      ours.add(file)
      await mkdir(path.dirname(file), { recursive: true })
      await writeFile(file, text)
    },
    async start(input: object): Promise<string> {
      const { status, text } = await post("agents.start", { type: "synthetic", ...input })
      if (status !== 200) throw new Error(`no run: ${status} ${text.slice(0, 300)}`)
      return Run.parse(JSON.parse(text)).id
    },
    /** Waits for the next end of a run, which may continue with another turn and end again. */
    async ended(id: string): Promise<void> {
      const before = heardEnds.get(id) ?? 0
      heardEnds.set(id, before + 1)
      await live.until(() => live.entries.filter((it) => isEndOf(it, id)).length > before)
    },
    said: (): readonly Output[] => [
      ...outputs,
      { from: "the live stream", text: JSON.stringify(live.entries) },
    ],
    files: () => filesBelow(user.path, (it) => ours.has(it) || isPersons(it)),
    async [Symbol.asyncDispose]() {
      await stop()
      await user[Symbol.asyncDispose]()
    },
  }
}

/** Git's files, and the two files that contain the user's own text on purpose. */
function isPersons(file: string): boolean {
  return /\/\.git\/(?!qm\/)|\/\.qm\/(?:config|permissions)\.json$/.test(file)
}

function isEndOf({ name, body }: JournalEntry, id: string): boolean {
  if (name !== "agents.updated") return false
  const said = z.object({ id: z.string(), status: z.string() }).parse(body)
  return said.id === id && ["completed", "failed", "stopped"].includes(said.status)
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= action()
    return done
  }
}

function pathOf(operation: string): string {
  return `/api/${operation.replace(".", "/")}`
}

type TextListener = (from: string, text: string) => void

async function startServer(
  user: Awaited<ReturnType<typeof newUser>>,
  { env, hear }: { readonly env: Readonly<Record<string, string>>; readonly hear: TextListener },
) {
  const child = spawn(LAUNCHER, ["up", "--port", "0", "--no-open"], {
    cwd: user.project,
    env: { PATH: process.env["PATH"] ?? "", HOME: user.home, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const closed = heardOnce(child, "close")
  const stderr = createInterface({ input: child.stderr })
  stderr.on("line", (line) => hear("stderr of the server", line))
  const { promise, resolve } = Promise.withResolvers<string>()
  createInterface({ input: child.stdout }).on("line", (line) => {
    hear("stdout of the server", line)
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0]
    if (url !== undefined) resolve(url)
  })
  const url = await promise
  return {
    url,
    port: Number(new URL(url).port),
    async stop(): Promise<void> {
      child.kill("SIGTERM")
      await closed
    },
  }
}
