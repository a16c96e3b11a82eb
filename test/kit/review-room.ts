import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { createReview, type ReviewDeps } from "#act/review"
import { systemClock, systemRandom, thisMachine } from "#ground/base"
import { Config, type ReviewTool } from "#ground/contract"
import { createSecrets } from "#ground/secrets"
import { createClaims, createLedger } from "#know/ledger"
import { locateRepository } from "#see/repo"
import { commit, git } from "./git.ts"
import { tempDirectory } from "./temp.ts"

export const CALL = { signal: new AbortController().signal }

/** Answers exactly the scripted arguments and input; anything else fails, as with a real program. */
const STAND_IN = `
import { appendFileSync, readFileSync } from "node:fs"
const [folder, ...args] = process.argv.slice(2)
const input = args.includes("-") ? readFileSync(0, "utf8") : ""
appendFileSync(folder + "/calls.jsonl", JSON.stringify({ args, input, cwd: process.cwd(), env: Object.keys(process.env) }) + "\\n")
const { answers } = JSON.parse(readFileSync(folder + "/answers.json", "utf8"))
const body = input === "" ? null : JSON.parse(input)
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b)
const answer = answers.find((it) => same(it.args, args) && (it.body === undefined || same(it.body, body)))
if (answer === undefined) {
  process.stderr.write("unexpected arguments: " + JSON.stringify({ args, body }) + "\\n")
  process.exit(64)
}
process.stdout.write(answer.out ?? "")
process.stderr.write(answer.err ?? "")
process.exit(answer.code ?? 0)
`

export type ScriptedAnswer = {
  readonly args: readonly string[]
  /** The parsed input must equal it; if absent, any input is accepted. */
  readonly body?: unknown
  readonly out?: string
  readonly err?: string
  readonly code?: number
}

/** Two clones of a bare remote, each with a first commit on main. */
export async function twoClones() {
  const temp = await tempDirectory()
  const at = (name: string) => path.join(temp.path, name)
  const [remote, mine, theirs, bin] = [at("remote.git"), at("mine"), at("theirs"), at("bin")]
  for (const it of [remote, mine, bin]) mkdirSync(it)
  git(remote, "init", "-q", "--bare", "-b", "main")
  git(mine, "init", "-q", "-b", "main")
  commit(mine, "feat: first", { "a.txt": "1\n", "b.txt": "1\n", "src/c.ts": "export {}\n" })
  git(mine, "remote", "add", "origin", remote)
  git(mine, "push", "-q", "-u", "origin", "main")
  git(temp.path, "clone", "-q", remote, theirs)
  git(mine, "fetch", "-q", "origin")
  git(mine, "remote", "set-head", "origin", "main")

  const environment = {
    PATH: `${bin}${path.delimiter}${process.env["PATH"] ?? ""}`,
    HOME: temp.path,
    QM_TEST_SECRET: "not for the program",
  }
  const settings = { ...Config.parse({}).review }

  async function room(root = mine, changes: Partial<ReviewDeps> = {}) {
    const repository = await locateRepository(root)
    const { stateDirectory } = repository
    const shared = { stateDirectory, clock: systemClock, random: systemRandom }
    const secrets = createSecrets({ random: systemRandom })
    return createReview({
      repository,
      // Fixed times of test commits are in 2023.
      clock: { ...systemClock, now: () => 1_700_000_000_000 + 86_400_000 },
      environment: () => environment,
      settings: () => settings,
      claims: () => createClaims({ ...shared, machine: thisMachine() }),
      ledger: () => createLedger(shared),
      resolve: (it) => path.resolve(root, it),
      ticketBranch: async (ticket) => (ticket === "T-1" ? "topic" : undefined),
      redact: async (text) => secrets.redact(text).text,
      ...changes,
    })
  }

  return Object.assign(temp, {
    remote,
    mine,
    theirs,
    bin,
    settings,
    environment,
    room,
    /** Their commit, pushed to a branch of the remote. */
    theyPush(branch: string, files: Readonly<Record<string, string>>): void {
      git(theirs, "fetch", "-q", "origin")
      git(theirs, "checkout", "-q", "-B", branch, "origin/main")
      commit(theirs, `feat: ${branch}`, files)
      git(theirs, "push", "-q", "origin", `HEAD:${branch}`)
    },
    iCommit(branch: string, files: Readonly<Record<string, string>>): void {
      const isThere = git(mine, "branch", "--list", branch) !== ""
      if (isThere) git(mine, "checkout", "-q", branch)
      else git(mine, "checkout", "-q", "--no-track", "-b", branch)
      commit(mine, "feat: mine", files)
    },
    /** Installs a stand-in and names its host as the remote's address, with git using the folder. */
    script(tool: ReviewTool, answers: readonly ScriptedAnswer[]): void {
      const folder = path.join(temp.path, `${tool}-script`)
      mkdirSync(folder, { recursive: true })
      writeFileSync(path.join(folder, "stand-in.mjs"), STAND_IN)
      writeFileSync(path.join(folder, "answers.json"), JSON.stringify({ answers }))
      writeFileSync(path.join(folder, "calls.jsonl"), "")
      const line = `exec '${process.execPath}' '${folder}/stand-in.mjs' '${folder}' "$@"`
      writeFileSync(path.join(bin, tool), `#!/bin/sh\n${line}\n`, { mode: 0o755 })
    },
    calls(
      tool: ReviewTool,
    ): readonly { args: string[]; input: string; cwd: string; env: string[] }[] {
      const file = path.join(temp.path, `${tool}-script`, "calls.jsonl")
      return readFileSync(file, "utf8")
        .split("\n")
        .filter((it) => it !== "")
        .map((it) => JSON.parse(it))
    },
    /** The address that decides the program; the fetch then fails, so tests pass `fetch: false`. */
    remoteIs(url: string): void {
      git(mine, "remote", "set-url", "origin", url)
    },
  })
}

export type Clones = Awaited<ReturnType<typeof twoClones>>
