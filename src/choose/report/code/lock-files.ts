import { asRecord, compareText, isRecord, parseJson } from "#ground/base"
import { LockFileInvalid } from "../errors.ts"

export type LockedPackage = {
  readonly name: string
  readonly version: string
  readonly isDirect: boolean
  readonly isDevelopment: boolean
  readonly licence: string | null
  readonly deprecated: string | null
  readonly hasInstallScript: boolean
  readonly hasIntegrity: boolean
  /** Null for a package of the registry of the tool. */
  readonly source: string | null
}

export type LockFile = {
  readonly path: string
  readonly ecosystem: "npm" | "cargo" | "python"
  readonly packages: readonly LockedPackage[]
  /** Ranges of the manifest as the lock file repeats them, by package; empty if it does not. */
  readonly ranges: ReadonlyMap<string, string>
  /** Whether the file has fields for licences and deprecations. */
  readonly hasDetails: boolean
}

const READERS: Readonly<Record<string, (path: string, text: string) => LockFile>> = {
  "package-lock.json": readNpm,
  "npm-shrinkwrap.json": readNpm,
  "Cargo.lock": (path, text) => readTables(path, text, "cargo"),
  "poetry.lock": (path, text) => readTables(path, text, "python"),
  "uv.lock": (path, text) => readTables(path, text, "python"),
}

/** Known, and without a reader: named in a note instead of skipped silently. */
export const UNREAD_LOCK_FILES: readonly string[] = [
  "yarn.lock",
  "pnpm-lock.yaml",
  "bun.lock",
  "go.sum",
  "composer.lock",
  "Gemfile.lock",
]

export const READ_LOCK_FILES: readonly string[] = Object.keys(READERS)

export function readLockFile(path: string, text: string): LockFile {
  const reader = READERS[path.slice(path.lastIndexOf("/") + 1)]
  if (reader === undefined) throw LockFileInvalid({ path, wrong: "its format is not supported" })
  return reader(path, text)
}

const TEXT = (value: unknown): string | null => (typeof value === "string" ? value : null)

function readNpm(path: string, text: string): LockFile {
  const parsed = parseJson(text.replace(/^\uFEFF/, ""))
  const packages = isRecord(parsed) ? parsed["packages"] : undefined
  if (!isRecord(packages)) {
    const wrong = isRecord(parsed)
      ? "it has no field `packages`; lock files of npm 6 are not supported"
      : "it is not valid JSON"
    throw LockFileInvalid({ path, wrong })
  }
  const roots = Object.entries(packages).filter(([key]) => !key.includes("node_modules/"))
  const ranges = new Map<string, string>()
  for (const [, root] of roots) {
    for (const field of ["dependencies", "devDependencies", "optionalDependencies"]) {
      const listed = asRecord(asRecord(root)[field])
      for (const [name, range] of Object.entries(listed)) ranges.set(name, String(range))
    }
  }
  const locked = Object.entries(packages).flatMap(([key, value]) => {
    const at = key.lastIndexOf("node_modules/")
    if (at === -1 || !isRecord(value) || value["link"] === true) return []
    const name = key.slice(at + "node_modules/".length)
    return [npmPackage(name, value, { isTop: at === 0, isRequested: ranges.has(name) })]
  })
  return { path, ecosystem: "npm", packages: sorted(locked), ranges, hasDetails: true }
}

function npmPackage(
  name: string,
  value: Readonly<Record<string, unknown>>,
  it: { readonly isTop: boolean; readonly isRequested: boolean },
): LockedPackage {
  const resolved = TEXT(value["resolved"])
  const isRegistry = resolved === null || /^https:\/\/[^/]+\/.*\.tgz$/.test(resolved)
  return {
    name,
    version: TEXT(value["version"]) ?? "",
    isDirect: it.isTop && it.isRequested,
    isDevelopment: value["dev"] === true,
    licence: TEXT(value["license"]),
    deprecated: TEXT(value["deprecated"]),
    hasInstallScript: value["hasInstallScript"] === true,
    hasIntegrity: TEXT(value["integrity"]) !== null || value["inBundle"] === true,
    source: isRegistry ? null : (resolved ?? ""),
  }
}

/** `[[package]]` tables with plain strings, as Cargo, Poetry and uv write them. */
function readTables(path: string, text: string, ecosystem: "cargo" | "python"): LockFile {
  const tables = text
    .replaceAll("\r\n", "\n")
    .split(/^\[\[package\]\]$/m)
    .slice(1)
  if (tables.length === 0) throw LockFileInvalid({ path, wrong: "it has no [[package]] table" })
  const packages = tables.flatMap((table) => {
    const field = (name: string) =>
      new RegExp(`^${name} = "([^"\\n]*)"$`, "m").exec(table)?.[1] ?? null
    const name = field("name")
    if (name === null) return []
    const source = field("source")
    const isPlain = source === null || source.startsWith("registry+")
    return [
      {
        name,
        version: field("version") ?? "",
        isDirect: false,
        isDevelopment: false,
        licence: null,
        deprecated: null,
        hasInstallScript: false,
        hasIntegrity: true,
        source: isPlain ? null : source,
      },
    ]
  })
  return { path, ecosystem, packages: sorted(packages), ranges: new Map(), hasDetails: false }
}

function sorted(packages: readonly LockedPackage[]): readonly LockedPackage[] {
  return packages.toSorted(
    (a, b) => compareText(a.name, b.name) || compareText(a.version, b.version),
  )
}
