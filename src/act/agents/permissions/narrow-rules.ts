import { type Approval, PermissionRule } from "#ground/contract"
import { PROJECT_FOLDER } from "#see/repo"
import { isBeginning } from "./command-pattern.ts"
import { problemWith } from "./rule-text.ts"
import { locate, type RepositoryPaths, type Subject, subjectOf } from "./tool-subject.ts"

export function rulesFor(
  approval: Pick<Approval, "tool" | "input" | "cwd">,
  repository: RepositoryPaths,
): readonly PermissionRule[] | undefined {
  const { tool, input, cwd } = approval
  const isServers = tool.startsWith("mcp__")
  const kind = isServers ? "mcp" : "other"
  const subject = subjectOf({ tool, input, kind, cwd })
  if (subject.wantsMore || tool.includes("*")) return undefined
  const rules = wantedRules(subject, isServers, repository)
  const isNarrow = rules.length > 0 && rules.length <= 20
  const parsed = rules.map((it) => PermissionRule.safeParse(it).data)
  const isSound = (it: PermissionRule | undefined) =>
    it !== undefined && problemWith(it) === undefined
  const sound = parsed.filter((it) => it !== undefined)
  return isNarrow && parsed.every(isSound) ? sound : undefined
}

function wantedRules(
  { tool, command, paths, cwd }: Subject,
  isServers: boolean,
  repository: RepositoryPaths,
): readonly PermissionRule[] {
  const isPattern = command !== undefined && isBeginning(command)
  if (isPattern || command === "") return []
  const rule = { decision: "allow", tool, ...(command === undefined ? {} : { command }) } as const
  if (paths.length === 0) return command !== undefined || isServers ? [rule] : []
  const places = paths.map((it) => locate(it, cwd, repository).real)
  const isOurs = places.some((it) => it?.inRoot?.split("/")[0] === PROJECT_FOLDER)
  const areLocated = places.every((it) => it !== undefined)
  if (isOurs || !areLocated) return []
  return places.map((it) => ({ ...rule, path: literally(it.inRoot || it.absolute) }))
}

function literally(path: string): string {
  return path.replace(/[\\*?[\]{}()!+@|^$,]/g, "\\$&")
}
