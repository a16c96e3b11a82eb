import type { Clock } from "#ground/base"
import type { BenchScan, CallContext } from "#ground/contract"
import { commitTree, type IndexedTree, type TreeSource, workingTree } from "#know/map"
import { type Bench, pastOf } from "../bench.ts"
import { MEGABYTE } from "../limits.ts"
import { walkCommits } from "./commits.ts"
import { withOneChanged } from "./one-changed.ts"
import { measurePeers } from "./peers.ts"
import { rowOf, type TreeSize } from "./row.ts"
import { usageSince, usageSoFar } from "./usage.ts"

export type ScanParts = {
  readonly bench: Bench
  readonly clock: Clock
  /** Where other tools are looked for. */
  readonly searchPath: string
}

/** Our own scan of a tree, then that of one changed file, then other tools on the same tree. */
export async function measureScan(
  input: { readonly commits: number },
  parts: ScanParts,
  context: CallContext,
): Promise<BenchScan> {
  const { bench } = parts
  await using fresh = await bench.freshIndex()
  const source = await sourceOf(parts)
  const before = usageSoFar(parts.clock)
  const { tree } = await fresh.index.scan(source, { ...progressing(context), mode: "full" })
  const used = usageSince(before, parts.clock)
  const size = sizeOf(tree)

  const changed = withOneChanged(source, tree)
  const changedAtMs = parts.clock.monotonicMs()
  if (changed !== undefined) {
    await fresh.index.scan(changed, { mode: "incremental", signal: context.signal })
  }
  const oneFileChangedMs = parts.clock.monotonicMs() - changedAtMs
  const peers = isBare(bench)
    ? []
    : await measurePeers({ ...parts, root: bench.repository.root, size, signal: context.signal })
  const walked = await walkCommits(input.commits, bench, context)
  return {
    repository: nameOf(bench),
    ...size,
    rows: [rowOf({ tool: "qm", ...used, note: "cold, a fresh store" }, size), ...peers],
    oneFileChangedMs: changed === undefined ? null : oneFileChangedMs,
    ...walked,
  }
}

function sizeOf(tree: IndexedTree): TreeSize {
  const sum = (of: (file: IndexedTree["files"][number]) => number) =>
    tree.files.reduce((total, it) => total + of(it), 0)
  return {
    files: tree.files.length,
    lines: sum((it) => it.lines),
    megabytes: sum((it) => it.sizeBytes) / MEGABYTE,
  }
}

/** What lies on the disk; of a bare repository, its newest commit. */
async function sourceOf({ bench, clock }: ScanParts): Promise<TreeSource> {
  const { repository, git } = bench
  if (!isBare(bench)) return workingTree({ repository, git, clock })
  const past = await pastOf(bench)
  return commitTree({ git: past.git, commit: past.head })
}

function isBare({ repository: { root, gitDirectory } }: Bench): boolean {
  return root === gitDirectory
}

function nameOf({ repository }: Bench): string {
  return repository.root.split(/[\\/]/).at(-1) ?? repository.root
}

function progressing({ signal, onProgress }: CallContext) {
  if (onProgress === undefined) return { signal }
  return {
    signal,
    onProgress: (done: number, total: number) => onProgress({ what: "files", done, total }),
  }
}
