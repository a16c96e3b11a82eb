import type { Clock, Ids, Log } from "#ground/base"
import type { CallContext } from "#ground/contract"
import type { IndexedTree, TreeGraph } from "#know/map"
import { SimulatedChanging, SimulatedUnreadable } from "./errors.ts"
import {
  type FileHash,
  type HashFormat,
  type Receipt,
  sweepReceipts,
  writeReceipt,
} from "./receipts.ts"
import { createRiskPaths } from "./risk-paths.ts"
import type { ResolveNames } from "./simulate/reach.ts"
import {
  type ForeseenReach,
  type HashedTarget,
  type OpenClaim,
  simulate,
  targetsOf,
} from "./simulate/simulate.ts"

export type GuardDeps = {
  readonly stateDirectory: string
  tree(context: CallContext): Promise<IndexedTree>
  refresh(context: CallContext): Promise<IndexedTree>
  /** Injected, because the map needs packages and hooks load this room without any. */
  graphOf(tree: IndexedTree): TreeGraph
  readonly resolveNames: ResolveNames
  hashOf(path: string, format: HashFormat): Promise<FileHash>
  /** Relative to the repository root; undefined outside it. */
  place(path: string): string | undefined
  claimsOn(paths: readonly string[]): Promise<readonly OpenClaim[]>
  redact(): Promise<(text: string) => string>
  highRiskPaths(): readonly string[]
  readonly ids: Ids
  readonly clock: Clock
  readonly log: Log
}

export type Simulation = Omit<ForeseenReach, "reach" | "tests" | "risk" | "reasons"> & {
  readonly receipt: Receipt
}

export function createGuard(deps: GuardDeps) {
  return {
    async simulate(
      { paths }: { readonly paths: readonly string[] },
      context: CallContext,
    ): Promise<Simulation> {
      const { graph, targets } = await hashedTargets(paths, context, deps)
      context.signal.throwIfAborted()
      const { reach, tests, risk, reasons, ...rest } = await simulate(graph, targets, {
        resolveNames: deps.resolveNames,
        claimsOn: (claimedPaths) => deps.claimsOn(claimedPaths),
        redact: await deps.redact(),
        riskPaths: createRiskPaths(deps.highRiskPaths()),
      })
      context.signal.throwIfAborted()
      const receipt: Receipt = {
        id: deps.ids.next("sim"),
        paths: targets.map(({ path, blobId }) => ({ path, blobId })),
        treeId: graph.tree.digest,
        reach,
        tests,
        risk,
        reasons,
        at: deps.clock.now(),
      }
      await writeReceipt(deps.stateDirectory, receipt)
      await sweep(deps)
      return { receipt, ...rest }
    },
  }
}

type HashedTargets = { readonly graph: TreeGraph; readonly targets: readonly HashedTarget[] }

/** Hooks compare with the disk, so an outdated tree is scanned once more. */
async function hashedTargets(
  paths: readonly string[],
  context: CallContext,
  deps: GuardDeps,
): Promise<HashedTargets> {
  const first = await lookAt(await deps.tree(context), paths, deps)
  if (first.stale.length === 0) return first
  const second = await lookAt(await deps.refresh(context), paths, deps)
  // A file that no scan lists, such as an ignored one, is simulated by its bytes.
  const moving = second.stale.find((it) => second.graph.positionOf(it) !== undefined)
  if (moving !== undefined) throw SimulatedChanging({ path: moving })
  return second
}

async function lookAt(
  tree: IndexedTree,
  paths: readonly string[],
  deps: GuardDeps,
): Promise<HashedTargets & { readonly stale: readonly string[] }> {
  const graph = deps.graphOf(tree)
  const format = tree.files[0]?.blobId.length === 64 ? "sha256" : "sha1"
  const unread = new Set([...tree.unread, ...tree.skipped].map((it) => it.path))
  const targets: HashedTarget[] = []
  const stale: string[] = []
  for (const target of targetsOf(graph, paths, deps.place)) {
    const hash = await deps.hashOf(target.path, format)
    if (hash.kind === "unknown") {
      throw SimulatedUnreadable({ path: target.path, why: hash.why })
    }
    const blobId = hash.kind === "hashed" ? hash.hash : null
    const scanned = tree.files[target.position ?? -1]?.blobId ?? null
    if (scanned !== blobId && !unread.has(target.path)) stale.push(target.path)
    targets.push({ ...target, blobId })
  }
  return { graph, targets, stale }
}

/** The receipt is already written, so a failed sweep must not fail the call. */
async function sweep({ stateDirectory, clock, log }: GuardDeps): Promise<void> {
  try {
    await sweepReceipts({ stateDirectory, now: clock.now() })
  } catch (error) {
    log.warn("old receipts could not be deleted", { error: String(error) })
  }
}
