import { createRiskPaths } from "#choose/guard"
import { compareText, giveOthersATurn } from "#ground/base"
import type { CallContext, ParsedInput, SecurityFinding, SecurityReport } from "#ground/contract"
import type { RedactedText } from "#ground/secrets"
import type { IndexedFile } from "#know/map"
import { openTree } from "#see/repo"
import { dependentsOf, filesAt, type ReportDeps } from "../deps.ts"
import { RISK_PATTERNS } from "./risk-patterns.ts"

/** Longer lines are data or minified code. */
const LONGEST_LINE_UNITS = 1_000

const MOST_FINDINGS_A_FILE = 20

type Finding = Omit<SecurityFinding, "dependents">

/** The scrubber, the risk patterns and the high-risk paths over the files as they are now. */
export async function auditSecurity(
  { paths, limit }: ParsedInput<"audit.security">,
  context: CallContext,
  deps: ReportDeps,
): Promise<SecurityReport> {
  const tree = await deps.tree(context)
  const places = paths.map(deps.place)
  const files = filesAt(tree, places)
  const dependents = await dependentsOf(deps.graphOf(tree))
  const redact = await deps.redact()
  const findings: Finding[] = []
  let filesRead = 0
  using reader = openTree(deps.repository.root)
  for (const file of files) {
    context.signal.throwIfAborted()
    const read = reader.read(file.path)
    if (read.kind !== "read") continue
    filesRead++
    const text = read.bytes.toString("utf8")
    findings.push(...secretsIn(file, redact(text)), ...risksIn(file, text))
    await giveOthersATurn()
  }
  findings.push(
    ...untestedIn(files, { riskPaths: createRiskPaths(deps.highRiskPaths()), dependents }),
  )
  const isBelow = (path: string) =>
    places.length === 0 || places.some((it) => path === it || path.startsWith(`${it}/`))
  for (const { path, reason } of tree.skipped) {
    if (reason === "secret-bearing" && isBelow(path)) findings.push(secretFile(path))
  }
  const sorted = findings.toSorted(bySeverity)
  const left = sorted.length - limit
  return {
    findings: sorted
      .slice(0, limit)
      .map((it) => ({ ...it, dependents: dependents(it.path).others })),
    filesRead,
    isClean: findings.every((it) => it.severity !== "high"),
    notes: [
      ...(left > 0 ? [`${left} more findings are not listed; raise --limit`] : []),
      ...(deps.highRiskPaths().length === 0
        ? ["guard.highRiskPaths is not set, so no path counts as high-risk"]
        : []),
    ],
  }
}

/** In tests, made-up secrets are common, and a leaked one still counts. */
function secretsIn(
  { path, fileClass }: IndexedFile,
  { findings }: RedactedText,
): readonly Finding[] {
  const severity = fileClass === "test" || fileClass === "docs" ? "medium" : "high"
  return findings.slice(0, MOST_FINDINGS_A_FILE).map(({ kind, line }) => {
    const detail = `looks like a secret (${kind}); revoke it, then remove it`
    return { kind: "secret", rule: kind, severity, path, line, detail }
  })
}

function secretFile(path: string): Finding {
  const detail = "a file for credentials that git does not ignore"
  // Settings of package managers are often committed without a credential.
  const severity = /(?:^|\/)\.(?:npmrc|pypirc|yarnrc)$/.test(path) ? "low" : "high"
  return { kind: "secret-file", rule: "not-ignored", severity, path, line: null, detail }
}

export function risksIn(
  { path, language, fileClass }: Pick<IndexedFile, "path" | "language" | "fileClass">,
  text: string,
): readonly Finding[] {
  if (language === undefined || fileClass !== "source") return []
  const patterns = RISK_PATTERNS.filter((it) => it.languages.includes(language))
  const findings: Finding[] = []
  for (const [at, line] of text.split("\n").entries()) {
    if (line.length > LONGEST_LINE_UNITS || findings.length >= MOST_FINDINGS_A_FILE) continue
    const code = withoutComment(line)
    for (const { rule, severity, pattern, detail } of patterns) {
      if (!pattern.test(code)) continue
      findings.push({ kind: "risky-call", rule, severity, path, line: at + 1, detail })
    }
  }
  return findings
}

function withoutComment(line: string): string {
  const trimmed = line.trim()
  return /^(?:\/\/|#|\*|\/\*|--)/.test(trimmed) ? "" : line
}

type UntestedDeps = {
  readonly riskPaths: ReturnType<typeof createRiskPaths>
  readonly dependents: Awaited<ReturnType<typeof dependentsOf>>
}

function untestedIn(
  files: readonly IndexedFile[],
  { riskPaths, dependents }: UntestedDeps,
): readonly Finding[] {
  return files.flatMap(({ path, fileClass, language }): readonly Finding[] => {
    const isCode = fileClass === "source" && language !== undefined
    if (!isCode || riskPaths.patternFor(path) === undefined) return []
    if (dependents(path).tests.length > 0) return []
    const base = { rule: "no-test", severity: "medium", path, line: null } as const
    const detail = "guard.highRiskPaths names it, and no test imports it"
    return [{ ...base, kind: "high-risk-untested", detail }]
  })
}

const SEVERITIES = ["high", "medium", "low"]

function bySeverity(a: Finding, b: Finding): number {
  const severity = SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity)
  return severity || compareText(a.path, b.path) || (a.line ?? 0) - (b.line ?? 0)
}
