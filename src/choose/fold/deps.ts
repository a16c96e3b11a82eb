import { hash } from "node:crypto"
import {
  type Clock,
  type Log,
  type ProcessIdentity,
  type Random,
  withoutHiddenCharacters,
} from "#ground/base"
import type { Caller, Config, MemoryInjected } from "#ground/contract"
import type { Secrets } from "#ground/secrets"
import type { Db } from "#ground/store"
import { checkSession } from "./branch/check.ts"
import { ScrubFailed } from "./errors.ts"
import type { BranchOwner } from "./queries.ts"
import type { Owner } from "./rows.ts"
import type { Spool } from "./trail/spool.ts"

export type FoldDeps = {
  db(): Promise<Db<"fold">>
  config(): Config["context_folding"]
  root(): string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly owner: Owner
  isAlive(identity: ProcessIdentity): boolean
  count(): Promise<(text: string) => number>
  /** Tokens of the model per token that a hook estimates. */
  scale?(): Promise<number>
  /** When it rejects or throws, nothing is stored. */
  secrets(): Promise<Pick<Secrets, "redact">>
  /**
   * Fold eligibility of a session, or of one branch of it. Without it nothing is folded on the
   * wire.
   */
  wire?(session: string, branchId: string | undefined): Promise<FoldEligibility>
  receiptKey?(): Promise<string>
  /** Without it only our own tools are metered. */
  readonly spool?: Spool
  memories(wanted: MemoryQuery): Promise<readonly MemoryInjected[]>
}

/** A model reads `why`: a clause without a full stop. */
export type FoldEligibility =
  | { readonly kind: "eligible" }
  | { readonly kind: "no"; readonly why: string }

type MemoryQuery = {
  readonly text: string
  readonly budgetTokens: number
  readonly minConfidence: number
  readonly most: number
}

export const TERMINAL: Caller = { principal: "owner", session: "terminal" }

export type Call = { readonly who: BranchOwner; readonly scrub: Scrub }

export async function openCall(
  deps: Pick<FoldDeps, "root" | "secrets" | "log">,
  caller: Caller,
  sessionId: string | undefined,
): Promise<Call> {
  const scrub = await openScrub(deps)
  const session = sessionOf(sessionId ?? "", caller.session, scrub)
  return { who: { root: deps.root(), principal: caller.principal, session }, scrub }
}

/** A session id that contains a secret is replaced by its hash, the same in every process. */
export function sessionOf(named: string, ofCaller: string, scrub: Scrub): string {
  const session = named === "" ? ofCaller : named
  checkSession(session)
  return scrub.text(session) === session ? session : `ses_${hash("sha256", session).slice(0, 32)}`
}

/** Checked before a query: a column takes no NUL. */
export function isBranchId(id: string): boolean {
  return /^br_[0-9a-f]{32}$/.test(id)
}

export function newId(prefix: "br" | "rh", random: Random): string {
  return `${prefix}_${Buffer.from(random.bytes(16)).toString("hex")}`
}

/** For work that must finish even when tokens cannot be counted. */
export async function counterOrRough(
  deps: Pick<FoldDeps, "count" | "log">,
): Promise<(text: string) => number> {
  try {
    return await deps.count()
  } catch (error) {
    deps.log.warn("tokens are estimated by length", { error })
    return (text) => Math.ceil(text.length / 4)
  }
}

/** Estimates are counted as they are when the scale is not known. */
export async function scaleOf(deps: Pick<FoldDeps, "scale" | "log">): Promise<number> {
  try {
    return (await deps.scale?.()) ?? 1
  } catch (error) {
    deps.log.warn("tokens are not scaled to the model", { error })
    return 1
  }
}

export type Scrub = {
  text(text: string): string
  texts(texts: readonly string[]): string[]
  redactions(): number
}

/** When the scrubber fails, nothing passes. */
export async function openScrub(deps: {
  secrets(): Promise<Pick<Secrets, "redact">>
  log: Log
}): Promise<Scrub> {
  let replaced = 0
  const fail = (error: unknown): Error => {
    // Only the name: the message may contain the text.
    const name = error instanceof Error ? error.name : typeof error
    deps.log.error("could not scan for secrets", { name })
    return ScrubFailed({})
  }
  const redact = await deps.secrets().then(
    (it) => it.redact,
    (error: unknown) => {
      throw fail(error)
    },
  )
  const text = (raw: string): string => {
    try {
      const passed = scrubbed(raw, redact)
      replaced += passed.secrets
      return passed.text
    } catch (error) {
      throw fail(error)
    }
  }
  return { text, texts: (all) => all.map(text), redactions: () => replaced }
}

/** Clean text is unchanged. A text with a secret split by hidden characters loses both. */
function scrubbed(
  raw: string,
  redact: Secrets["redact"],
): { readonly text: string; readonly secrets: number } {
  const first = redact(raw)
  const cleaned = withoutHiddenCharacters(first.text)
  if (cleaned === first.text) return { text: first.text, secrets: first.findings.length }
  const second = redact(cleaned)
  const hasHidden = second.findings.length > 0
  return {
    text: hasHidden ? second.text : first.text,
    secrets: first.findings.length + second.findings.length,
  }
}
