import type { Clock } from "#ground/base"
import type { BenchScan, CallContext } from "#ground/contract"
import {
  commitTree,
  dumpTree,
  type IndexedTree,
  type SourceEntry,
  type TreeSource,
  workingTree,
} from "#know/map"
import { type Bench, pastOf } from "../bench.ts"
import { measurePeers, rowOf, type TreeSize } from "./peers.ts"

type ScanParts = {
  readonly bench: Bench
  readonly clock: Clock
  readonly searchPath: string
}

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
  const following = { mode: "incremental", signal: context.signal } as const
  // The times of files written just before a scan are stored by the next one, which reads them again.
  await fresh.index.scan(source, following)
  const changed = withOneChanged(source, tree)
  const changedAtMs = parts.clock.monotonicMs()
  if (changed !== undefined) {
    await fresh.index.scan(changed, following)
  }
  const oneFileChangedMs = parts.clock.monotonicMs() - changedAtMs
  const peers = isBare(bench)
    ? []
    : await measurePeers({ ...parts, root: bench.repository.root, size, signal: context.signal })
  const walked = await walkCommits(input.commits, bench, context)
  return {
    repository: nameOf(bench),
    ...size,
    rows: [rowOf({ tool: "qm", ...used, note: "cold, new database" }, size), ...peers],
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
    megabytes: sum((it) => it.sizeBytes) / 1_000_000,
  }
}

async function sourceOf({ bench, clock }: ScanParts): Promise<TreeSource> {
  const { repository, git } = bench
  if (!isBare(bench)) {
    const format = "problem" in git ? "sha1" : git.format
    return workingTree({ repository, format, git: async () => git, clock })
  }
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

/**
 * Starts at the oldest of the newest `count` commits and compares the incremental index with a new
 * one, byte for byte.
 */
async function walkCommits(
  count: number,
  bench: Bench,
  { signal, onProgress }: CallContext,
): Promise<Pick<BenchScan, "commitsCompared" | "commitsEqual">> {
  if (count === 0) return { commitsCompared: 0, commitsEqual: 0 }
  const { git, head } = await pastOf(bench)
  const newest = await git.commitIds({ from: head, limit: count })
  const options = { mode: "incremental", signal } as const
  await using following = await bench.freshIndex()
  let equal = 0
  for (const [done, commit] of newest.toReversed().entries()) {
    onProgress?.({ what: "commits", done, total: newest.length })
    const source = commitTree({ git, commit })
    const followed = await following.index.scan(source, options)
    await using clean = await bench.freshIndex()
    const anew = await clean.index.scan(source, options)
    if ((await dumpTree(followed.tree)) === (await dumpTree(anew.tree))) equal++
  }
  return { commitsCompared: newest.length, commitsEqual: equal }
}

export function withOneChanged(source: TreeSource, { files }: IndexedTree): TreeSource | undefined {
  const code = files.filter((it) => it.language !== undefined && it.fileClass === "source")
  const bySize = code.toSorted((a, b) => a.sizeBytes - b.sizeBytes)
  const chosen = bySize[bySize.length >> 1]?.path
  if (chosen === undefined) return undefined
  let asListed: SourceEntry | undefined
  return {
    ...source,
    async list(signal, before) {
      const listed = await source.list(signal, before)
      asListed = listed.entries.find((it) => it.path === chosen)
      const entries = listed.entries.map((it) =>
        // Without blob id and stamp, so that the file is read.
        it.path === chosen ? { path: it.path, sizeBytes: it.sizeBytes } : it,
      )
      return { ...listed, entries }
    },
    async *read(entries, signal) {
      // A commit finds its texts by the ids it listed.
      const restored = entries.map((it) => (it.path === chosen ? (asListed ?? it) : it))
      for await (const read of source.read(restored, signal)) {
        if ("skip" in read || read.path !== chosen) yield read
        else yield { ...read, bytes: Buffer.concat([read.bytes, Buffer.from(ONE_LINE_MORE)]) }
      }
    },
  }
}

const ONE_LINE_MORE = "\n\n"

type Usage = { readonly atMs: number; readonly cpuSeconds: number }

function usageSoFar(clock: Clock): Usage {
  return { atMs: clock.monotonicMs(), cpuSeconds: cpuSeconds() }
}

function usageSince(before: Usage, clock: Clock) {
  return {
    seconds: (clock.monotonicMs() - before.atMs) / 1_000,
    cpuSeconds: cpuSeconds() - before.cpuSeconds,
    peakMegabytes: (process.resourceUsage().maxRSS * 1_024) / 1_000_000,
  }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
