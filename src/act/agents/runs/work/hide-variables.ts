import { AgentEvent } from "#ground/contract"

type Redaction = {
  redact(text: string): string
  redactEvent(event: AgentEvent): unknown
}

/** A value shorter than this stands in ordinary words, and hiding it would say which it is. */
const SHORTEST_HIDDEN_CHARACTERS = 6

/** What a run was given as variables is nobody's to read, whether or not it looks like a secret. */
export function hideVariables(
  { redact, redactEvent }: Redaction,
  variables: Readonly<Record<string, string>>,
): Redaction {
  const values = Object.values(variables)
    .filter((it) => it.length >= SHORTEST_HIDDEN_CHARACTERS)
    .toSorted((a, b) => b.length - a.length)
  if (values.length === 0) return { redact, redactEvent }
  const hide = (text: string, write: (value: string) => string): string =>
    values.reduce((left, value) => left.replaceAll(write(value), "[redacted: variable]"), text)
  const inJson = (value: string): string => JSON.stringify(value).slice(1, -1)
  return {
    redact: (text) => redact(hide(text, (it) => it)),
    redactEvent: (event) => {
      const hidden: unknown = JSON.parse(hide(JSON.stringify(event), inJson))
      return redactEvent(AgentEvent.parse(hidden))
    },
  }
}
