import { applyEdits, findNodeAtLocation, type JSONPath, modify, parseTree } from "jsonc-parser"

/** Where the version of the product stands. A test fails if a manifest has it and is not listed. */
export const VERSIONED: Readonly<Record<string, readonly JSONPath[]>> = {
  "package.json": [["version"]],
  "package-lock.json": [
    ["version"],
    ["packages", "", "version"],
    ["packages", "console", "version"],
  ],
  "console/package.json": [["version"]],
  "server.json": [["version"], ["packages", 0, "version"]],
  ".claude-plugin/marketplace.json": [["plugins", 0, "version"]],
  "agent-plugin/plugin.json": [["version"]],
  "plugin/.claude-plugin/plugin.json": [["version"]],
  "plugin/.codex-plugin/plugin.json": [["version"]],
  "container/feature/devcontainer-feature.json": [["version"], ["options", "version", "default"]],
}

/** A release that cannot be made, with what to do next. */
export class ReleaseError extends Error {
  readonly code: string
  readonly hint: string

  constructor(code: string, message: string, hint: string) {
    super(message)
    this.code = code
    this.hint = hint
  }
}

const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-[0-9A-Za-z]+(?:\.[0-9A-Za-z]+)*)?$/

export function checkVersion(next: string | undefined, current: string): string {
  const example = "Write `npm run release -- 0.2.0`, or add --dry-run to see the changes."
  if (next === undefined) throw new ReleaseError("RELEASE_NO_VERSION", "Name the version.", example)
  if (!VERSION.test(next)) {
    const message = `"${next}" is not a semantic version.`
    throw new ReleaseError("RELEASE_VERSION_INVALID", message, example)
  }
  if (isNewer(next, current)) return next
  throw new ReleaseError(
    "RELEASE_VERSION_OLD",
    `${next} is not newer than ${current}, the version in package.json.`,
    "Name a higher version. A published version cannot be replaced.",
  )
}

/** A pre-release is older than its release; two pre-releases of one version are ordered as text. */
function isNewer(next: string, current: string): boolean {
  const [a = [], b = []] = [next, current].map((it) => VERSION.exec(it)?.slice(1, 4).map(Number))
  const part = [0, 1, 2].find((it) => a[it] !== b[it])
  if (part !== undefined) return (a[part] ?? 0) > (b[part] ?? 0)
  const [after, before] = [next.includes("-"), current.includes("-")]
  if (after && before) return next.localeCompare(current, "en", { numeric: true }) > 0
  return !after && before
}

/** The text of a manifest with another version, formatted as before. */
export function setVersion(text: string, paths: readonly JSONPath[], version: string): string {
  return paths.reduce((changed, path) => {
    const tree = parseTree(changed)
    if (tree === undefined || findNodeAtLocation(tree, path) === undefined) {
      throw new ReleaseError(
        "RELEASE_FIELD_MISSING",
        `There is no field ${path.join(".")}.`,
        "Correct VERSIONED in scripts/release/release.ts.",
      )
    }
    return applyEdits(changed, modify(changed, path, version, {}))
  }, text)
}

const UNRELEASED = /^## Unreleased\n[^]*?(?=^## |(?![^]))/m

/** The changelog with one entry for each change, below "Unreleased". */
export function foldChanges(
  changelog: string,
  changes: Readonly<Record<string, string>>,
  release: { readonly version: string; readonly date: string },
): string {
  const entries = Object.entries(changes)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, text]) => {
      const line = text.replaceAll(/\s+/g, " ").trim()
      if (line !== "") return `- ${line}`
      throw new ReleaseError("RELEASE_CHANGE_EMPTY", `${file} is empty.`, "Write it or remove it.")
    })
  if (entries.length === 0) {
    const hint = "A release needs at least one file changes/<slug>.md."
    throw new ReleaseError("RELEASE_NO_CHANGES", "There are no changes to release.", hint)
  }
  const unreleased = UNRELEASED.exec(changelog)
  if (unreleased === null) {
    const message = 'CHANGELOG.md has no section "## Unreleased".'
    throw new ReleaseError("RELEASE_NO_SECTION", message, "Add it above the newest version.")
  }
  const end = unreleased.index + unreleased[0].length
  const section = `## ${release.version} (${release.date})\n${entries.join("\n")}\n`
  const before = changelog.slice(0, end).trimEnd()
  const after = changelog.slice(end)
  return `${before}\n\n${section}${after === "" ? "" : `\n${after}`}`
}
