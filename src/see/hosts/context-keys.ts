import path from "node:path"
import { isInside, isRecord, type JsonRecord } from "#ground/base"

/**
 * Keys of a host's settings and state files that concern the context of a repository, as dotted
 * paths. A path keeps everything below it; `*` is any name, and `<here>` the path of a folder that
 * contains the working directory, as a key or as an entry of a list. All other keys are private.
 */
export type ContextKeys = readonly string[]

type KeptKeys = { readonly values: JsonRecord; readonly withheld: number }

/** Copies only the listed keys; `withheld` counts the keys and entries that were left out. */
export function keepContextKeys(
  values: JsonRecord,
  keys: ContextKeys,
  workingDirectory: string,
): KeptKeys {
  let withheld = 0
  const copy = (value: unknown, paths: readonly Path[]): unknown => {
    if (paths.some((it) => it.length === 0)) return value
    if (Array.isArray(value)) {
      const names = value.filter((it: unknown) => typeof it === "string" && isListed(it, paths))
      withheld += value.length - names.length
      return names
    }
    return isRecord(value) ? copyRecord(value, paths) : undefined
  }
  const isListed = (name: string, paths: readonly Path[]) =>
    paths.some(([first]) => matches(first, name, workingDirectory))
  const copyRecord = (record: JsonRecord, paths: readonly Path[]): JsonRecord => {
    const entries = Object.entries(record).flatMap(([name, value]) => {
      const below = paths
        .filter(([first]) => matches(first, name, workingDirectory))
        .map((it) => it.slice(1))
      const copied = below.length === 0 ? undefined : copy(value, below)
      if (copied === undefined) withheld++
      return copied === undefined ? [] : [[name, copied] as const]
    })
    return Object.fromEntries(entries)
  }
  const paths = keys.map((it) => it.split("."))
  return { values: copyRecord(values, paths), withheld }
}

type Path = readonly string[]

function matches(part: string | undefined, name: string, workingDirectory: string): boolean {
  if (part === "*") return true
  if (part !== "<here>") return part === name
  return path.isAbsolute(name) && isInside(name, workingDirectory)
}
