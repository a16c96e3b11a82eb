import { hash } from "node:crypto"
import {
  type Clock,
  type Log,
  type ProcessIdentity,
  type Random,
  withoutHiddenSigns,
} from "#ground/base"
import type { Caller, Config, MemoryInjected } from "#ground/contract"
import type { Secrets } from "#ground/secrets"
import type { Db } from "#ground/store"
import { checkSession } from "./check.ts"
import { ScrubFailed } from "./errors.ts"
import type { Bound } from "./queries.ts"
import type { Owner } from "./rows.ts"
import type { Spool } from "./spool.ts"

/** What the room is handed. */
export type FoldDeps = {
  db(): Promise<Db<"fold">>
  config(): Config["context_folding"]
  /** The repository: every row carries it, and every query asks for it. */
  root(): string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly owner: Owner
  isAlive(identity: ProcessIdentity): boolean
  count(): Promise<(text: string) => number>
  /** When it rejects or throws, nothing leaves. */
  secrets(): Promise<Pick<Secrets, "redact">>
  /**
   * Whether the gateway can fold a session on the wire: at all when no branch is named, else just
   * this branch of it, now. Without it nothing is folded there.
   */
  wire?(session: string, branchId: string | undefined): Promise<FoldEligibility>
  /** Of the receipts that the gateway trusts. */
  receiptKey?(): Promise<string>
  /** What hooks leave; without it only our own tools are metered. */
  readonly spool?: Spool
  memories(wanted: MemoriesWanted): Promise<readonly MemoryInjected[]>
}

/** `why` is read by a model: a clause without a full stop. */
export type FoldEligibility =
  | { readonly kind: "eligible" }
  | { readonly kind: "no"; readonly why: string }

type MemoriesWanted = {
  readonly text: string
  readonly budgetTokens: number
  readonly minConfidence: number
  readonly most: number
}

/** The person at the terminal, who needs no door opened. */
export const TERMINAL: Caller = { principal: "owner", session: "terminal" }

/** A call: whose it is, and a scrubber that counts what it replaces in it. */
export type Call = { readonly who: Bound; readonly scrub: Scrub }

export async function openCall(
  deps: Pick<FoldDeps, "root" | "secrets" | "log">,
  caller: Caller,
  sessionId: string | undefined,
): Promise<Call> {
  const scrub = await openScrub(deps)
  const session = sessionOf(sessionId ?? "", caller.session, scrub)
  return { who: { root: deps.root(), principal: caller.principal, session }, scrub }
}

/** A session whose name holds a secret goes by a hash of it, the same in every process. */
export function sessionOf(named: string, ofCaller: string, scrub: Scrub): string {
  const session = named === "" ? ofCaller : named
  checkSession(session)
  return scrub.text(session) === session ? session : `ses_${hash("sha256", session).slice(0, 32)}`
}

/** What does not look like one is not asked for: a column takes no NUL, and 10 MB are no id. */
export function isBranchId(id: string): boolean {
  return /^br_[0-9a-f]{32}$/.test(id)
}

/** 128 random bits: a handle cannot be guessed. */
export function newId(prefix: "br" | "rh", random: Random): string {
  return `${prefix}_${Buffer.from(random.bytes(16)).toString("hex")}`
}

/** For what must come to its end even when tokens cannot be counted. */
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

/** Passes texts of one call and counts what it replaced in them. */
export type Scrub = {
  text(text: string): string
  texts(texts: readonly string[]): string[]
  redactions(): number
}

/** Whatever goes wrong with the scrubber, nothing passes. */
export async function openScrub(deps: {
  secrets(): Promise<Pick<Secrets, "redact">>
  log: Log
}): Promise<Scrub> {
  let replaced = 0
  const fail = (error: unknown): Error => {
    // The words of the failure may hold the text, so only its name is told.
    const name = error instanceof Error ? error.name : typeof error
    deps.log.error("secrets could not be looked for", { name })
    return ScrubFailed({})
  }
  const redact = await deps.secrets().then(
    (it) => it.redact,
    (error: unknown) => {
      throw fail(error)
    },
  )
  const text = (given: string): string => {
    try {
      const passed = scrubbed(given, redact)
      replaced += passed.secrets
      return passed.text
    } catch (error) {
      throw fail(error)
    }
  }
  return { text, texts: (given) => given.map(text), redactions: () => replaced }
}

/**
 * Clean text comes back as it is, hidden signs and all. One that hides a secret between hidden
 * signs loses both.
 */
function scrubbed(
  given: string,
  redact: Secrets["redact"],
): { readonly text: string; readonly secrets: number } {
  const first = redact(given)
  const cleaned = withoutHiddenSigns(first.text)
  if (cleaned === first.text) return { text: first.text, secrets: first.findings.length }
  const second = redact(cleaned)
  const hasHidden = second.findings.length > 0
  return {
    text: hasHidden ? second.text : first.text,
    secrets: first.findings.length + second.findings.length,
  }
}
