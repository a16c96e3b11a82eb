import { createContext } from "react"

export type TextLabel = {
  readonly href: string
  readonly title: string
  readonly outside: string | null
}

export const LabelsContext = createContext<ReadonlyMap<string, TextLabel>>(new Map())

/** Labels in brackets, one or several; `split` by it alternates between other text and labels. */
export const LABELS = /\[([A-Z]\d{1,4}(?:, ?[A-Z]\d{1,4}){0,20})\]/
