import { asRecord } from "#ground/base/object"
import type { MemoryKind, WireError } from "../../contract.ts"
import type { Input } from "../../data/client.ts"

export type MemoryDraft = {
  readonly kind: MemoryKind
  readonly title: string
  readonly description: string
  readonly body: string
  readonly cites: string
  readonly isUntrusted: boolean
}

export const NO_MEMORY: MemoryDraft = {
  kind: "rule",
  title: "",
  description: "",
  body: "",
  cites: "",
  isUntrusted: false,
}

export type DecisionDraft = {
  readonly title: string
  readonly context: string
  readonly decision: string
  readonly consequences: string
  readonly cites: string
}

export const NO_DECISION: DecisionDraft = {
  title: "",
  context: "",
  decision: "",
  consequences: "",
  cites: "",
}

export type Problems<Field extends string = string> = Partial<Readonly<Record<Field, string>>>

export type CheckResult<Request> =
  | { readonly kind: "wrong"; readonly problems: Problems }
  | { readonly kind: "right"; readonly input: Request }

/** Empty fields are omitted; the server checks lengths and reports the limit. */
export function checkMemory(draft: MemoryDraft): CheckResult<Input<"memory.record">> {
  const cites = parseCites(draft.cites)
  const description = draft.description.trim()
  return checked(
    {
      title: draft.title.trim() === "" && "A title is required.",
      body: draft.body.trim() === "" && "A text is required.",
      cites: tooMany(cites),
    },
    {
      kind: draft.kind,
      title: draft.title.trim(),
      body: draft.body,
      ...(description === "" ? {} : { description }),
      ...(cites.length === 0 ? {} : { cites }),
      ...(draft.isUntrusted ? { untrusted: true } : {}),
    },
  )
}

export function checkDecision(draft: DecisionDraft): CheckResult<Input<"decision.add">> {
  const cites = parseCites(draft.cites)
  const consequences = draft.consequences.trim()
  return checked(
    {
      title: draft.title.trim() === "" && "A title is required.",
      context: draft.context.trim() === "" && "A context is required.",
      decision: draft.decision.trim() === "" && "A decision is required.",
      cites: tooMany(cites),
    },
    {
      title: draft.title.trim(),
      context: draft.context,
      decision: draft.decision,
      ...(consequences === "" ? {} : { consequences }),
      ...(cites.length === 0 ? {} : { cites }),
    },
  )
}

function checked<Request>(
  checks: Readonly<Record<string, string | false>>,
  input: Request,
): CheckResult<Request> {
  const problems: Problems = Object.fromEntries(
    Object.entries(checks).filter((it): it is [string, string] => it[1] !== false),
  )
  return Object.keys(problems).length === 0 ? { kind: "right", input } : { kind: "wrong", problems }
}

function parseCites(text: string): string[] {
  return text.split("\n").flatMap((it) => (it.trim() === "" ? [] : [it.trim()]))
}

const MAX_CITES = 20

function tooMany(cites: readonly string[]): string | false {
  return cites.length > MAX_CITES && `At most ${MAX_CITES} citations; you entered ${cites.length}.`
}

export function problemsOf(
  { code, message, data }: WireError,
  draft: MemoryDraft | DecisionDraft,
): Problems {
  const { field: named } = asRecord(data)
  const ownText = "decision" in draft ? "decision" : "body"
  const fields = Object.keys(draft).filter((it) => it !== "kind" && it !== "isUntrusted")
  const byCode = { MEMORY_CITE_UNKNOWN: "cites", MEMORY_OWN_TEXT: ownText }
  const field = Object.entries(byCode).find(([it]) => it === code)?.[1]
  const knownField = field ?? fields.find((it) => it === named)
  return knownField === undefined ? {} : { [knownField]: message }
}
