import type { HostItem, Scope } from "./host.ts"

export type Source = {
  readonly source: string
  readonly priority: number
  readonly reason: string
}

export const PROJECT_ROOT = {
  source: "project-root",
  priority: 100,
  reason: "Project root memory",
} as const satisfies Source

/** Parents get priorities from 2 to below the project's; deep paths share them. */
const PARENT_NUMBERS = 97

export function walkSource(index: number, count: number): Source {
  const levelsUp = count - 1 - index
  if (levelsUp === 0) return PROJECT_ROOT
  const parents = count - 1
  const step = parents <= PARENT_NUMBERS ? 1 : PARENT_NUMBERS / parents
  const levels = levelsUp === 1 ? "1 level" : `${levelsUp} levels`
  return {
    source: "parent-directory",
    priority: 2 + index * step,
    reason: `Parent directory (${levels} up)`,
  }
}

export function configItem(
  it: { readonly path: string; readonly file: HostItem["file"]; readonly trust: HostItem["trust"] },
  source: Source,
  scope: Scope,
): HostItem {
  return {
    path: it.path,
    ...source,
    scope,
    load: "config-only",
    kind: "instructions",
    trust: it.trust,
    file: it.file,
    sent: "",
    frame: "",
    later: "",
  }
}
