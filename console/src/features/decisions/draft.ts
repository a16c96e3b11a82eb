import type { WireError } from "../../contract.ts"
import type { Input } from "../../data/client.ts"

/** What the form holds; local until it is sent. */
export type Draft = {
  readonly title: string
  readonly context: string
  readonly decision: string
  readonly consequences: string
  /** One a line: path, or path#symbol. */
  readonly cites: string
}

export const NO_DRAFT: Draft = {
  title: "",
  context: "",
  decision: "",
  consequences: "",
  cites: "",
}

type Field = keyof Draft
export type Problems = Partial<Readonly<Record<Field, string>>>

export type Checked =
  | { readonly kind: "wrong"; readonly problems: Problems }
  | { readonly kind: "right"; readonly input: Input<"decision.add"> }

/** The contract's most. */
const MOST_CITES = 20

/** What is left empty is left out; lengths are judged by the server, which says the limit. */
export function checkDraft(draft: Draft): Checked {
  const cites = draft.cites.split("\n").flatMap((it) => (it.trim() === "" ? [] : [it.trim()]))
  const problems: Problems = {
    ...(draft.title.trim() === "" ? { title: "It needs a title." } : {}),
    ...(draft.context.trim() === "" ? { context: "Say what made it necessary." } : {}),
    ...(draft.decision.trim() === "" ? { decision: "Say what was decided." } : {}),
    ...(cites.length > MOST_CITES
      ? { cites: `At most ${MOST_CITES}, these are ${cites.length}.` }
      : {}),
  }
  if (Object.keys(problems).length > 0) return { kind: "wrong", problems }
  const consequences = draft.consequences.trim()
  return {
    kind: "right",
    input: {
      title: draft.title.trim(),
      context: draft.context,
      decision: draft.decision,
      ...(consequences === "" ? {} : { consequences }),
      ...(cites.length === 0 ? {} : { cites }),
    },
  }
}

const FIELDS: readonly Field[] = ["title", "context", "decision", "consequences", "cites"]

const FIELD_OF_CODE: Readonly<Record<string, Field>> = {
  MEMORY_CITE_UNKNOWN: "cites",
  MEMORY_OWN_TEXT: "decision",
}

/** Where a refusal of the server belongs, if it is about one field. */
export function problemsOf({ code, message, data }: WireError): Problems {
  const named = typeof data === "object" && data !== null && "field" in data ? data.field : null
  const field = FIELD_OF_CODE[code] ?? FIELDS.find((it) => it === named)
  return field === undefined ? {} : { [field]: message }
}
