import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { compareText, silentLog, systemClock, systemRandom } from "#ground/base"
import { type Caller, OPERATIONS, type OperationInput, type ParsedInput } from "#ground/contract"
import { createSecrets } from "#ground/secrets"
import { openStore, type Store } from "#ground/store"
import { type BoardDeps, type BoardRoom, createBoard, createWorkingTree } from "#know/board"
import { locateRepository } from "#see/repo"
import { testClock } from "./clock.ts"
import { commit, git } from "./git.ts"
import { tempDirectory } from "./temp.ts"

export const AGENT: Caller = { principal: "owner", client: "claude-code", session: "ses_1" }

/** `undefined` is the user at the terminal. */
export type BoardFixture = AsyncDisposable & {
  readonly root: string
  readonly room: BoardRoom
  readonly store: Store
  readonly deps: BoardDeps
  readonly clock: ReturnType<typeof testClock>
  readonly settings: { workingLimit: number; testingLimit: number; checks: string }
  other(changes?: Partial<BoardDeps>): BoardRoom
  file(path: string, text: string): Promise<void>
  read(path: string): Promise<string>
  files(folder: string): Promise<readonly string[]>
  events(): Promise<readonly string[]>
}

const NO_SIGNAL = new AbortController().signal
export const PERSON = { signal: NO_SIGNAL }
export const BY_AGENT = { signal: NO_SIGNAL, caller: AGENT }

/** Input with its defaults, as a surface passes it on. */
export function input<
  Name extends "ticket.edit" | "ticket.evidence" | "ticket.link" | "ticket.new",
>(name: Name, fields: OperationInput<Name>): ParsedInput<Name>
export function input(name: keyof typeof OPERATIONS, fields: unknown): unknown {
  return OPERATIONS[name].input.parse(fields)
}

export async function boardFixture(
  options: { readonly git?: boolean } = {},
): Promise<BoardFixture> {
  const temp = await tempDirectory()
  const root = join(temp.path, "project")
  await mkdir(root)
  if (options.git !== false) {
    git(root, "init", "-q", "-b", "main")
    commit(root, "first", { "src/a.ts": "export const a = 1\n", "README.md": "# A\n" })
  }
  return worldAt(root, () => temp[Symbol.asyncDispose]())
}

export async function worldAt(root: string, close: () => PromiseLike<void>): Promise<BoardFixture> {
  const repository = await locateRepository(root)
  const clock = testClock({ now: Date.UTC(2026, 0, 5) })
  const store = await openStore({
    location: { kind: "memory" },
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  })
  const secrets = createSecrets({ random: systemRandom })
  const settings = { workingLimit: 0, testingLimit: 0, checks: "" }
  const environment = { PATH: process.env["PATH"] ?? "" }
  const deps: BoardDeps = {
    db: async () => store.forRoom("board"),
    root: () => root,
    stateDirectory: repository.stateDirectory,
    clock,
    random: systemRandom,
    redact: async (text) => secrets.redact(text).text,
    settings: () => settings,
    tree: createWorkingTree({ repository, environment }),
    environment: () => environment,
    identify: (caller, session) =>
      caller === undefined
        ? { actor: "human", session: session ?? "terminal", by: undefined }
        : { actor: "auto", session: session ?? caller.session, by: { agent: caller.client ?? "" } },
  }
  return {
    root,
    store,
    deps,
    clock,
    settings,
    room: createBoard(deps),
    other: (changes = {}) => createBoard({ ...deps, ...changes }),
    async file(path, text) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), text)
    },
    read: (path) => readFile(join(root, path), "utf8"),
    files: async (folder) =>
      (await readdir(join(root, folder)).catch(() => [])).toSorted(compareText),
    async events() {
      const page = await store.journal.read({
        after: undefined,
        limit: 1_000,
        namePrefix: "board.",
      })
      return "entries" in page ? page.entries.map((it) => it.name) : []
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]()
      await close()
    },
  }
}

/** Like a merge without conflicts: both folders get the files of both sides. */
export async function mergeBoards(a: BoardFixture, b: BoardFixture): Promise<void> {
  for (const folder of [".qm/board/tickets", ".qm/board/log"]) {
    for (const name of await a.files(folder)) await copyLonger(a, b, `${folder}/${name}`)
    for (const name of await b.files(folder)) await copyLonger(b, a, `${folder}/${name}`)
  }
}

async function copyLonger(from: BoardFixture, to: BoardFixture, file: string): Promise<void> {
  const own = await from.read(file)
  const other = await to.read(file).catch(() => "")
  if (own.length > other.length) await to.file(file, own)
}
