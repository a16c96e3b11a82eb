import path from "node:path"
import type { ManifestNote } from "#ground/contract"
import { globMatcher, type HostItem, isUsableGlob } from "#see/hosts"

const MOST_PATTERNS_SHOWN = 5

/** Pattern tries for one rule; beyond this it is assumed to match. */
const MOST_MATCHINGS = 500_000

type ListFiles = (folder: string) => Promise<readonly string[] | undefined>

export async function findIdleRules(
  items: readonly HostItem[],
  listFiles: ListFiles,
): Promise<ManifestNote[]> {
  const notes: ManifestNote[] = []
  for (const { path: file, waitsFor } of items) {
    if (waitsFor === undefined || waitsFor.patterns.length === 0) continue
    const files = await listFiles(waitsFor.base)
    if (files === undefined || isWaitedFor(files, waitsFor.patterns)) continue
    const patterns = waitsFor.patterns.slice(0, MOST_PATTERNS_SHOWN).join(", ")
    notes.push({
      code: "rule-never-matches",
      path: file,
      text: `This rule never loads: its paths (${patterns}) match no file in ${path.basename(waitsFor.base)}.`,
    })
  }
  return notes
}

function isWaitedFor(files: readonly string[], patterns: readonly string[]): boolean {
  const readingsOfAll = patterns.flatMap(readings)
  const isTooMuch =
    readingsOfAll.length * files.length > MOST_MATCHINGS || !readingsOfAll.every(isUsableGlob)
  if (isTooMuch) return true
  const matches = readingsOfAll.map((it) => globMatcher(it, { dot: true }))
  return files.some((file) => matches.some((isMatch) => isMatch(file)))
}

/**
 * Hosts read such patterns like a git ignore file: a bare name matches at any depth, and a folder
 * matches its content. In doubt a rule is assumed to match.
 */
function readings(pattern: string): string[] {
  const plain = pattern
    .replace(/^!/, "")
    .replace(/^\.?\//, "")
    .replace(/\/$/, "")
  return [plain, `${plain}/**`, `**/${plain}`, `**/${plain}/**`]
}
