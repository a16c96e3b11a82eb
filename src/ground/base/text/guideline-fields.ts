import { isRecord, type JsonRecord } from "../object.ts"

/** Names of the repo-mapper design, and the names used here. */
const FIELDS: Readonly<Record<string, string>> = {
  name: "title",
  enabled: "isEnabled",
  condition: "when",
}

const CONDITION_FIELDS: Readonly<Record<string, string>> = { not_agents: "notAgents" }

const ACTION_FIELDS: Readonly<Record<string, string>> = {
  instruction: "text",
  constraint: "text",
  tools_allowed: "allowed",
  tools_denied: "denied",
  gate_type: "reason",
  telemetry_event: "event",
}

/**
 * A guideline as written in `.qm/guidelines.json`, with the field names of `Guideline`. It is here
 * because hooks read it without a package, and `pack` with its schema. A value that is no object is
 * returned unchanged.
 */
export function guidelineFields(value: unknown): unknown {
  if (!isRecord(value)) return value
  const { action, ...others } = renamed(value, FIELDS)
  const actions = others["actions"] ?? (action === undefined ? undefined : [action])
  const when = others["when"]
  return {
    ...others,
    ...(isRecord(when) && { when: renamed(when, CONDITION_FIELDS) }),
    ...(Array.isArray(actions) && {
      actions: actions.map((it: unknown) => (isRecord(it) ? renamed(it, ACTION_FIELDS) : it)),
    }),
  }
}

/** If both names are given, the name used here wins. */
function renamed(fields: JsonRecord, names: Readonly<Record<string, string>>): JsonRecord {
  const entries = Object.entries(fields).map(([name, value]) => {
    const own = Object.hasOwn(names, name) ? names[name] : undefined
    const hasOwnName = own !== undefined && Object.hasOwn(fields, own)
    return [hasOwnName ? name : (own ?? name), value] as const
  })
  return Object.fromEntries(entries)
}
