import type { AgentMode, AgentType, GatewayMode, Provider, WireError } from "../../contract.ts"
import type { Input } from "../../data/client.ts"

export type LaunchDraft = {
  readonly prompt: string
  readonly type: AgentType
  readonly mode: AgentMode
  readonly model: string
  readonly cwd: string
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

export const TYPES: readonly AgentType[] = ["claude-code", "codex", "copilot", "synthetic"]

export const MODES: readonly { readonly value: AgentMode; readonly description: string }[] = [
  { value: "plan", description: "It reads and plans. Whatever would change something is denied." },
  { value: "ask", description: "It asks before it changes a file or runs a command." },
  { value: "edits", description: "It edits files of its directory. Commands are asked for." },
  { value: "auto", description: "It does not ask. Rules that deny stay in force." },
]

export const GATEWAYS: readonly {
  readonly value: LaunchDraft["gateway"]
  readonly label: string
  readonly description: string
}[] = [
  {
    value: "",
    label: "as set",
    description: "As the setting gateway.mode says; off unless you set it.",
  },
  {
    value: "off",
    label: "off",
    description: "It speaks to its provider directly. Nothing is recorded.",
  },
  {
    value: "record",
    label: "record",
    description:
      "Each request passes through this machine's gateway and is recorded, byte for byte.",
  },
  {
    value: "fold",
    label: "fold",
    description: "Recorded, and returned branches leave its window. With an API key only.",
  },
]

type LaunchPrefill = Partial<Pick<LaunchDraft, "prompt" | "pack">>

export function emptyDraft(
  remembered: { type: string | null; mode: string | null },
  { prompt = "", pack = "" }: LaunchPrefill = {},
): LaunchDraft {
  return {
    prompt,
    type: TYPES.find((it) => it === remembered.type) ?? "claude-code",
    mode: MODES.find((it) => it.value === remembered.mode)?.value ?? "ask",
    model: "",
    cwd: "",
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
    ...(draft.prompt.trim() === "" ? { prompt: "Say what it shall do." } : {}),
    ...problemOf(draft, "budgetUsd"),
    ...problemOf(draft, "budgetTokens"),
  }
  if (Object.keys(problems).length > 0) return { kind: "wrong", problems }
  const { prompt, type, mode } = draft
  const given = (field: Field, value: string) =>
    value.trim() === "" ? {} : { [field]: value.trim() }
  const sources = draft.sources.split(/[\s,]+/).filter((it) => it !== "")
  return {
    kind: "right",
    input: {
      prompt,
      type,
      mode,
      ...given("model", draft.model),
      ...given("cwd", draft.cwd),
      ...(draft.budgetUsd === "" ? {} : { budgetUsd: readNumber(draft.budgetUsd) }),
      ...(draft.budgetTokens === "" ? {} : { budgetTokens: readNumber(draft.budgetTokens) }),
      ...(sources.length === 0 ? {} : { sources }),
      ...(type === "synthetic" ? given("script", draft.script) : {}),
      ...given("pack", draft.pack),
      ...(draft.gateway === "" ? {} : { gateway: draft.gateway }),
    },
  }
}

function problemOf(draft: LaunchDraft, field: "budgetUsd" | "budgetTokens"): Problems {
  const text = draft[field].trim()
  if (text === "") return {}
  const value = readNumber(text)
  if (!Number.isFinite(value) || value <= 0) return { [field]: "A number above 0, or nothing." }
  const isWhole = field === "budgetUsd" || Number.isInteger(value)
  return isWhole ? {} : { [field]: "A whole number of tokens." }
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
  const problem =
    typeof data === "object" && data !== null && "problem" in data ? String(data.problem) : ""
  return FIELDS.find((it) => new RegExp(`^(--)?${it}\\b`).test(problem))
}

const FIELDS: readonly Field[] = [
  "prompt",
  "type",
  "mode",
  "model",
  "cwd",
  "budgetUsd",
  "budgetTokens",
  "sources",
  "script",
  "pack",
  "gateway",
]

export function sayProvider({ type, isInstalled, version }: Provider): string {
  if (type === "synthetic") return "plays a script, needs no key"
  if (!isInstalled) return "not installed"
  return version ?? "installed"
}
