import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import {
  createWorktrees,
  type Worktrees,
  type WorktreesDeps,
  type WorktreeTicket,
} from "#act/worktrees"
import { silentLog, systemClock, systemRandom, thisMachine } from "#ground/base"
import { Config } from "#ground/contract"
import { createSecrets } from "#ground/secrets"
import { openStore } from "#ground/store"
import { createClaims, createLedger } from "#know/ledger"
import { locateRepository } from "#see/repo"
import { commit, git } from "./git.ts"
import { tempDirectory } from "./temp.ts"

export const CALL = { signal: new AbortController().signal }

/** A repository with two commits and the room on it. */
export async function worktreeFixture() {
  const temp = await tempDirectory()
  const root = join(temp.path, "shop")
  mkdirSync(root)
  git(root, "init", "-q", "-b", "main")
  commit(root, "first", {
    "src/a.ts": "export const a = 1\n",
    "src/b.ts": "export const b = 1\n",
    ".gitignore": ".env*\nnode_modules\nlocal.db\nvendor\n",
  })
  const tickets = new Map<string, WorktreeTicket>()
  const settings = Config.parse({}).worktrees
  const store = await openStore({
    location: { kind: "memory" },
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  })
  const roomAt = async (changes: Partial<WorktreesDeps> = {}): Promise<Worktrees> => {
    const repository = await locateRepository(root)
    const shared = {
      stateDirectory: repository.stateDirectory,
      clock: systemClock,
      random: systemRandom,
    }
    const secrets = createSecrets({ random: systemRandom })
    return createWorktrees({
      repository,
      clock: systemClock,
      environment: () => GIT_ENVIRONMENT,
      settings: () => settings,
      claims: () => createClaims({ ...shared, machine: thisMachine() }),
      ledger: () => createLedger(shared),
      findTicket: async (ref) => tickets.get(ref),
      redact: async (text) => secrets.redact(text).text,
      db: async () => store.forRoom("worktrees"),
      ...changes,
    })
  }
  return {
    temp: temp.path,
    root,
    store,
    settings,
    tickets,
    roomAt,
    room: await roomAt(),
    file(path: string, text: string, at = root): void {
      mkdirSync(dirname(join(at, path)), { recursive: true })
      writeFileSync(join(at, path), text)
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]()
      await temp[Symbol.asyncDispose]()
    },
  }
}

export const GIT_ENVIRONMENT = {
  PATH: process.env["PATH"] ?? "",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "t",
  GIT_AUTHOR_EMAIL: "t@example.invalid",
  GIT_COMMITTER_NAME: "t",
  GIT_COMMITTER_EMAIL: "t@example.invalid",
}
