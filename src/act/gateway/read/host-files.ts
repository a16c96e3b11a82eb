import { hash } from "node:crypto"
import path from "node:path"
import { isInside } from "#ground/base"
import type { HostName } from "#ground/contract"
import { type Disk, type HostItem, type HostPlace, loadHost, type Survey } from "#see/hosts"
import type { KnownLine } from "./formats/system-turn.ts"
import type { KnownFile } from "./instructions.ts"
import type { ReadPlace } from "./reader.ts"

/** A proxied session has one directory and some nested files. */
const MOST_REMEMBERED_SURVEYS = 32

/** Each lazily loaded file may cost a walk. */
const MOST_LAZY_WALKS = 20

/** The files that the host would load in a directory, to compare a request with. */
export type KnownHostFiles = {
  readonly files: readonly KnownFile[]
  readonly lines: readonly KnownLine[]
  readonly servers: readonly string[]
  readonly later: ReadonlyMap<string, readonly string[]>
}

export const NO_HOST_FILES: KnownHostFiles = { files: [], lines: [], servers: [], later: new Map() }

/**
 * The disk is read when a block of instructions is first seen: what the host loaded then is what it
 * sends later, whatever happens to the files.
 */
export function createHostFiles(deps: {
  readonly disk: Disk
  readonly platform: HostPlace["platform"]
  readonly survey?: (host: HostName, place: HostPlace) => Promise<Survey>
}) {
  const surveys = new Map<string, Promise<KnownHostFiles>>()
  const survey =
    deps.survey ??
    (async (host: HostName, place: HostPlace) => (await loadHost(host)).survey(place, deps.disk))
  const look = (host: HostName, place: ReadPlace, since: string): Promise<KnownHostFiles> => {
    const { workingDirectory, home, environment } = place
    const key = hash("sha256", JSON.stringify([host, workingDirectory, home, environment, since]))
    const files = surveys.get(key) ?? walk(host, { ...place, platform: deps.platform })
    surveys.delete(key)
    surveys.set(key, files)
    const [oldest] = surveys.keys()
    if (surveys.size > MOST_REMEMBERED_SURVEYS && oldest !== undefined) surveys.delete(oldest)
    return files
  }
  /** A failed walk costs the confirmation, never the reading. */
  const walk = async (host: HostName, place: HostPlace): Promise<KnownHostFiles> => {
    try {
      return knownOf(host, await survey(host, place))
    } catch {
      return NO_HOST_FILES
    }
  }
  return {
    look,
    /** Whether a lazily loaded file has this text; its folder is walked if necessary. */
    async verifyLazyFile(claim: LazyClaim, host: HostName, place: ReadPlace): Promise<boolean> {
      if (hasLaterText(await look(host, place, claim.since), claim)) return true
      const folder = folderOf(claim.path)
      // Hosts name files by their real paths, also when they were started behind a link.
      const root = (await deps.disk.realPath(place.workingDirectory)) ?? place.workingDirectory
      const isBelow = path.isAbsolute(folder) && isInside(root, folder)
      if (!isBelow || claim.walks.count >= MOST_LAZY_WALKS) return false
      claim.walks.count += 1
      const since = hash("sha256", claim.text)
      const nested = await look(host, { ...place, workingDirectory: folder }, since)
      return hasLaterText(nested, claim)
    },
  }
}

export type HostFiles = ReturnType<typeof createHostFiles>

type LazyClaim = {
  readonly path: string
  readonly text: string
  readonly since: string
  readonly walks: { count: number }
}

function hasLaterText(files: KnownHostFiles, { path: file, text }: LazyClaim): boolean {
  return files.later.get(file)?.includes(text.trim()) === true
}

/** The folder whose walk finds this file; rules are two levels below theirs. */
export function folderOf(file: string): string {
  const dotFolder = file.indexOf("/.claude/")
  return dotFolder > 0 ? file.slice(0, dotFolder) : path.dirname(file)
}

function knownOf(host: HostName, { items, mcpServers }: Survey): KnownHostFiles {
  const listed = items.filter((it) => it.load === "name-only" && it.sent !== "")
  return {
    files: items.flatMap((it) => fileOf(host, it)),
    lines: listed.map((it) => ({ path: it.path, sent: it.sent })),
    servers: mcpServers.map((it) => it.name),
    later: textsByPath(items),
  }
}

/** Files that Codex joins to one text. */
const JOINED = new Set(["user-memory", "parent-directory", "project-root"])

function fileOf(host: HostName, it: HostItem): readonly KnownFile[] {
  if (it.sent === "" || (it.kind !== "instructions" && it.kind !== "memory")) return []
  const isJoined = host === "codex" ? JOINED.has(it.source) : it.frame.startsWith("Contents of ")
  const isDeveloper = it.source === "developer-instructions"
  if (!isJoined && !isDeveloper) return []
  const frame = isDeveloper ? DEVELOPER_FRAME : it.frame
  return [{ path: it.path, kind: it.kind, frame, sent: it.sent }]
}

/** Always alone in its own message. */
export const DEVELOPER_FRAME = "<developer>"

function textsByPath(items: readonly HostItem[]): ReadonlyMap<string, readonly string[]> {
  const texts = new Map<string, string[]>()
  for (const { path: file, kind, later, sent } of items) {
    if (kind !== "instructions" && kind !== "memory") continue
    const additions = [later, sent].filter((it) => it !== "").map((it) => it.trim())
    texts.set(file, [...(texts.get(file) ?? []), ...additions])
  }
  return texts
}
