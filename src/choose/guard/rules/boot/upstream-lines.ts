import type { Apart } from "./count-apart.ts"
import { type Divergence, readDivergence } from "./divergence.ts"
import { FRESH_FETCH_MS, OLD_FETCH_MS } from "./limits.ts"
import type { Asked } from "./section.ts"
import { ago, counted, inline } from "./words.ts"

/** How the branch stands to its upstream; an old look at it is made anew after the answer. */
export async function upstreamLines({ world, now }: Asked): Promise<readonly string[]> {
  const found = await readDivergence(world)
  if (found === undefined) return []
  const isRemote = found.upstream.remote !== "."
  const ageMs = now - (found.fetchedAtMs ?? Number.NEGATIVE_INFINITY)
  if (isRemote && ageMs > FRESH_FETCH_MS && world.config.mayFetch)
    world.afterwards({ kind: "fetch" })
  const { apart } = found
  const isLevel = apart !== undefined && apart.ahead + apart.behind === 0
  if (apart === undefined || (isLevel && (!isRemote || ageMs <= OLD_FETCH_MS))) return []
  return [`${standing(found, apart)}${isRemote ? asOf(found, now) : ""}.`, ...advice(apart)]
}

function standing({ branch, upstream }: Divergence, { ahead, behind }: Apart): string {
  const [own, other] = [inline(branch), inline(upstream.ref.replace(/^refs\/\w+\//, ""))]
  if (ahead + behind === 0) return `Branch ${own} was level with ${other}`
  const parts = [
    ...(ahead > 0 ? [`${counted(ahead, "commit")} ahead of`] : []),
    ...(behind > 0 ? [`${counted(behind, "commit")} behind`] : []),
  ]
  return `Branch ${own} is ${parts.join(" and ")} ${other}`
}

function asOf({ fetchedAtMs }: Divergence, now: number): string {
  return fetchedAtMs === undefined
    ? ", as of the clone; nobody has fetched since"
    : `, as of the last fetch ${ago(now - fetchedAtMs)}`
}

function advice({ behind }: Apart): readonly string[] {
  return behind > 0 ? ["Look at what came in upstream before building on this branch."] : []
}
