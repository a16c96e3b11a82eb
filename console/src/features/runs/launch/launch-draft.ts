import { asRecord } from "#ground/base/object"
import { TYPES } from "../../../base/agent-types.ts"
import type { AgentMode, AgentType, GatewayMode, Provider, WireError } from "../../../contract.ts"
import type { Input } from "../../../data/client.ts"

export type LaunchDraft = {
  readonly prompt: string
  readonly type: AgentType
  readonly mode: AgentMode
  readonly model: string
  readonly cwd: string
  /** Id of the host's session to continue; empty for a new one. */
  readonly resume: string
  readonly budgetUsd: string
  readonly budgetTokens: string
  readonly sources: string
  readonly script: string
  readonly pack: string
  /** Empty for the configured mode. */
  readonly gateway: GatewayMode | ""
}
type Field = keyof LaunchDraft
export type Problems = Readonly<Partial<Record<Field, string>>>

export const MODES: readonly { readonly value: AgentMode; readonly description: string }[] = [
  { value: "plan", description: "Reads and plans. Every change is denied." },
  { value: "ask", description: "Asks before it changes a file or runs a command." },
  { value: "edits", description: "Edits files in its directory. Asks before it runs a command." },
  { value: "auto", description: "Does not ask. Rules that deny still apply." },
]

export const GATEWAYS: readonly {
  readonly value: LaunchDraft["gateway"]
  readonly label: string
  readonly description: string
}[] = [
  {
    value: "",
    label: "default",
    description: "Uses the setting gateway.mode, which is off by default.",
  },
  {
    value: "off",
    label: "off",
    description: "Sends requests to the provider directly. Nothing is recorded.",
  },
  {
    value: "record",
    label: "record",
    description:
      "Each request goes through the gateway on this machine and is recorded byte for byte.",
  },
  {
    value: "fold",
    label: "fold",
    description: "Recorded, and returned branches leave the window. Requires an API key.",
  },
]

type LaunchPrefill = Partial<Pick<LaunchDraft, "cwd" | "pack" | "prompt" | "resume">> & {
  /** Any text of a URL. */
  readonly agent?: string
}

export function emptyDraft(
  remembered: { type: string | null; mode: string | null },
  { prompt = "", pack = "", agent = "", cwd = "", resume = "" }: LaunchPrefill = {},
): LaunchDraft {
  return {
    prompt,
    type: TYPES.find((it) => it === (agent || remembered.type)) ?? "claude-code",
    mode: MODES.find((it) => it.value === remembered.mode)?.value ?? "ask",
    model: "",
    cwd,
    resume,
    budgetUsd: "",
    budgetTokens: "",
    sources: "",
    script: "",
    pack,
    gateway: "",
  }
}

export type LaunchCheck =
  | { readonly kind: "right"; readonly input: Input<"agents.start"> }
  | { readonly kind: "wrong"; readonly problems: Problems }

/** Empty fields are omitted, so that the server's defaults apply. */
export function checkDraft(draft: LaunchDraft): LaunchCheck {
  const problems: Problems = {
    ...(draft.prompt.trim() === "" ? { prompt: "A task is required." } : {}),
    ...problemOf(draft, "budgetUsd"),
    ...problemOf(draft, "budgetTokens"),
  }
  if (Object.keys(problems).length > 0) return { kind: "wrong", problems }
  const { prompt, type, mode } = draft
  const fieldOf = (field: Field, value: string) =>
    value.trim() === "" ? {} : { [field]: value.trim() }
  const sources = draft.sources.split(/[\s,]+/).filter((it) => it !== "")
  return {
    kind: "right",
    input: {
      prompt,
      type,
      mode,
      ...fieldOf("model", draft.model),
      ...fieldOf("cwd", draft.cwd),
      ...fieldOf("resume", draft.resume),
      ...(draft.budgetUsd === "" ? {} : { budgetUsd: readNumber(draft.budgetUsd) }),
      ...(draft.budgetTokens === "" ? {} : { budgetTokens: readNumber(draft.budgetTokens) }),
      ...(sources.length === 0 ? {} : { sources }),
      ...(type === "synthetic" ? fieldOf("script", draft.script) : {}),
      ...fieldOf("pack", draft.pack),
      ...(draft.gateway === "" ? {} : { gateway: draft.gateway }),
    },
  }
}

function problemOf(draft: LaunchDraft, field: "budgetUsd" | "budgetTokens"): Problems {
  const text = draft[field].trim()
  if (text === "") return {}
  const value = readNumber(text)
  if (!Number.isFinite(value) || value <= 0)
    return { [field]: "Must be a number above 0, or empty." }
  const isWhole = field === "budgetUsd" || Number.isInteger(value)
  return isWhole ? {} : { [field]: "Must be a whole number of tokens." }
}

export function readNumber(text: string): number {
  const match = /^\$?([\d,]+(?:\.\d+)?|\.\d+)\s*([kM]?)$/.exec(text.trim())
  if (match === null) return Number.NaN
  const factor = { k: 1_000, M: 1_000_000, "": 1 }[match[2] ?? ""] ?? 1
  return Math.round(Number((match[1] ?? "").replaceAll(",", "")) * factor * 1e6) / 1e6
}

const FIELD_OF_CODE: Readonly<Record<string, Field>> = {
  AGENTS_DIRECTORY_UNUSABLE: "cwd",
  AGENTS_PROGRAM_MISSING: "type",
  AGENTS_SOURCES_UNSUPPORTED: "sources",
  PACK_UNKNOWN: "pack",
}

export function problemsOf({ code, message, data }: WireError): Problems {
  const field = FIELD_OF_CODE[code] ?? fieldNamedIn(data)
  return field === undefined ? {} : { [field]: message }
}

function fieldNamedIn(data: unknown): Field | undefined {
  const { problem = "" } = asRecord(data)
  return FIELDS.find((it) => new RegExp(`^(--)?${it}\\b`).test(String(problem)))
}

const FIELDS: readonly Field[] = [
  "prompt",
  "type",
  "mode",
  "model",
  "cwd",
  "resume",
  "budgetUsd",
  "budgetTokens",
  "sources",
  "script",
  "pack",
  "gateway",
]

export function describeProvider({ type, isInstalled, version }: Provider): string {
  if (type === "synthetic") return "plays a script, needs no key"
  if (!isInstalled) return "not installed"
  return version ?? "installed"
}
