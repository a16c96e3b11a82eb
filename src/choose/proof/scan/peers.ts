import path from "node:path"
import { type Clock, type Environment, run, writeFileAtomic } from "#ground/base"
import type { BenchScan, ScanRow } from "#ground/contract"
import type { Bench } from "../bench.ts"

const MOST_PEER_OUTPUT_BYTES = 1_000_000

const LONGEST_PEER_MS = 600_000

type PeerParts = {
  readonly bench: Bench
  readonly clock: Clock
  readonly searchPath: string
  readonly root: string
  readonly size: TreeSize
  readonly signal: AbortSignal
}

type Peer = {
  readonly tool: string
  readonly program: string
  readonly note: string
  args(places: {
    readonly root: string
    readonly out: string
    readonly config: string
  }): readonly string[]
}

/**
 * Neither reads settings of the tree, because both kinds of settings can name programs. They run in
 * a temporary directory.
 */
const PEERS: readonly Peer[] = [
  {
    tool: "universal-ctags",
    program: "ctags",
    note: "symbols only, all files it supports",
    args: ({ root, out }) => ["--options=NONE", "--recurse", "--links=no", "-f", out, root],
  },
  {
    tool: "repomix",
    program: "repomix",
    note: "one file with all texts, no index",
    args: ({ root, out, config }) => [root, "--config", config, "--output", out, "--quiet"],
  },
]

export async function measurePeers(parts: PeerParts): Promise<readonly ScanRow[]> {
  const rows: ScanRow[] = []
  for (const peer of PEERS) rows.push(await measurePeer(peer, parts))
  return rows
}

async function measurePeer(peer: Peer, parts: PeerParts): Promise<ScanRow> {
  const config = path.join(parts.bench.temporary, "no-settings.json")
  await writeFileAtomic(config, "{}\n")
  const out = path.join(parts.bench.temporary, `${peer.program}.out`)
  const args = peer.args({ root: parts.root, out, config })
  const startedAtMs = parts.clock.monotonicMs()
  const outcome = await timed([peer.program, ...args], parts)
  const seconds = (parts.clock.monotonicMs() - startedAtMs) / 1_000
  if (outcome.kind === "absent") return unmeasured(peer, "not installed")
  if (outcome.kind === "failed") return unmeasured(peer, "installed, but it failed")
  const { tool, note } = peer
  return rowOf({ tool, note, seconds, ...outcome.usage }, parts.size)
}

function unmeasured({ tool }: Peer, note: string): ScanRow {
  return {
    tool,
    note,
    seconds: null,
    cpuSeconds: null,
    peakMegabytes: null,
    filesPerSecond: null,
    megabytesPerSecond: null,
  }
}

type PeerUsage = Pick<ScanRow, "cpuSeconds" | "peakMegabytes">
type PeerOutcome =
  | { readonly kind: "done"; readonly usage: PeerUsage }
  | { readonly kind: "absent" }
  | { readonly kind: "failed" }

/** GNU time reports the memory of an ended program; without it only the duration is known. */
async function timed(command: readonly string[], parts: PeerParts): Promise<PeerOutcome> {
  const [program = "", ...args] = command
  const options = {
    cwd: parts.bench.temporary,
    env: searchEnvironment(parts.searchPath, {
      home: parts.bench.temporary,
      without: parts.root,
    }),
    signal: parts.signal,
    timeoutMs: LONGEST_PEER_MS,
    maxOutputBytes: MOST_PEER_OUTPUT_BYTES,
  }
  const isThere = await run(program, ["--version"], options)
  if (isThere.kind === "not-found") return { kind: "absent" }
  const byTime = await run(GNU_TIME, ["-v", program, ...args], options)
  const outcome = byTime.kind === "not-found" ? await run(program, args, options) : byTime
  if (outcome.kind !== "exited" || outcome.code !== 0) return { kind: "failed" }
  return { kind: "done", usage: readUsage(outcome.stderr.toString()) }
}

const GNU_TIME = "/usr/bin/time"

/** npm puts folders of a project on the PATH; programs from the measured tree must not run. */
export function searchEnvironment(
  searchPath: string,
  { home, without }: { readonly home: string; readonly without: string },
): Environment {
  const folders = searchPath.split(path.delimiter).filter((folder) => {
    const way = path.relative(without, folder)
    const isOutside = way === ".." || way.startsWith(`..${path.sep}`) || path.isAbsolute(way)
    return path.isAbsolute(folder) && isOutside
  })
  return { PATH: folders.join(path.delimiter), HOME: home, LC_ALL: "C" }
}

export function readUsage(stderr: string): PeerUsage {
  const numberOf = (label: string) => {
    const [, value] = new RegExp(`${label}: ([\\d.]+)`).exec(stderr) ?? []
    return value === undefined ? null : Number(value)
  }
  const user = numberOf("User time \\(seconds\\)")
  const system = numberOf("System time \\(seconds\\)")
  const peak = numberOf("Maximum resident set size \\(kbytes\\)")
  return {
    cpuSeconds: user === null || system === null ? null : user + system,
    peakMegabytes: peak === null ? null : (peak * 1_024) / 1_000_000,
  }
}

export type TreeSize = Pick<BenchScan, "files" | "lines" | "megabytes">

type ResourceUse = Pick<ScanRow, "tool" | "note" | "cpuSeconds" | "peakMegabytes"> & {
  readonly seconds: number
}

export function rowOf(used: ResourceUse, size: TreeSize): ScanRow {
  const perSecond = (count: number) => (used.seconds === 0 ? null : count / used.seconds)
  return {
    ...used,
    filesPerSecond: perSecond(size.files),
    megabytesPerSecond: perSecond(size.megabytes),
  }
}
