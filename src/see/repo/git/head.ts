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

/** The full name that a symbolic ref such as refs/remotes/origin/HEAD points to. */
export async function symbolicTarget(
  { gitCommonDirectory: common }: Pick<Repository, "gitCommonDirectory">,
  name: string,
): Promise<string | undefined> {
  if (common === undefined || !isPlainRefName(name)) return undefined
  const target = /^ref: (refs\/.+)$/.exec((await readRef(common, name)) ?? "")?.[1]
  return target !== undefined && isPlainRefName(target) ? target : undefined
}

/** More branches than a team has; a walk of more takes too long. */
const MOST_LISTED_REFS = 2_000

/** Commits of the refs below a folder such as refs/remotes/origin, by full name. */
export async function listRefs(
  { gitCommonDirectory: common }: Pick<Repository, "gitCommonDirectory">,
  folder: string,
): Promise<ReadonlyMap<string, string>> {
  const refs = new Map<string, string>()
  if (common === undefined || !isPlainRefName(folder)) return refs
  const packed = await readTextBounded(path.join(common, "packed-refs"), {
    maxBytes: PACKED_REFS_LIMIT_BYTES,
    root: common,
  })
  const pattern = /^([0-9a-f]{40,64}) (\S+)$/gm
  for (const [, id = "", name = ""] of packed.kind === "read"
    ? packed.text.matchAll(pattern)
    : []) {
    const isWanted = name.startsWith(`${folder}/`) && isPlainRefName(name) && isObjectId(id)
    if (isWanted && refs.size < MOST_LISTED_REFS) refs.set(name, id)
  }
  const open = [folder]
  for (let at = open.pop(); at !== undefined && refs.size < MOST_LISTED_REFS; at = open.pop()) {
    const listed = await listDirectory(path.join(common, at))
    for (const { name, what } of listed.kind === "listed" ? listed.entries : []) {
      const ref = `${at}/${name}`
      if (!isPlainRefName(ref)) continue
      if (what === "directory") open.push(ref)
      const id = what === "regular file" ? await readRef(common, ref) : undefined
      if (id !== undefined && isObjectId(id)) refs.set(ref, id)
    }
  }
  return new Map([...refs].toSorted(([a], [b]) => compareText(a, b)))
}

const TAGS = "refs/tags"

/** The names of all tags, without `refs/tags/`, sorted. */
export async function listTags(
  repository: Pick<Repository, "gitCommonDirectory">,
): Promise<readonly string[]> {
  return [...(await listRefs(repository, TAGS)).keys()].map((it) => it.slice(TAGS.length + 1))
}

/** Git allows only names that stay below their folder. */
export function isPlainRefName(name: string): boolean {
  const parts = name.split("/")
  return (
    !/[\x00-\x20\x7f~^:?*[\\]/.test(name) && parts.every((it) => it !== "" && !it.startsWith("."))
  )
}
