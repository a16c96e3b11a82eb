import { createHash } from "node:crypto"
import { createIds, oneLine } from "#ground/base"
import type { Caller, MemoryCite, MemoryKind, MemorySource } from "#ground/contract"
import type { Redact } from "#ground/secrets"
import { isPerson, type MemoryDeps } from "../deps.ts"
import { CiteUnknown, MemoryInvalid, TextTooLong } from "../errors.ts"
import { type CitePlace, isPathBelowRoot, parseCite } from "../files/citations.ts"
import type { MemoryEntry } from "../files/entry.ts"
import { hasMergeMarks } from "../files/file-text.ts"
import {
  LONGEST_BODY_UNITS,
  LONGEST_DESCRIPTION_UNITS,
  LONGEST_SHOWN_UNITS,
  LONGEST_TITLE_UNITS,
  MOST_CITES,
} from "../limits.ts"
import { redactLine, redactText } from "./redact.ts"

export type RecordInput = {
  readonly kind: MemoryKind
  readonly title: string
  readonly description: string
  readonly body: string
  readonly cites: readonly string[]
  readonly branchId?: string | undefined
  readonly untrusted: boolean
  readonly supersedes?: string | undefined
  readonly sessionId?: string | undefined
}

export type CheckedMemory = { readonly entry: MemoryEntry; readonly redactions: number }

export async function checkMemory(
  input: RecordInput,
  caller: Caller | undefined,
  deps: MemoryDeps,
): Promise<CheckedMemory> {
  const { redact } = await deps.secrets()
  const fields = saidIn(input, redact)
  const cites = await citesOf(input.cites, redact, deps)
  const source = await sourceOf(input, caller, { redact, deps })
  const id: string = createIds(deps).next("mem")
  const { redactions, ...words } = fields
  const entry: MemoryEntry = {
    id,
    kind: input.kind,
    ...words,
    cites: [...cites],
    source,
    // Text from outside needs a user's confirmation (TB5).
    state: source.actor === "human" && !source.isUntrusted ? "confirmed" : "proposed",
    supersededBy: null,
    signals: { helpful: 0, unhelpful: 0, succeeded: 0, failed: 0 },
    createdAt: deps.clock.now(),
  }
  return { entry, redactions }
}

type MemoryTexts = Pick<MemoryEntry, "title" | "description" | "body">

function saidIn(input: RecordInput, redact: Redact): MemoryTexts & { readonly redactions: number } {
  const title = fitting("title", oneLine(input.title), LONGEST_TITLE_UNITS)
  const description = fitting("description", oneLine(input.description), LONGEST_DESCRIPTION_UNITS)
  const body = fitting("body", input.body, LONGEST_BODY_UNITS)
  const safe = {
    title: redactLine(title, redact),
    description: redactLine(description, redact),
    body: redactText(body, redact),
  }
  if (safe.title.text === "") throw MemoryInvalid({ field: "title", wrong: "is empty" })
  if (hasMergeMarks(safe.body.text))
    throw MemoryInvalid({ field: "body", wrong: "has merge conflict markers" })
  return {
    title: safe.title.text,
    description: safe.description.text === "" ? safe.title.text : safe.description.text,
    body: safe.body.text.trim(),
    redactions: safe.title.redactions + safe.description.redactions + safe.body.redactions,
  }
}

function fitting(field: string, text: string, most: number): string {
  if (text.length > most) throw TextTooLong({ field, length: text.length, most })
  return text
}

async function citesOf(
  citeTexts: readonly string[],
  redact: Redact,
  deps: MemoryDeps,
): Promise<readonly MemoryCite[]> {
  if (citeTexts.length > MOST_CITES)
    throw MemoryInvalid({
      field: "cites",
      wrong: `are ${citeTexts.length}; the limit is ${MOST_CITES}`,
    })
  const cites: MemoryCite[] = []
  for (const cite of new Set(citeTexts)) {
    const citation = await findPlace(cite, deps)
    const shown = redactText(cite, redact)
    // A path that contains a secret cannot be stored.
    if (citation === undefined || shown.text !== cite) throw CiteUnknown({ cite: shown.text })
    cites.push(citation)
  }
  return cites
}

/** The whole text may be a path with a `#`; otherwise the part after it is a symbol. */
async function findPlace(cite: string, deps: MemoryDeps): Promise<MemoryCite | undefined> {
  const places: readonly CitePlace[] = [{ path: cite }, parseCite(cite)]
  for (const cited of places) {
    const sha = isPathBelowRoot(cited.path) ? await deps.hashOf(cited) : undefined
    if (sha !== undefined) return { ...cited, sha }
  }
  return undefined
}

async function sourceOf(
  input: RecordInput,
  caller: Caller | undefined,
  { redact, deps }: { readonly redact: Redact; readonly deps: MemoryDeps },
): Promise<MemorySource> {
  const isHuman = isPerson(caller)
  const session = input.sessionId ?? caller?.session
  const isUntrusted = input.untrusted || (!isHuman && (await hasReadUntrusted(session, deps)))
  return {
    session: session === undefined ? null : nameOf(session, redact),
    actor: isHuman ? "human" : "agent",
    commit: await deps.commit(),
    isUntrusted,
    isDistilled: input.branchId !== undefined,
  }
}

/** Unknown counts as untrusted. */
async function hasReadUntrusted(
  session: string | undefined,
  { isUntrusted, log }: MemoryDeps,
): Promise<boolean> {
  try {
    return session !== undefined && (await isUntrusted(session))
  } catch (error) {
    log.warn("unknown whether the session read foreign text", { error })
    return true
  }
}

/** A session id that is unsafe in a shared file is replaced by its hash. */
function nameOf(session: string, redact: Redact): string {
  const isPlain =
    session.length <= LONGEST_SHOWN_UNITS && redactLine(session, redact).text === session
  if (isPlain) return session
  return `session-${createHash("sha256").update(session).digest("hex").slice(0, 16)}`
}
