import { dirname } from "node:path"
import { formatAgo, type OpenFolder, plural } from "#ground/base"
import { openBelow } from "#know/ledger"
import type { HookContext } from "../../event.ts"
import { type CommitCounts, countCommits } from "./commit-count.ts"
import { type BootInput, inline, openPlain } from "./sections.ts"

type Upstream = {
  readonly remote: string
  readonly ref: string
}

/** Parsed here because git would also execute settings; included files are not opened. */
export function upstreamOf(config: string, branch: string): Upstream | undefined {
  const sections = sectionsOf(config)
  const own = valuesOf(sections, "branch", branch)
  const remote = own.findLast((it) => it.key === "remote")?.value
  const merge = own.findLast((it) => it.key === "merge")?.value
  if (remote === undefined || merge === undefined) return undefined
  if (remote === ".") return { remote, ref: merge }
  const specs = valuesOf(sections, "remote", remote).filter((it) => it.key === "fetch")
  const refs = specs.flatMap((it) => mapped(merge, it.value) ?? [])
  return refs[0] === undefined ? undefined : { remote, ref: refs[0] }
}

type Value = { readonly key: string; readonly value: string }
type Section = { readonly kind: string; readonly name: string; readonly values: Value[] }

function valuesOf(sections: readonly Section[], kind: string, name: string): readonly Value[] {
  return sections.filter((it) => it.kind === kind && it.name === name).flatMap((it) => it.values)
}

/** Parses `[kind "name"]` sections with `key = value` lines and skips everything else. */
function sectionsOf(config: string): readonly Section[] {
  const sections: Section[] = []
  for (const line of config.split(/\r?\n/)) {
    const [, kind, name] = /^\s*\[\s*([\w.-]+)\s+"((?:[^"\\]|\\.)*)"\s*\]/.exec(line) ?? []
    if (kind !== undefined && name !== undefined) {
      sections.push({ kind: kind.toLowerCase(), name: unescaped(name), values: [] })
      continue
    }
    if (/^\s*\[/.test(line)) sections.push({ kind: "", name: "", values: [] })
    const [, key, value] = /^\s*([A-Za-z][\w-]*)\s*=\s*(.*)/.exec(line) ?? []
    if (key === undefined || value === undefined) continue
    sections.at(-1)?.values.push({ key: key.toLowerCase(), value: plainValue(value) })
  }
  return sections
}

function plainValue(value: string): string {
  const [, inside] = /^"((?:[^"\\]|\\.)*)"/.exec(value) ?? []
  return inside === undefined ? value.replace(/[;#][^]*$/, "").trim() : unescaped(inside)
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, "$1")
}

/** `+refs/heads/*:refs/remotes/origin/*` maps a fetched ref to its stored name. */
function mapped(ref: string, spec: string): string | undefined {
  const [from = "", to = ""] = spec.replace(/^\+/, "").split(":")
  const [start = "", end] = from.split("*")
  if (end === undefined) return from === ref && to !== "" ? to : undefined
  const isMeant = ref.startsWith(start) && ref.endsWith(end) && ref.length > from.length - 1
  return isMeant
    ? to.replace("*", () => ref.slice(start.length, ref.length - end.length))
    : undefined
}

const FRESH_FETCH_MS = 10 * 60_000

/** "Up to date" is worth a line only when it may be outdated. */
const OLD_FETCH_MS = 24 * 60 * 60_000

export async function upstreamLines({ context, now }: BootInput): Promise<readonly string[]> {
  const divergence = await readDivergence(context)
  if (divergence === undefined) return []
  const isRemote = divergence.upstream.remote !== "."
  const ageMs = now - (divergence.fetchedAtMs ?? Number.NEGATIVE_INFINITY)
  if (isRemote && ageMs > FRESH_FETCH_MS && context.config.mayFetch)
    context.afterwards({ kind: "fetch" })
  const { apart } = divergence
  const isLevel = apart !== undefined && apart.ahead + apart.behind === 0
  if (apart === undefined || (isLevel && (!isRemote || ageMs <= OLD_FETCH_MS))) return []
  return [
    `${divergenceText(divergence, apart)}${isRemote ? asOf(divergence, now) : ""}.`,
    ...advice(apart),
  ]
}

function divergenceText({ branch, upstream }: Divergence, { ahead, behind }: CommitCounts): string {
  const [own, other] = [inline(branch), inline(upstream.ref.replace(/^refs\/\w+\//, ""))]
  if (ahead + behind === 0) return `Branch ${own} was up to date with ${other}`
  const parts = [
    ...(ahead > 0 ? [`${plural(ahead, "commit")} ahead of`] : []),
    ...(behind > 0 ? [`${plural(behind, "commit")} behind`] : []),
  ]
  return `Branch ${own} is ${parts.join(" and ")} ${other}`
}

function asOf({ fetchedAtMs }: Divergence, now: number): string {
  return fetchedAtMs === undefined
    ? ", as of the clone; nothing was fetched since"
    : `, as of the last fetch ${formatAgo(now - fetchedAtMs)}`
}

function advice({ behind }: CommitCounts): readonly string[] {
  return behind > 0 ? ["Review the upstream commits before you build on this branch."] : []
}

const LARGEST_GIT_CONFIG_BYTES = 256 * 1024

type Divergence = {
  readonly branch: string
  readonly upstream: Upstream
  readonly apart: CommitCounts | undefined
  /** Undefined if nothing was fetched since the clone. */
  readonly fetchedAtMs: number | undefined
}

async function readDivergence(context: HookContext): Promise<Divergence | undefined> {
  const { gitDirectory, stateDirectory } = context
  if (gitDirectory === undefined) return undefined
  // The state directory is in the git directory that all worktrees share.
  const common = dirname(stateDirectory)
  const branch = branchIn(gitDirectory)
  const upstream = branch === undefined ? undefined : upstreamIn(common, branch)
  if (branch === undefined || upstream === undefined) return undefined
  const [head, other] = [readRef(common, `refs/heads/${branch}`), readRef(common, upstream.ref)]
  if (head === undefined || other === undefined) return undefined
  const apart =
    head === other ? { ahead: 0, behind: 0 } : await countCommits({ common, head, other }, context)
  const folders = [...new Set([gitDirectory, common])]
  const fetches = folders.flatMap((it) => fetchedAt(it) ?? [])
  const fetchedAtMs = fetches.length === 0 ? undefined : Math.max(...fetches)
  return { branch, upstream, apart, fetchedAtMs }
}

function branchIn(gitDirectory: string): string | undefined {
  using folder = openPlain(gitDirectory)
  const head = folder === undefined ? undefined : lineIn(folder, "HEAD")
  return /^ref: refs\/heads\/(.+)$/.exec(head ?? "")?.[1]
}

function upstreamIn(common: string, branch: string): Upstream | undefined {
  using folder = openPlain(common)
  const read = folder?.read("config", { maxBytes: LARGEST_GIT_CONFIG_BYTES })
  return read?.kind === "read" ? upstreamOf(read.bytes.toString(), branch) : undefined
}

function fetchedAt(gitDirectory: string): number | undefined {
  using folder = openPlain(gitDirectory)
  const fetchHead = folder?.stat("FETCH_HEAD")
  return fetchHead?.kind === "found" ? fetchHead.stat.modifiedAtMs : undefined
}

const LARGEST_REF_BYTES = 8_192

/** About 200,000 refs; searching takes 1 to 2 ms. */
const LARGEST_PACKED_REFS_BYTES = 16 * 1024 ** 2

function readRef(common: string, ref: string): string | undefined {
  if (!isPlainRef(ref)) return undefined
  const names = ref.split("/")
  using folder = openBelow(common, names.slice(0, -1).join("/"))
  const loose = folder === undefined ? undefined : lineIn(folder, names.at(-1) ?? "")
  const id = loose ?? packedRef(common, ref)
  return id !== undefined && /^(?:[\da-f]{40}|[\da-f]{64})$/.test(id) ? id : undefined
}

function lineIn(folder: OpenFolder, name: string): string | undefined {
  const read = folder.read(name, { maxBytes: LARGEST_REF_BYTES })
  return read.kind === "read" ? read.bytes.toString().trimEnd() : undefined
}

function packedRef(common: string, ref: string): string | undefined {
  using folder = openPlain(common)
  const read = folder?.read("packed-refs", { maxBytes: LARGEST_PACKED_REFS_BYTES })
  if (read?.kind !== "read") return undefined
  // Searched as bytes, because there may be very many lines.
  const end = read.bytes.indexOf(` ${ref}\n`)
  if (end === -1) return undefined
  return read.bytes.toString("latin1", read.bytes.lastIndexOf("\n", end) + 1, end)
}

/** Git allows no other names, and these stay inside their folder. */
function isPlainRef(ref: string): boolean {
  const isShaped = /^refs\/[^\x00-\x20\x7f~^:?*[\\]+$/.test(ref)
  return isShaped && ref.split("/").every((it) => it !== "" && !it.startsWith("."))
}
