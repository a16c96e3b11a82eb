import { join } from "node:path"
import { readJsonl, sliceText, statFile } from "#ground/base"
import { digest } from "#know/ledger"
import type { Rule } from "../event.ts"
import { appendIn } from "../notice-log.ts"

const LARGEST_LOADED_BYTES = 1024 ** 2

const LONGEST_LOADED_UNITS = 4_096

export const loaded: Rule = {
  name: "loaded",
  level: 2,
  kinds: ["loaded"],
  async judge(event, { stateDirectory }) {
    if (event.kind !== "loaded") return { kind: "silent" }
    const { folder, file } = placeOf(stateDirectory, event.session)
    const fileStat = await statFile(file)
    const isFull = fileStat.kind === "found" && fileStat.stat.sizeBytes > LARGEST_LOADED_BYTES
    if (isFull) return { kind: "silent" }
    await appendIn(folder, file, {
      path: cut(event.file),
      kind: cut(event.memoryKind),
      reason: cut(event.reason),
      parent: event.parent === undefined ? null : cut(event.parent),
      at: event.at,
    })
    return { kind: "silent" }
  },
}

type LoadedFile = {
  readonly path: string
  readonly kind: string
  readonly reason: string
  readonly parent: string | null
  readonly at: number
}

export async function readLoaded(
  stateDirectory: string,
  session: string,
): Promise<readonly LoadedFile[]> {
  try {
    const { file } = placeOf(stateDirectory, session)
    const { records } = await readJsonl(file, { maxBytes: LARGEST_LOADED_BYTES * 2 })
    return records.flatMap((it) => loadedOf(it) ?? [])
  } catch {
    return []
  }
}

function loadedOf(record: Readonly<Record<string, unknown>>): LoadedFile | undefined {
  const { path, kind, reason, parent, at } = record
  if (typeof path !== "string" || typeof kind !== "string" || typeof reason !== "string") {
    return undefined
  }
  if (typeof at !== "number" || !Number.isSafeInteger(at)) return undefined
  return { path, kind, reason, parent: typeof parent === "string" ? parent : null, at }
}

function placeOf(stateDirectory: string, session: string) {
  const folder = join(stateDirectory, "loaded")
  return { folder, file: join(folder, `${digest(session)}.jsonl`) }
}

function cut(text: string): string {
  return sliceText(text, LONGEST_LOADED_UNITS)
}
