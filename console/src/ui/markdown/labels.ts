import { createContext } from "react"

/** Where a label such as [P3] in a text leads. */
export type TextLabel = {
  readonly href: string
  readonly title: string
  readonly outside: string | null
}

/** Labels of the text that is shown, by their name without brackets; only who knows them gives any. */
export const LabelsContext = createContext<ReadonlyMap<string, TextLabel>>(new Map())

/** Labels in brackets, one or several: `split` by it yields what lies between and them, in turn. */
export const LABELS = /\[([A-Z]\d{1,4}(?:, ?[A-Z]\d{1,4}){0,20})\]/
