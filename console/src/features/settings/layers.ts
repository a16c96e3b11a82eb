import type { ConfigLayer, ConfigSetting } from "../../contract.ts"
import { readOrigin } from "../../data/origin.ts"

export function isSetIn(setting: ConfigSetting, layer: ConfigLayer): boolean {
  return [setting.origin, ...setting.hides].some((it) => readOrigin(it).kind === layer)
}

export type Undo =
  | { readonly kind: "set"; readonly value: unknown }
  | { readonly kind: "unset" }
  /** A higher layer hid the previous value, or it is a secret, so it is unknown. */
  | { readonly kind: "impossible" }

export function undoFor(before: ConfigSetting, layer: ConfigLayer): Undo {
  if (!isSetIn(before, layer)) return { kind: "unset" }
  const wins = readOrigin(before.origin).kind === layer
  return wins && !before.isSecret ? { kind: "set", value: before.value } : { kind: "impossible" }
}

export function describeOutcome(
  after: ConfigSetting,
  layer: ConfigLayer,
  done: "saved" | "removed",
): string {
  const origin = readOrigin(after.origin)
  const from = done === "saved" ? "saved in" : "removed from"
  const counts = origin.kind === layer || done === "removed"
  const still = counts ? "" : `; ${origin.description} takes precedence`
  return `${after.key} was ${from} the ${layer} file${still}`
}

export function filterSettings(
  settings: readonly ConfigSetting[],
  text: string,
): readonly ConfigSetting[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return settings.filter(({ key, description, env, origin }) => {
    const haystack = `${key} ${description} ${env} ${origin}`.toLowerCase()
    return words.every((word) => haystack.includes(word))
  })
}

export function sectionOf({ key }: ConfigSetting): string {
  return key.split(".")[0] ?? key
}

/** Groups in the order of the page; those in capitals are no keys of the settings file. */
export function groupsOf(
  settings: readonly ConfigSetting[],
): readonly { readonly value: string; readonly label: string }[] {
  return [
    { value: "", label: "All settings" },
    { value: "appearance", label: "Appearance" },
    { value: "session", label: "Session" },
    { value: "people", label: "People" },
    { value: "machines", label: "Machines" },
    ...[...new Set(settings.map(sectionOf))].map((it) => ({ value: it, label: it })),
    { value: "store-health", label: "Store and health" },
  ]
}
