import { hash } from "node:crypto"
import path from "node:path"
import { listDirectory, readBounded } from "#ground/base"
import type { StdioConfig } from "./command.ts"
import { DEEPEST_COVERED_LEVELS, LARGEST_COVERED_BYTES, MOST_COVERED_FILES } from "./limits.ts"
import { type NamedFile, namedFiles } from "./named-files.ts"

/** What an approval covers: each file by what it holds, or why it cannot be covered. */
export type Covered =
  | { readonly kind: "covered"; readonly files: Readonly<Record<string, string>> }
  | { readonly kind: "not-covered"; readonly problem: string }

/**
 * The files of a source's folder and those its command names, by content: whoever changes the
 * server behind an approved command changes what was approved.
 */
export async function coverFiles(folder: string, config: StdioConfig): Promise<Covered> {
  const hashes = new Map<string, string>()
  const left = { bytes: LARGEST_COVERED_BYTES }
  const named = await namedFiles(folder, config)
  if (named.kind === "not-covered") return named
  const problem =
    (await coverFolder({ folder, at: "", level: 0 }, hashes, left)) ??
    (await coverNamed(named.files, hashes, left))
  if (problem !== undefined) return { kind: "not-covered", problem }
  return { kind: "covered", files: Object.fromEntries(hashes) }
}

type Hashes = Map<string, string>
type Left = { bytes: number }
type Place = { readonly folder: string; readonly at: string; readonly level: number }

async function coverFolder(
  { folder, at, level }: Place,
  hashes: Hashes,
  left: Left,
): Promise<string | undefined> {
  const listed = await listDirectory(path.join(folder, at), { maxEntries: MOST_COVERED_FILES })
  if (listed.kind !== "listed") return `Its folder cannot be read (${listed.kind}).`
  if (level > DEEPEST_COVERED_LEVELS) return "Its folder is nested too deeply to be approved."
  for (const entry of listed.entries) {
    const name = path.join(at, entry.name)
    const problem = await coverEntry({ folder, at: name, level }, entry.what, { hashes, left })
    if (problem !== undefined) return problem
  }
  return undefined
}

async function coverEntry(
  { folder, at, level }: Place,
  what: string,
  given: { readonly hashes: Hashes; readonly left: Left; readonly name?: string },
): Promise<string | undefined> {
  const { hashes, left, name = at } = given
  if (what === "directory") return coverFolder({ folder, at, level: level + 1 }, hashes, left)
  // A link may lead anywhere tomorrow.
  if (what !== "regular file") return `${name} is a ${what}, which no approval can cover.`
  return coverFile({ name, file: path.join(folder, at) }, hashes, left)
}

/** Files outside the folder, such as `../../tools/server.mjs`. */
async function coverNamed(
  named: readonly NamedFile[],
  hashes: Hashes,
  left: Left,
): Promise<string | undefined> {
  for (const { name, file, what } of named) {
    if (what === "directory") return `${name} is a directory, which no approval can cover.`
    const place = { folder: path.dirname(file), at: path.basename(file), level: 0 }
    const problem = await coverEntry(place, what, { hashes, left, name })
    if (problem !== undefined) return problem
  }
  return undefined
}

async function coverFile(
  { name, file }: { readonly name: string; readonly file: string },
  hashes: Hashes,
  left: Left,
): Promise<string | undefined> {
  const outcome = await readBounded(file, { maxBytes: left.bytes })
  if (outcome.kind === "too-large" || hashes.size >= MOST_COVERED_FILES) {
    return `What it executes is more than an approval covers: ${MOST_COVERED_FILES} files, ${LARGEST_COVERED_BYTES} bytes.`
  }
  if (outcome.kind !== "read") return `A file it names cannot be read (${outcome.kind}).`
  left.bytes -= outcome.bytes.length
  hashes.set(name, hash("sha256", outcome.bytes))
  return undefined
}
