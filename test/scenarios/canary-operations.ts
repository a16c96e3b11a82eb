import { OPERATIONS, type Operation } from "#ground/contract"
import { shortInput, textFields } from "#test/long-input"
import type { CanaryEntry } from "./canary-fixture.ts"
import type { Canary } from "./canary-search.ts"

/** Texts in place of a name, which SECURITY.md lists: they are stored and shown as they are. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "a path": ["path", "paths", "folder", "patterns", "to", "what"],
  "an id": ["session", "resume", "paragraphs"],
  "a model": ["model"],
  "a source": ["sources"],
}

/** A permission rule is the user's own text. */
const RULE_OPERATION = "permissions.add"

/**
 * One entry for each text in the input of each operation over HTTP, with one kind of secret that its
 * schema allows. So a new operation is covered without a change here.
 */
export const OPERATION_INPUTS: readonly CanaryEntry[] = Object.values<Operation>(OPERATIONS)
  .filter((it) => it.surfaces.includes("http"))
  .flatMap((operation) =>
    textFields(operation)
      .filter(({ key }) => !isName(operation.name, key))
      .map((field) => ({ operation, ...field })),
  )
  .map(({ operation, key, most, isList }, at) => ({
    name: `${key} of ${operation.name}`,
    isQueued: true,
    choose(canaries) {
      const fitting = canaries.filter((it) => it.text.length <= most && isOneLine(it))
      return fitting.slice(at % Math.max(1, fitting.length)).slice(0, 1)
    },
    async put(fixture, canaries) {
      const [text] = canaries.map((it) => it.text)
      if (text === undefined) return
      const input = { ...shortInput(operation), [key]: isList ? [text] : text }
      if (operation.effect === "write") await fixture.post(operation.name, input)
      else await fixture.get(operation.name, Object.fromEntries(queryOf(input)))
    },
  }))

const isOneLine = ({ text }: Canary): boolean => !/[\r\n\0]/.test(text)

function isName(operation: string, key: string): boolean {
  return operation === RULE_OPERATION || Object.values(NAMES).some((keys) => keys.includes(key))
}

function queryOf(input: Readonly<Record<string, unknown>>): readonly (readonly [string, string])[] {
  return Object.entries(input).map(([key, value]) => [key, String([value].flat()[0])])
}
