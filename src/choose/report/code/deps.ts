import { builtinModules } from "node:module"
import { compareText, isRecord, parseJson } from "#ground/base"
import type { CallContext, DependencyFinding, DependencyReport } from "#ground/contract"
import type { IndexedTree } from "#know/map"
import { readTreeFile } from "#see/repo"
import type { ReportDeps } from "../deps.ts"
import { LockFileMissing } from "../errors.ts"
import {
  type LockedPackage,
  type LockFile,
  READ_LOCK_FILES,
  readLockFile,
  UNREAD_LOCK_FILES,
} from "./lock-files.ts"

/** Licences that ask to publish own code, or that forbid uses. */
const RECIPROCAL = /\b(?:A?GPL|SSPL|CC-BY-NC|BUSL|EUPL|OSL)\b/i
const WEAK_RECIPROCAL = /\b(?:LGPL|MPL|EPL|CDDL)\b/i

/** Read by tools from files that no import names. */
const USED_BY_NAME =
  /^@types\/|(?:^|[/-])(?:eslint|prettier|babel|postcss|tailwindcss|husky|typescript|vite|vitest|jest|webpack|rollup)(?:$|[/-])/

export async function auditDeps(context: CallContext, deps: ReportDeps): Promise<DependencyReport> {
  const tree = await deps.tree(context)
  const names = [...tree.files, ...tree.unread].map((it) => it.path)
  const paths = names.filter((it) => isNamed(it, READ_LOCK_FILES) && !it.includes("node_modules/"))
  if (paths.length === 0) throw LockFileMissing({})
  const lockFiles = paths.flatMap((path) => {
    const file = readTreeFile(deps.repository.root, path)
    return file.kind === "read" ? [readLockFile(path, file.bytes.toString("utf8"))] : []
  })
  const findings: DependencyFinding[] = []
  for (const file of lockFiles) {
    findings.push(...findingsOf(file))
    if (file.ecosystem === "npm") findings.push(...(await usageOf(file, tree, deps)))
  }
  const unread = names.filter((it) => isNamed(it, UNREAD_LOCK_FILES))
  const plain = lockFiles.filter((it) => !it.hasDetails)
  return {
    lockFiles: lockFiles.map(({ path, ecosystem, packages }) => ({
      path,
      ecosystem,
      packages: packages.length,
      direct: packages.filter((it) => it.isDirect).length,
    })),
    findings: findings.toSorted(bySeverity),
    licences: licencesOf(lockFiles),
    notes: [
      "known vulnerabilities were not checked: that needs the network",
      ...unread.map((it) => `${it} was not read: its format is not supported`),
      ...plain.map((it) => `${it.path} lists no licences, deprecations and direct packages`),
    ],
  }
}

function isNamed(path: string, names: readonly string[]): boolean {
  return names.includes(path.slice(path.lastIndexOf("/") + 1))
}

const SEVERITIES = ["high", "medium", "low"]

function bySeverity(a: DependencyFinding, b: DependencyFinding): number {
  const severity = SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity)
  return severity || compareText(a.kind, b.kind) || compareText(a.package, b.package)
}

/** From the lock file alone. */
export function findingsOf(file: LockFile): readonly DependencyFinding[] {
  const byName = Map.groupBy(file.packages, (it) => it.name)
  const duplicates = [...byName].flatMap(([name, packages]): readonly DependencyFinding[] => {
    const versions = [...new Set(packages.map((it) => it.version))]
    if (versions.length < 2) return []
    const isDirect = packages.some((it) => it.isDirect)
    const detail = `${versions.length} versions are installed: ${versions.join(", ")}`
    const severity = isDirect ? "medium" : "low"
    return [{ kind: "duplicate", severity, package: name, version: versions[0] ?? "", detail }]
  })
  const unpinned = [...file.ranges].flatMap(([name, range]): readonly DependencyFinding[] => {
    const problem = rangeProblem(range)
    if (problem === undefined) return []
    return [
      {
        kind: "unpinned",
        severity: problem.severity,
        package: name,
        version: range,
        detail: problem.detail,
      },
    ]
  })
  const drift = [...file.ranges].flatMap(([name, range]): readonly DependencyFinding[] => {
    const isLocked = byName.has(name) || /^(?:file|link|workspace):/.test(range)
    const detail = "the manifest asks for it, and the lock file does not have it"
    return isLocked
      ? []
      : [{ kind: "lock-drift", severity: "medium", package: name, version: range, detail }]
  })
  const unique = new Map(file.packages.map((it) => [`${it.name}@${it.version}`, it]))
  return [
    ...[...unique.values()].flatMap((it) => packageFindings(it, file)),
    ...duplicates,
    ...unpinned,
    ...drift,
  ]
}

function packageFindings(it: LockedPackage, file: LockFile): readonly DependencyFinding[] {
  const base = { package: it.name, version: it.version }
  const runs = it.isDevelopment ? "low" : "medium"
  const findings: DependencyFinding[] = []
  if (it.deprecated !== null) {
    const severity = it.isDirect ? "medium" : "low"
    findings.push({ ...base, kind: "deprecated", severity, detail: it.deprecated })
  }
  if (it.hasInstallScript) {
    const detail = "it runs a script when it is installed"
    findings.push({ ...base, kind: "install-script", severity: runs, detail })
  }
  if (it.source !== null) {
    const isOpen = /^(?:http|git):\/\//.test(it.source)
    const detail = `it comes from ${it.source}${isOpen ? ", without encryption" : ""}`
    const severity = isOpen ? "high" : "medium"
    findings.push({ ...base, kind: "insecure-source", severity, detail })
  }
  if (!it.hasIntegrity && it.source === null) {
    const detail = "the lock file has no checksum for it"
    findings.push({ ...base, kind: "no-integrity", severity: "medium", detail })
  }
  const licence = file.hasDetails ? licenceProblem(it) : undefined
  if (licence !== undefined) findings.push({ ...base, kind: "licence", ...licence })
  return findings
}

function licenceProblem({ licence, isDevelopment }: LockedPackage) {
  if (licence === null) return { severity: "low", detail: "it names no licence" } as const
  // "MIT OR GPL-3.0" can be used as MIT.
  const choices = licence.split(/ OR /).map((it) => it.replace(/[()]/g, ""))
  if (choices.every((it) => RECIPROCAL.test(it) && !/LGPL/i.test(it))) {
    const severity = isDevelopment ? "low" : "high"
    return { severity, detail: `its licence is ${licence}` } as const
  }
  if (choices.every((it) => RECIPROCAL.test(it) || WEAK_RECIPROCAL.test(it))) {
    return { severity: "low", detail: `its licence is ${licence}` } as const
  }
  return undefined
}

function rangeProblem(range: string) {
  if (/^(?:\*|x|latest|next)?$/.test(range))
    return { severity: "high", detail: "any version is accepted" } as const
  if (/^(?:>=?)/.test(range) && !range.includes("<"))
    return { severity: "medium", detail: `${range} has no upper bound` } as const
  if (/^(?:git|github:|https?:)/.test(range) && !/#[0-9a-f]{40}$/.test(range))
    return { severity: "high", detail: "it is not pinned to a commit" } as const
  return undefined
}

/** Declared packages that no file imports, and imported ones that no manifest declares. */
async function usageOf(
  file: LockFile,
  tree: IndexedTree,
  { repository }: ReportDeps,
): Promise<readonly DependencyFinding[]> {
  const folder = file.path.slice(0, file.path.lastIndexOf("/") + 1)
  const code = tree.files.filter((it) => it.importCount > 0 && it.path.startsWith(folder))
  const contents = await tree.contents([...new Set(code.map((it) => it.content))])
  const scripts = ["javascript", "typescript", "tsx"]
  const imported = new Map<string, string>()
  for (const { path, content } of code) {
    const facts = contents.get(content)
    if (facts === undefined || !scripts.includes(facts.language ?? "")) continue
    for (const { specifier } of facts.imports) {
      const name = packageNameOf(specifier)
      if (name !== undefined && !imported.has(name)) imported.set(name, path)
    }
  }
  const mentioned = manifestTexts(repository.root, folder)
  const direct = file.packages.filter((it) => it.isDirect)
  const unused = direct.flatMap((it): readonly DependencyFinding[] => {
    const isUsed = imported.has(it.name) || USED_BY_NAME.test(it.name) || mentioned(it.name)
    const detail = "no file imports it, and no script or tool section names it"
    const base = { package: it.name, version: it.version, detail }
    return isUsed ? [] : [{ ...base, kind: "unused", severity: "low" }]
  })
  const undeclared = [...imported].flatMap(([name, path]): readonly DependencyFinding[] => {
    const locked = file.packages.find((it) => it.name === name)
    const isDeclared = file.ranges.has(name) || file.ranges.has(`@types/${name}`)
    if (isDeclared || locked === undefined) return []
    const detail = `${path} imports it, and no manifest declares it`
    return [
      { kind: "undeclared", severity: "medium", package: name, version: locked.version, detail },
    ]
  })
  return [...unused, ...undeclared]
}

/** Scripts and the sections of tools in package.json name packages that no code imports. */
function manifestTexts(root: string, folder: string): (name: string) => boolean {
  const read = readTreeFile(root, `${folder}package.json`)
  const manifest = read.kind === "read" ? parseJson(read.bytes.toString("utf8")) : undefined
  if (!isRecord(manifest)) return () => false
  const rest = Object.entries(manifest).filter(([key]) => !/dependencies$/i.test(key))
  const text = JSON.stringify(rest)
  return (name) => text.includes(name.slice(name.lastIndexOf("/") + 1))
}

function packageNameOf(specifier: string): string | undefined {
  if (/^[.#/~]/.test(specifier) || specifier.startsWith("node:") || specifier.includes(":"))
    return undefined
  const [first = "", second = ""] = specifier.split("/")
  const name = first.startsWith("@") ? `${first}/${second}` : first
  return name === "" || builtinModules.includes(name) || /[^\w@./-]/.test(name) ? undefined : name
}

function licencesOf(files: readonly LockFile[]): DependencyReport["licences"] {
  const packages = files.filter((it) => it.hasDetails).flatMap((it) => it.packages)
  const groups = Map.groupBy(packages, (it) => it.licence ?? "none named")
  return [...groups]
    .map(([licence, its]) => ({ licence, packages: its.length }))
    .toSorted((a, b) => b.packages - a.packages || compareText(a.licence, b.licence))
}
