import type { Caller, FoldCharge, OperationInput } from "#ground/contract"
import { LONGEST_NAME_UNITS } from "./limits.ts"
import { markUntrusted } from "./queries.ts"
import { chargeActive } from "./spend.ts"
import { counterOrRough, type FoldDeps, openCall } from "./world.ts"

type Charging = FoldDeps & { onEnded(): void }

/** What the host's own hooks report; from then on the figure is no lower bound. */
export async function chargeByHost(
  deps: Charging,
  input: OperationInput<"fold.charge">,
  caller: Caller,
): Promise<FoldCharge> {
  const { who, scrub } = await openCall(deps, caller, input.sessionId)
  const tool = scrub.text(input.tool ?? "").slice(0, LONGEST_NAME_UNITS)
  const step = {
    kind: "charge",
    tool: tool === "" ? null : storable(tool),
    text: scrub.text(input.text ?? ""),
    handle: null,
  } as const
  const paths = scrub.texts(input.paths ?? [])
  const count = await counterOrRough(deps)
  const at = deps.clock.now()
  const db = await deps.db()
  const { outcome, row } = await db.transaction(async (tx) => {
    if (bringsForeignText(tool)) await tx.run(markUntrusted(who, at))
    const redactions = scrub.redactions()
    const { tokens } = input
    const charge = { who, at, tokens, keptUnderHandles: 0, isByHost: true, paths, redactions }
    return chargeActive(tx, { ...charge, step, count })
  })
  const isEnded = outcome === "ended" || outcome === "refused"
  if (isEnded) deps.onEnded()
  return {
    outcome: isEnded ? "ended" : outcome,
    branchId: row?.id ?? null,
    budgetUsed: row?.budgetUsed ?? 0,
    budgetTotal: row?.budgetTotal ?? 0,
  }
}

/** A column of text: what no database keeps is left out of a tool's name. */
export function storable(name: string): string {
  return name.replaceAll("\0", "").toWellFormed()
}

/** Tools of hosts that read the web, and those of other servers. */
export function bringsForeignText(tool: string): boolean {
  if (/^mcp__/i.test(tool)) return !isOwnTool(tool)
  return /^(?:web|google_web|fetch|browser)/i.test(tool)
}

/** As hosts call the tools of our own server, which is called qm. */
export function isOwnTool(tool: string): boolean {
  return /^mcp__(?:plugin_)?(?:qm|quartermaster)(?:_|$)/i.test(tool)
}
