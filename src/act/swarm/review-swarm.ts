import path from "node:path"
import { statFile } from "#ground/base"
import type { Swarm, SwarmReview, Workstream } from "#ground/contract"
import type { Call, SwarmDeps } from "./deps.ts"
import type { SwarmStore } from "./swarm-store.ts"
import { isClosed, parseNumstat } from "./workstream.ts"

type Diff = SwarmReview["diffs"][number]

const NOTHING = { files: [], commits: 0, evidence: "none" } as const

/** Diffs, evidence and conflicts of the newest swarm, as its worktrees are now. */
export function createSwarmReviews(deps: SwarmDeps, store: SwarmStore) {
  async function hasFolder({ path: at }: Workstream): Promise<boolean> {
    return at !== null && (await statFile(path.join(at, ".git"))).kind === "found"
  }

  /** Undefined without its folder, also if that is removed meanwhile. */
  async function whileThere<Result>(it: Workstream, look: () => Promise<Result>) {
    if (!(await hasFolder(it))) return undefined
    try {
      return await look()
    } catch (error) {
      if (await hasFolder(it)) throw error
      return undefined
    }
  }

  async function diffOf(swarm: Swarm, it: Workstream, call: Call): Promise<Diff> {
    const git = await (await deps.worktrees()).git(call)
    const range = `${swarm.baseRef}...${it.branch}`
    const names = await git.ask(["diff", "--numstat", "-z", "--no-renames", range, "--"])
    const commits = await git.ask(["rev-list", "--count", `${swarm.baseRef}..${it.branch}`, "--"])
    return {
      workstream: it.name,
      files: parseNumstat(names.output),
      commits: Number(commits.output.trim()) || 0,
      evidence: await evidenceOf(it),
      problem: null,
    }
  }

  /** The files of a workstream that works change at any time, so only a parked one is compared. */
  async function evidenceOf(it: Workstream): Promise<Diff["evidence"]> {
    if (it.evidence === null) return "none"
    if (it.state !== "parked") return "outdated"
    const stamp = await (await deps.board({ root: it.path ?? "" })).stampOf(it.evidence.command)
    return stamp === "missing" ? "outdated" : stamp
  }

  async function conflictsOf(
    swarm: Swarm,
    it: Workstream,
    { open, call }: { readonly open: readonly Workstream[]; readonly call: Call },
  ): Promise<SwarmReview["conflicts"]> {
    const check = await (await deps.worktrees()).check({ name: it.worktree }, call)
    const base = check.base?.conflicts ?? []
    const others = open.flatMap((other) => {
      const files = check.others.find((row) => row.with === other.worktree)?.conflicts ?? []
      return it.name < other.name && files.length > 0
        ? [{ workstream: it.name, with: other.name, files }]
        : []
    })
    return base.length === 0
      ? others
      : [{ workstream: it.name, with: swarm.baseRef, files: base }, ...others]
  }

  return {
    hasFolder,

    async review(call: Call): Promise<SwarmReview> {
      const swarm = await store.newest()
      if (swarm === undefined) return { swarm: null, isDriven: false, diffs: [], conflicts: [] }
      const open = swarm.workstreams.filter((it) => it.branch !== null && !isClosed(it))
      const diffs: Diff[] = []
      const conflicts: SwarmReview["conflicts"] = []
      for (const it of open) {
        const seen = await whileThere(it, async () => ({
          diff: await diffOf(swarm, it, call),
          conflicts: await conflictsOf(swarm, it, { open, call }),
        }))
        const problem = `its folder ${it.path} is gone`
        diffs.push(seen?.diff ?? { workstream: it.name, ...NOTHING, files: [], problem })
        conflicts.push(...(seen?.conflicts ?? []))
      }
      return { swarm, isDriven: await store.isDriven(swarm.id), diffs, conflicts }
    },
  }
}
