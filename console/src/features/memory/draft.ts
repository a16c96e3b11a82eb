import type { MemoryKind, WireError } from "../../contract.ts"
import type { Input } from "../../data/client.ts"

/** What the form holds; local until it is sent. */
export type Draft = {
  readonly kind: MemoryKind
  readonly title: string
  readonly description: string
  readonly body: string
  /** One a line: path, or path#symbol. */
  readonly cites: string
  readonly isUntrusted: boolean
}

export const NO_DRAFT: Draft = {
  kind: "rule",
  title: "",
  description: "",
  body: "",
  cites: "",
  isUntrusted: false,
}

type Field = "title" | "description" | "body" | "cites"
export type Problems = Partial<Readonly<Record<Field, string>>>

export type Checked =
  | { readonly kind: "wrong"; readonly problems: Problems }
  | { readonly kind: "right"; readonly input: Input<"memory.record"> }

/** The contract's most. */
const MOST_CITES = 20

/** What is left empty is left out; lengths are judged by the server, which says the limit. */
export function checkDraft(draft: Draft): Checked {
  const cites = draft.cites.split("\n").flatMap((it) => (it.trim() === "" ? [] : [it.trim()]))
  const problems: Problems = {
    ...(draft.title.trim() === "" ? { title: "It needs a title." } : {}),
    ...(draft.body.trim() === "" ? { body: "It needs a text." } : {}),
    ...(cites.length > MOST_CITES
      ? { cites: `At most ${MOST_CITES}, these are ${cites.length}.` }
      : {}),
  }
  if (Object.keys(problems).length > 0) return { kind: "wrong", problems }
  const description = draft.description.trim()
  return {
    kind: "right",
    input: {
      kind: draft.kind,
      title: draft.title.trim(),
      body: draft.body,
      ...(description === "" ? {} : { description }),
      ...(cites.length === 0 ? {} : { cites }),
      ...(draft.isUntrusted ? { untrusted: true } : {}),
    },
  }
}

const FIELDS: readonly Field[] = ["title", "description", "body", "cites"]

const FIELD_OF_CODE: Readonly<Record<string, Field>> = {
  MEMORY_CITE_UNKNOWN: "cites",
  MEMORY_OWN_TEXT: "body",
}

/** Where a refusal of the server belongs, if it is about one field. */
export function problemsOf({ code, message, data }: WireError): Problems {
  const named = typeof data === "object" && data !== null && "field" in data ? data.field : null
  const field = FIELD_OF_CODE[code] ?? FIELDS.find((it) => it === named)
  return field === undefined ? {} : { [field]: message }
}
