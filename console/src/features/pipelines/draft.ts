import type { Depth, WireError } from "../../contract.ts"
import type { Input } from "../../data/client.ts"

/** What the form holds; local until it is sent. */
export type Draft = {
  readonly agent: string
  readonly query: string
  readonly depth: Depth
  /** US dollars, as typed; empty for the agent's own. */
  readonly budget: string
}

type Field = "agent" | "query" | "budget"
export type Problems = Partial<Readonly<Record<Field, string>>>

export const emptyDraft = (agent: string): Draft => ({
  agent,
  query: "",
  depth: "standard",
  budget: "",
})

export type Checked =
  | { readonly kind: "wrong"; readonly problems: Problems }
  | { readonly kind: "right"; readonly input: Input<"pipeline.run"> }

/** What is left empty is left out; the server judges the rest and names its limits. */
export function checkDraft(draft: Draft): Checked {
  const budget = Number(draft.budget.replace(",", ".").trim())
  const hasBudget = draft.budget.trim() !== ""
  const problems: Problems = {
    ...(draft.agent === "" ? { agent: "Choose an agent." } : {}),
    ...(draft.query.trim() === "" ? { query: "It needs a question." } : {}),
    ...(hasBudget && !(budget > 0) ? { budget: "A figure above 0, such as 1.50." } : {}),
  }
  if (Object.keys(problems).length > 0) return { kind: "wrong", problems }
  return {
    kind: "right",
    input: {
      agent: draft.agent,
      query: draft.query.trim(),
      depth: draft.depth,
      ...(hasBudget ? { budget } : {}),
    },
  }
}

const FIELD_OF_CODE: Readonly<Record<string, Field>> = {
  PIPELINE_AGENT_UNKNOWN: "agent",
  PIPELINE_AGENT_INVALID: "agent",
  PIPELINE_AGENT_UNTRUSTED: "agent",
}
const FIELDS: readonly Field[] = ["agent", "query", "budget"]

export function problemsOf({ code, message, data }: WireError): Problems {
  const named = typeof data === "object" && data !== null && "field" in data ? data.field : null
  const field = FIELD_OF_CODE[code] ?? FIELDS.find((it) => it === named)
  return field === undefined ? {} : { [field]: message }
}
