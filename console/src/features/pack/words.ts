import { asRecord } from "#ground/base/object"
import { truncate } from "#ground/base/truncate"
import {
  type ContextPack,
  formatCount,
  formatExact,
  type PackFile,
  type PackLeft,
  type PackSummaryItem,
  plural,
} from "../../contract.ts"

export const FORM_WORDS = {
  full: { label: "Full", description: "the whole file" },
  symbols: { label: "Sym", description: "its best symbols" },
  signatures: { label: "Sigs", description: "its signatures" },
  path: { label: "Path", description: "its path only" },
} as const satisfies Readonly<Record<PackFile["form"], { label: string; description: string }>>

/** The names of the symbols that the package contains of a file. */
export function describeContent({ form, pieces }: Pick<PackFile, "form" | "pieces">): string {
  if (form === "full" || form === "path") return FORM_WORDS[form].description
  const named = [...new Set(pieces.flatMap((it) => it.symbol ?? []))]
  const rest = pieces
    .filter((it) => it.symbol === undefined)
    .map((it) => `lines ${it.fromLine} to ${it.toLine}`)
  const all = [...named, ...rest]
  return all.length === 0 ? FORM_WORDS[form].description : all.join(", ")
}

/** The task is in the URL, whose length is limited. */
const MOST_TASK_CHARACTERS = 4_000

export function checkTask(task: string): string | undefined {
  if (task.length <= MOST_TASK_CHARACTERS) return undefined
  return `${formatExact(task.length)} characters; the limit of this page is ${formatExact(MOST_TASK_CHARACTERS)}. Use qm pack for longer tasks.`
}

export function readBudget(text: string): number | undefined {
  const match = /^([\d,]+(?:\.\d+)?)\s*(k?)$/i.exec(text.trim())
  if (match === null) return undefined
  const factor = match[2] === "" ? 1 : 1_000
  const tokens = Number((match[1] ?? "").replaceAll(",", "")) * factor
  const isWhole = Number.isSafeInteger(tokens)
  return isWhole && tokens > 0 ? tokens : undefined
}

export function checkBudget(text: string): string | undefined {
  const isRight = text.trim() === "" || readBudget(text) !== undefined
  return isRight ? undefined : "Must be a whole number"
}

export function describeTask({ task }: { readonly task: string }): string {
  return task.trim().split("\n", 1)[0] ?? ""
}

export function describeTitle(of: { readonly task: string }): string {
  const first = describeTask(of).split(/[;.:,]\s/, 1)[0] ?? ""
  if (first.length <= MOST_TITLE_CHARACTERS) return first
  const words = first.slice(0, MOST_TITLE_CHARACTERS).split(" ").slice(0, -1).join(" ")
  return words === "" ? truncate(first, MOST_TITLE_CHARACTERS) : `${words}…`
}

const MOST_TITLE_CHARACTERS = 56

export function describeBuilt({ files, tokens, budget }: ContextPack): string {
  return `Built, ${plural(files.length, "file")}, ${formatExact(tokens)} of ${formatExact(budget)} tokens`
}

export function describeReasons({ reasons }: Pick<PackFile, "reasons">): string {
  return capital(reasons.join("; "))
}

export function describeLeftOut({
  detail,
  reasons,
  why,
}: Pick<PackLeft, "detail" | "reasons" | "why">): string {
  const parts = why !== "denied" && why !== "dropped" ? [...reasons] : [detail, ...reasons]
  return capital(parts.filter((it) => it !== "").join("; ")) || capital(detail)
}

export function describeSignals({ signals }: ContextPack): { used: string; missing: string } {
  return {
    used: signals.used.join(", "),
    missing: signals.missing
      .map((it) => (it.why === "" ? `no ${it.signal}` : `no ${it.signal}, ${it.why}`))
      .join("; "),
  }
}

export function describeItem({ files, tokens, budget }: PackSummaryItem): string {
  return `${plural(files, "file")}, ${formatCount(tokens)} of ${formatCount(budget)} tokens`
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

type Refusal = { readonly code: string; readonly data: unknown }

export function neededBudget({ code, data }: Refusal): number | undefined {
  const { needed } = asRecord(data)
  return code === "PACK_BUDGET_TOO_SMALL" && typeof needed === "number" ? needed : undefined
}

export function refusedPin({ code, data }: Refusal, pins: readonly string[]): string | undefined {
  const { path } = asRecord(data)
  return code.startsWith("PACK_TARGET_") ? pins.find((it) => it === path) : undefined
}
