import type { MemoryDeps } from "./deps.ts"
import type { Kept, MemoryEntry } from "./entry.ts"
import { FileChanged } from "./errors.ts"
import { editMemory, readMemory } from "./file-text.ts"
import { type FileChange, problemOf, readText } from "./files.ts"

export type Rewritten = { readonly change: FileChange; readonly kept: Kept }

/**
 * How the file of a memory is to look after a change. It is read now, under the lock: what people
 * wrote into it since the index was made is kept, and what cannot be read is not touched.
 */
export async function changeOf(
  { file, entry: known }: Kept,
  deps: Pick<MemoryDeps, "root" | "secrets">,
  edit: (entry: MemoryEntry) => MemoryEntry | Promise<MemoryEntry>,
): Promise<Rewritten> {
  const outcome = await readText(deps.root(), file)
  if (outcome.kind !== "read") throw FileChanged({ file, problem: problemOf(outcome) })
  const { text, bytes, stat, hasByteOrderMark } = outcome
  const { redact } = await deps.secrets()
  const read = readMemory(text, { file, modifiedAtMs: stat.modifiedAtMs }, redact)
  if (read.kind === "problem") throw FileChanged({ file, problem: read.problem })
  if (read.entry.id !== known.id) throw FileChanged({ file, problem: "it is another memory now" })
  const after = await edit(read.entry)
  const edited = `${hasByteOrderMark ? "\uFEFF" : ""}${editMemory(text, read.entry, after)}`
  const change = { file, before: bytes, after: edited, mode: stat.mode }
  return { change, kept: { file, entry: after } }
}
