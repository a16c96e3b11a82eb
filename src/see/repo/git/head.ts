import path from "node:path"
import { compareText, listDirectory, readTextBounded } from "#ground/base"
import { GIT_POINTER_LIMIT_BYTES } from "../limits.ts"
import type { Repository } from "../repo.ts"
import { isObjectId } from "./parse.ts"

/** A million refs of about sixty bytes. */
const PACKED_REFS_LIMIT_BYTES = 128 * 1024 ** 2

/** Git follows at most five symbolic refs. */
const MOST_REF_HOPS = 5

/**
 * Read from files: HEAD, the ref it names, or the packed refs. Undefined outside git, before the
 * first commit, and for ref formats that are not supported.
 */
export async function headCommit(
  repository: Pick<Repository, "gitDirectory" | "gitCommonDirectory">,
): Promise<string | undefined> {
  const { gitDirectory, gitCommonDirectory: common } = repository
  if (gitDirectory === undefined || common === undefined) return undefined
  return followRef(common, await readRef(gitDirectory, "HEAD"))
}

/** The commit of a full ref name such as refs/remotes/origin/main. */
export async function refCommit(
  { gitCommonDirectory: common }: Pick<Repository, "gitCommonDirectory">,
  name: string,
): Promise<string | undefined> {
  if (common === undefined || !isPlainRefName(name)) return undefined
  return followRef(common, `ref: ${name}`)
}

async function followRef(common: string, start: string | undefined): Promise<string | undefined> {
  let value = start
  for (let hop = 0; hop < MOST_REF_HOPS && value !== undefined; hop++) {
    if (isObjectId(value)) return value
    const name = /^ref: (refs\/.+)$/.exec(value)?.[1]
    if (name === undefined || !isPlainRefName(name)) return undefined
    value = (await readRef(common, name)) ?? (await readPackedRef(common, name))
  }
  return undefined
}

async function readRef(folder: string, name: string): Promise<string | undefined> {
  const outcome = await readTextBounded(path.join(folder, name), {
    maxBytes: GIT_POINTER_LIMIT_BYTES,
    root: folder,
  })
  return outcome.kind === "read" ? outcome.text.trimEnd() : undefined
}

async function readPackedRef(common: string, name: string): Promise<string | undefined> {
  const outcome = await readTextBounded(path.join(common, "packed-refs"), {
    maxBytes: PACKED_REFS_LIMIT_BYTES,
    root: common,
  })
  if (outcome.kind !== "read") return undefined
  // Not split into lines: there may be a million.
  const text = `\n${outcome.text}`
  const end = text.indexOf(` ${name}\n`)
  if (end === -1) return undefined
  const id = text.slice(text.lastIndexOf("\n", end) + 1, end)
  return isObjectId(id) ? id : undefined
}

/** Deeper tags are not listed. */
const DEEPEST_TAG_FOLDERS = 3

/** The names of all tags, without `refs/tags/`, sorted. */
export async function listTags({
  gitCommonDirectory: common,
}: Pick<Repository, "gitCommonDirectory">): Promise<readonly string[]> {
  if (common === undefined) return []
  const packed = await readTextBounded(path.join(common, "packed-refs"), {
    maxBytes: PACKED_REFS_LIMIT_BYTES,
    root: common,
  })
  const text = packed.kind === "read" ? packed.text : ""
  const names = [...text.matchAll(/^[0-9a-f]{40,64} refs\/tags\/(\S+)$/gm)].map((it) => it[1] ?? "")
  const loose = await tagsBelow(path.join(common, "refs", "tags"), DEEPEST_TAG_FOLDERS)
  return [...new Set([...names, ...loose])].filter(isPlainRefName).toSorted(compareText)
}

async function tagsBelow(folder: string, depth: number): Promise<readonly string[]> {
  const listed = depth === 0 ? undefined : await listDirectory(folder)
  if (listed?.kind !== "listed") return []
  const names: string[] = []
  for (const { name, what } of listed.entries) {
    if (what === "regular file") names.push(name)
    if (what !== "directory") continue
    const below = await tagsBelow(path.join(folder, name), depth - 1)
    names.push(...below.map((it) => `${name}/${it}`))
  }
  return names
}

/** Git allows only names that stay below their folder. */
export function isPlainRefName(name: string): boolean {
  const parts = name.split("/")
  return (
    !/[\x00-\x20\x7f~^:?*[\\]/.test(name) && parts.every((it) => it !== "" && !it.startsWith("."))
  )
}
