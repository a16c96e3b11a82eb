import path from "node:path"
import { packHandlers } from "#choose/pack"
import {
  createIds,
  ensureDirectory,
  isInside,
  onceUnlessRejected,
  readTextBounded,
  writeFileAtomic,
} from "#ground/base"
import { toTokenScale } from "#ground/tokens"
import { type AgentReads, mapHandlers } from "#know/map"
import { PROJECT_FOLDER } from "#see/repo"
import { describeUnreadable, FileUnreadable } from "../errors.ts"
import { placeInside } from "../places.ts"
import type { Services } from "../services.ts"

/** A few hundred guidelines of maximum length. */
const GUIDELINE_FILE_LIMIT_BYTES = 4_000_000

const DAY_MS = 86_400_000

/** As long as the period of changes in `know/map`. */
const READS_DAYS = 90

type PackDeps = Pick<
  Services,
  | "agents"
  | "call"
  | "clock"
  | "config"
  | "log"
  | "map"
  | "mayWriteFiles"
  | "modelScale"
  | "places"
  | "random"
  | "resolve"
  | "secrets"
  | "store"
  | "tokens"
>

export function openMapAndPackHandlers(deps: PackDeps) {
  const ranker = onceUnlessRejected(async () =>
    (await import("#know/search")).loadRanker({ table: "leave" }),
  )
  // Read for each call, so that a secret added to `.env` is redacted from then on.
  const secrets = () => deps.secrets()
  const write = (userPath: string, text: string) => writeGiven(deps.resolve(userPath), text)
  return {
    ...mapHandlers({
      scan: (mode, context) => deps.map().scan(mode, context),
      tree: (context) => deps.map().tree(context),
      knownTree: (context) => deps.map().knownTree(context),
      storedTree: () => deps.map().openTree(),
      async search() {
        const { createSearch } = await import("#know/search")
        return createSearch({ ranker: await ranker() })
      },
      redact: async () => {
        const { redact } = await secrets()
        return (text) => redact(text).text
      },
      agentReads: () => agentReads(deps),
      write,
    }),
    ...packHandlers({
      tree: (context) => deps.map().tree(context),
      refresh: async (context) => (await deps.map().scan("incremental", context)).tree,
      ranker,
      counter: deps.tokens.counter,
      scale: async () => toTokenScale(await deps.modelScale()),
      db: async () => (await deps.store()).forRoom("pack"),
      config: deps.config,
      root: () => deps.places().repository.root,
      guidelineFile: () => readGuidelineFile(deps),
      records: async (query, context) =>
        (await import("./pack-records.ts")).readPackRecords(query, deps, context),
      secrets,
      place: (userPath) => placeInside(deps, userPath),
      ...(deps.mayWriteFiles && {
        write: async (userPath: string, text: string) => {
          await write(userPath, text)
          return deps.resolve(userPath)
        },
      }),
      ids: createIds(deps),
      clock: deps.clock,
      log: deps.log,
    }),
  }
}

async function agentReads(deps: PackDeps): Promise<AgentReads | undefined> {
  const { root } = deps.places().repository
  const sinceMs = deps.clock.now() - READS_DAYS * DAY_MS
  const byPath = new Map<string, number>()
  for (const read of await (await deps.agents()).reads(sinceMs)) {
    const file = path.resolve(read.cwd, read.path)
    if (!isInside(root, file)) continue
    const inRepository = path.relative(root, file).replaceAll(path.sep, "/")
    byPath.set(inRepository, (byPath.get(inRepository) ?? 0) + 1)
  }
  return byPath.size === 0 ? undefined : { sinceMs, byPath }
}

async function writeGiven(file: string, text: string): Promise<void> {
  await ensureDirectory(path.dirname(file), { mode: 0o755 })
  await writeFileAtomic(file, text, { mode: 0o644 })
}

async function readGuidelineFile(deps: Pick<Services, "places">) {
  const file = path.join(deps.places().repository.root, PROJECT_FOLDER, "guidelines.json")
  const outcome = await readTextBounded(file, { maxBytes: GUIDELINE_FILE_LIMIT_BYTES })
  if (outcome.kind === "read") return { path: file, text: outcome.text }
  if (outcome.kind === "missing") return undefined
  const reason = describeUnreadable(outcome, GUIDELINE_FILE_LIMIT_BYTES)
  throw FileUnreadable({ path: file, reason })
}
