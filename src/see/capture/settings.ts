import { isRecord } from "#ground/base"
import type { EffectiveSetting } from "#ground/contract"
import type { SettingsLayer } from "#see/hosts"

/** Deeper values are shown as JSON. */
const DEEPEST_SETTING_LEVELS = 4

type Value = { readonly layer: string; readonly path: string; readonly value: unknown }
type Options = { readonly joinsLists: boolean }

export function effectiveSettings(
  layers: readonly SettingsLayer[],
  options: Options,
): EffectiveSetting[] {
  const valuesByKey = new Map<string, Value[]>()
  for (const { layer, path, outcome } of layers) {
    if (outcome.kind !== "found") continue
    for (const [key, value] of leavesOf(outcome.values)) {
      const values = valuesByKey.get(key) ?? []
      values.push({ layer, path, value })
      valuesByKey.set(key, values)
    }
  }
  return [...valuesByKey]
    .map(([key, values]) => settle(key, values, options))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
}

function settle(key: string, values: readonly Value[], options: Options): EffectiveSetting {
  const [winner, ...others] = values
  const lists = values.flatMap((it) => (Array.isArray(it.value) ? [it.value] : []))
  const isJoined = options.joinsLists && others.length > 0 && lists.length === values.length
  if (isJoined) {
    return {
      key,
      value: show(lists.flat()),
      layer: values.map((it) => it.layer).join(" + "),
      path: values.map((it) => it.path).join(", "),
      hidden: [],
    }
  }
  return {
    key,
    value: show(winner?.value),
    layer: winner?.layer ?? "",
    path: winner?.path ?? "",
    hidden: others.map((it) => ({ layer: it.layer, path: it.path, value: show(it.value) })),
  }
}

/**
 * Nested objects become dotted keys; values that are too deep, and empty objects, stay one value.
 */
function leavesOf(values: Readonly<Record<string, unknown>>, above = ""): [string, unknown][] {
  const level = above === "" ? 0 : above.split(".").length
  return Object.entries(values).flatMap(([name, value]): [string, unknown][] => {
    const key = above === "" ? name : `${above}.${name}`
    const isOpened = isFilledObject(value) && level + 1 < DEEPEST_SETTING_LEVELS
    return isOpened ? leavesOf(value, key) : [[key, value]]
  })
}

function isFilledObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && Object.keys(value).length > 0
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? "null"
}
