import path from "node:path"
import type { Disk, DiskEntry, DiskFile } from "#see/hosts"

/** Content of a path: a file as text or bytes, a link, a folder, or an unreadable file. */
export type PlantedFile =
  | string
  | Buffer
  | { readonly link: string }
  | { readonly dir: true }
  | { readonly unreadable: string }

export type MemoryDisk = Disk & {
  /** Every path whose bytes or names were read, as the caller wrote it. */
  readonly touched: Set<string>
  reads(): number
}

/** The system also stops at 40 links. */
const MOST_LINKS = 40

/**
 * An in-memory disk with a few paths: `memoryDisk({ "/p/CLAUDE.md": "Hello" })`. Parent folders
 * exist implicitly, links are followed like on a real disk, and a folder has the order of the
 * record. Files have the modification times 1 s, 2 s, 3 s … in that order.
 */
export function memoryDisk(planted: Readonly<Record<string, PlantedFile>>): MemoryDisk {
  const nodes = new Map(Object.entries(planted))
  const times = new Map([...nodes.keys()].map((it, index) => [it, (index + 1) * 1_000]))
  const folders = new Set(["/"])
  for (const [at, node] of nodes) {
    for (let up = path.dirname(at); up !== "/"; up = path.dirname(up)) folders.add(up)
    if (isFolder(node)) folders.add(at)
  }
  const touched = new Set<string>()
  let reads = 0

  function resolve(name: string): string | undefined {
    let at = path.resolve(name)
    for (let hops = 0; hops <= MOST_LINKS; hops++) {
      const link = firstLink(at, nodes)
      if (link === undefined) return nodes.has(at) || folders.has(at) ? at : undefined
      at = path.resolve(path.dirname(link.at), link.to, path.relative(link.at, at))
    }
    return undefined
  }

  function read(name: string, options: { readonly maxBytes: number }): DiskFile {
    if (options.maxBytes > 0) touched.add(name)
    reads += 1
    const realPath = resolve(name)
    if (realPath === undefined) return { kind: "missing" }
    const node = nodes.get(realPath)
    if (node === undefined || isFolder(node)) return { kind: "directory", realPath }
    if (isUnreadable(node)) return { kind: "unreadable", reason: node.unreadable }
    const bytes = bytesOf(node)
    return bytes.length > options.maxBytes
      ? { kind: "too-large", realPath, sizeBytes: bytes.length }
      : { kind: "file", realPath, bytes, modifiedAt: times.get(realPath) ?? 0 }
  }

  function list(name: string): readonly DiskEntry[] {
    touched.add(name)
    const realPath = resolve(name)
    if (realPath === undefined || !folders.has(realPath)) return []
    const names = new Set<string>()
    const prefix = realPath === "/" ? "/" : `${realPath}/`
    for (const at of [...nodes.keys(), ...folders]) {
      const name = at.startsWith(prefix) ? at.slice(prefix.length).split("/")[0] : undefined
      if (name !== undefined && name !== "") names.add(name)
    }
    return [...names].map((name) => ({ name, what: whatIs(prefix + name) }))
  }

  function whatIs(at: string): DiskEntry["what"] {
    const node = nodes.get(at)
    if (node !== undefined && isLink(node)) return "link"
    return folders.has(at) ? "directory" : "file"
  }

  return {
    touched,
    reads: () => reads,
    read: (name, options) => Promise.resolve(read(name, options)),
    list: (name) => Promise.resolve(list(name)),
    realPath: (name) => Promise.resolve(resolve(name)),
    modifiedAt: (name) => Promise.resolve(times.get(resolve(name) ?? "")),
    async *records(name, options) {
      const file = read(name, { maxBytes: Number.MAX_SAFE_INTEGER })
      if (file.kind !== "file") return
      for (const line of file.bytes.subarray(0, options.maxBytes).toString().split("\n")) {
        const record = parseRecord(line)
        if (record !== undefined) yield record
      }
    },
  }
}

function firstLink(at: string, nodes: ReadonlyMap<string, PlantedFile>) {
  const parts = at.split("/").slice(1)
  for (let length = 1; length <= parts.length; length++) {
    const prefix = `/${parts.slice(0, length).join("/")}`
    const node = nodes.get(prefix)
    if (node !== undefined && isLink(node)) return { at: prefix, to: node.link }
  }
  return undefined
}

function isLink(node: PlantedFile): node is { readonly link: string } {
  return typeof node === "object" && "link" in node
}

function isFolder(node: PlantedFile): node is { readonly dir: true } {
  return typeof node === "object" && "dir" in node
}

function isUnreadable(node: PlantedFile): node is { readonly unreadable: string } {
  return typeof node === "object" && "unreadable" in node
}

function bytesOf(node: PlantedFile): Buffer {
  if (typeof node === "string") return Buffer.from(node)
  return Buffer.isBuffer(node) ? node : Buffer.alloc(0)
}

function parseRecord(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === "object" && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}
