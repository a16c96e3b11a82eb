import { z } from "zod"
import { bringsForeignText, isOwnTool, storable } from "./charge.ts"
import { UNITS_PER_TOKEN } from "./limits.ts"
import { type Bound, markUntrusted, selectLive, selectLiveSessions } from "./queries.ts"
import { BranchRow } from "./rows.ts"
import { openScrub, type Scrub } from "./scrub.ts"
import { type Charged, chargeActive } from "./spend.ts"
import type { SpooledCharge } from "./spool.ts"
import { counterOrRough, type FoldDeps } from "./world.ts"

type Draining = FoldDeps & { onEnded(): void }

/** Charges what hooks have left for a session, before anybody looks at its branches. */
export async function drainSpool(deps: Draining, who: Bound): Promise<void> {
  const left = (await deps.spool?.drain(who.session)) ?? []
  // Our own tools are charged where they answer.
  const charges = left.filter((it) => !isOwnTool(it.tool))
  if (charges.length === 0) return
  // One of its own, opened only now: most of the time nothing was left.
  const scrub = await openScrub(deps)
  const count = await counterOrRough(deps)
  const db = await deps.db()
  const hasEnded = await db.transaction(async (tx) => {
    let isAnyEnded = false
    for (const charge of charges) {
      const at = deps.clock.now()
      if (bringsForeignText(charge.tool)) await tx.run(markUntrusted(who, at))
      const { outcome } = await chargeActive(tx, { ...asCharge(charge, scrub), who, at, count })
      isAnyEnded ||= isEnd(outcome)
    }
    return isAnyEnded
  })
  if (hasEnded) deps.onEnded()
}

/** The same for every session that has an open branch: what a person looks at is up to date. */
export async function drainAllSpools(deps: Draining): Promise<void> {
  if (deps.spool === undefined) return
  const db = await deps.db()
  const live = await db.all(BranchRow, selectLive(deps.root()))
  const owners = new Map(live.map((it) => [`${it.principal}\n${it.session}`, it]))
  for (const { principal, session } of owners.values()) {
    await drainSpool(deps, { root: deps.root(), principal, session })
  }
}

/** Takes the markers of sessions away that have no branch any more, after whatever ended them. */
export function createTidy(deps: FoldDeps) {
  let last: Promise<unknown> = Promise.resolve()
  return {
    later: (): void => {
      last = last.then(() => tidySpool(deps))
    },
    async after<Result>(work: Promise<Result>): Promise<Result> {
      const result = await work
      await tidySpool(deps)
      return result
    },
    done: () => last,
  }
}

async function tidySpool(deps: FoldDeps): Promise<void> {
  try {
    await deps.spool?.keepOnly(async () => {
      const db = await deps.db()
      return (await db.all(SessionRow, selectLiveSessions())).map((it) => it.session)
    })
  } catch (error) {
    deps.log.warn("markers of sessions without a branch stay", { error })
  }
}

/** Without it the figure is a lower bound, and says so. */
export async function markSpool(deps: FoldDeps, session: string): Promise<void> {
  try {
    await deps.spool?.open(session)
  } catch (error) {
    deps.log.warn("hooks will not meter this branch", { error })
  }
}

const SessionRow = z.object({ session: z.string() })

function asCharge({ tool, textUnits, paths }: SpooledCharge, scrub: Scrub) {
  const before = scrub.redactions()
  const name = storable(scrub.text(tool))
  const named = scrub.texts(paths)
  return {
    tokens: Math.ceil(textUnits / UNITS_PER_TOKEN),
    keptUnderHandles: 0,
    isByHost: true,
    paths: named,
    redactions: scrub.redactions() - before,
    step: { kind: "charge", tool: name === "" ? null : name, text: "", handle: null },
  } as const
}

function isEnd(outcome: Charged["outcome"]): boolean {
  return outcome === "ended" || outcome === "refused"
}
