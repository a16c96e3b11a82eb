import { dirname } from "node:path"
import type { HookWorld } from "../../event.ts"
import { type Apart, countApart } from "./count-apart.ts"
import { LARGEST_GIT_CONFIG_BYTES } from "./limits.ts"
import { openPlain } from "./open-plain.ts"
import { lineIn, readRef } from "./refs.ts"
import { type Upstream, upstreamOf } from "./upstream.ts"

/** How a branch stands to its upstream, as far as this repository has heard of it. */
export type Divergence = {
  readonly branch: string
  readonly upstream: Upstream
  /** Undefined when git did not say in time. */
  readonly apart: Apart | undefined
  /** Undefined when nobody has fetched since the repository was made. */
  readonly fetchedAtMs: number | undefined
}

/** Undefined where there is nothing to compare: no git, no branch, no upstream, no commit. */
export async function readDivergence(world: HookWorld): Promise<Divergence | undefined> {
  const { gitDirectory, stateDirectory } = world
  if (gitDirectory === undefined) return undefined
  // All worktrees share it: the state lies in it.
  const common = dirname(stateDirectory)
  const branch = branchIn(gitDirectory)
  const upstream = branch === undefined ? undefined : upstreamIn(common, branch)
  if (branch === undefined || upstream === undefined) return undefined
  const [head, other] = [readRef(common, `refs/heads/${branch}`), readRef(common, upstream.ref)]
  if (head === undefined || other === undefined) return undefined
  const apart =
    head === other ? { ahead: 0, behind: 0 } : await countApart({ common, head, other }, world)
  const folders = [...new Set([gitDirectory, common])]
  const fetches = folders.flatMap((it) => fetchedAt(it) ?? [])
  const fetchedAtMs = fetches.length === 0 ? undefined : Math.max(...fetches)
  return { branch, upstream, apart, fetchedAtMs }
}

function branchIn(gitDirectory: string): string | undefined {
  using folder = openPlain(gitDirectory)
  const head = folder === undefined ? undefined : lineIn(folder, "HEAD")
  return /^ref: refs\/heads\/(.+)$/.exec(head ?? "")?.[1]
}

function upstreamIn(common: string, branch: string): Upstream | undefined {
  using folder = openPlain(common)
  const read = folder?.read("config", { maxBytes: LARGEST_GIT_CONFIG_BYTES })
  return read?.kind === "read" ? upstreamOf(read.bytes.toString(), branch) : undefined
}

/** Git writes this file at each fetch, whatever came of it. */
function fetchedAt(gitDirectory: string): number | undefined {
  using folder = openPlain(gitDirectory)
  const looked = folder?.stat("FETCH_HEAD")
  return looked?.kind === "found" ? looked.stat.modifiedAtMs : undefined
}
