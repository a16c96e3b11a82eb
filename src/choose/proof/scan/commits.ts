import type { BenchScan, CallContext } from "#ground/contract"
import { commitTree, dumpTree } from "#know/map"
import { type Bench, pastOf } from "../bench.ts"

/**
 * Goes through the newest commits, the oldest of them first. After each one the index that followed
 * is compared with one made anew, byte for byte.
 */
export async function walkCommits(
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
