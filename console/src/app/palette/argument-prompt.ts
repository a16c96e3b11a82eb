import type { OperationEntry } from "../../data/client.ts"
import { parseField, type Question, questionsOf } from "../../data/schema-form.ts"

export type PaletteForm = {
  readonly operation: OperationEntry
  readonly questions: readonly Question[]
  readonly given: Readonly<Record<string, unknown>>
  readonly index: number
}

export type AskStep =
  | { readonly kind: "ask"; readonly asking: PaletteForm }
  | { readonly kind: "ready"; readonly operation: OperationEntry; readonly input: object }
  | { readonly kind: "wrong"; readonly message: string }

export function beginAsking(operation: OperationEntry): AskStep {
  return proceed({ operation, questions: questionsOf(operation.input), given: {}, index: 0 })
}

export function answer(asking: PaletteForm, text: string): AskStep {
  const question = asking.questions[asking.index]
  if (question === undefined) return proceed(asking)
  if (text === "") return leaveOut(asking, question)
  if (question.field.kind === "list") return addToList(asking, question, text)
  const parsed = parseField(question.field, text)
  if (parsed.kind === "wrong") return parsed
  const values = { ...asking.given, [question.name]: parsed.value }
  return proceed({ ...asking, given: values, index: asking.index + 1 })
}

export function describeArguments(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(", ") : String(value)}`)
    .join(", ")
}

function proceed(asking: PaletteForm): AskStep {
  if (asking.index < asking.questions.length) return { kind: "ask", asking }
  return { kind: "ready", operation: asking.operation, input: asking.given }
}

function leaveOut(asking: PaletteForm, question: Question): AskStep {
  const isAnswered = question.name in asking.given
  if (question.isRequired && !isAnswered) {
    return { kind: "wrong", message: `${question.name} is required` }
  }
  return proceed({ ...asking, index: asking.index + 1 })
}

function addToList(asking: PaletteForm, question: Question, text: string): AskStep {
  if (question.field.kind !== "list") return { kind: "ask", asking }
  const parsed = parseField(question.field.item, text)
  if (parsed.kind === "wrong") return parsed
  const before = asking.given[question.name]
  const items: readonly unknown[] = Array.isArray(before) ? before : []
  return {
    kind: "ask",
    asking: { ...asking, given: { ...asking.given, [question.name]: [...items, parsed.value] } },
  }
}
