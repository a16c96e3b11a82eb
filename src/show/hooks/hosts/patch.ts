import { MOST_PATCHED_FILES } from "../limits.ts"

const BEGIN = "*** Begin Patch"
const FILE = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/

/** The files that a patch of Codex touches, each once, in its order. */
export function patchedPaths(text: string): readonly string[] {
  const begin = text.indexOf(BEGIN)
  if (begin === -1) return []
  const paths = new Set<string>()
  for (const line of text.slice(begin).split("\n")) {
    const path = FILE.exec(line.trimEnd())?.[1]?.trim()
    if (path) paths.add(path)
    if (paths.size === MOST_PATCHED_FILES) break
  }
  return [...paths]
}

/**
 * The same for a patch that is handed to the program in a shell, as Codex does with models that
 * have no tool for it: `apply_patch <<'EOF'`, or after a `cd` into a folder.
 */
export function patchedInShell(command: string): readonly string[] {
  const begin = command.indexOf(BEGIN)
  const before = command.slice(0, Math.max(0, begin))
  if (!/\bapply_?patch\b/.test(before)) return []
  const folder = /^\s*cd\s+(?:"([^"]+)"|'([^']+)'|([^\s;&|]+))\s*&&/.exec(before)
  const prefix = folder?.[1] ?? folder?.[2] ?? folder?.[3]
  const paths = patchedPaths(command)
  return prefix === undefined ? paths : paths.map((it) => below(prefix, it))
}

function below(folder: string, path: string): string {
  return path.startsWith("/") ? path : `${folder}/${path}`
}
