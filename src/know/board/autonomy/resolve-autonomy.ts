import type { AutonomyAnswer, AutonomyArea } from "#ground/contract"
import { AUTONOMY_AREAS } from "#ground/contract"

/** Always manual. Settings may add areas; none can be removed. */
const FLOOR: readonly AutonomyArea[] = ["decision", "grade-change", "secrets", "gate-edit"]

const LOWEST_GRADE = 1
export const DEFAULT_GRADE = 2
const HIGHEST_GRADE = 4

export type AutonomyConfig = {
  /** As it is written; an unreadable one counts as 1. */
  readonly grade: unknown
  /** More areas of the floor. */
  readonly floor: readonly string[]
}

/** A flag of this run comes before a setting of the session. */
export type AutonomyOverride = { readonly run?: unknown; readonly session?: unknown }

export type AutonomyContext = {
  /** Areas whose kill switch is on. */
  readonly stopped: ReadonlySet<AutonomyArea>
  /** Whether the measurements of grade 4 are met. */
  readonly isProved: boolean
  /** A push that rewrites a branch. */
  readonly isForced?: boolean
}

export type ResolvedAutonomy = {
  readonly answer: AutonomyAnswer
  readonly grade: number
  readonly why: string
}

const AT_GRADE: Readonly<Record<number, readonly AutonomyArea[]>> = {
  1: [],
  2: ["session-log"],
  3: ["session-log", "edit", "commit", "board-move"],
  4: ["session-log", "edit", "commit", "board-move", "swarm-dispatch", "push"],
}

/** The only place that decides what automation may do. */
export function resolveAutonomy(
  area: AutonomyArea,
  config: AutonomyConfig,
  { override, context }: { readonly override: AutonomyOverride; readonly context: AutonomyContext },
): ResolvedAutonomy {
  const { grade, note } = gradeOf(config, override, context)
  if (FLOOR.includes(area)) return { answer: "manual", grade, why: "always manual" }
  if (area === "push" && context.isForced === true)
    return { answer: "manual", grade, why: "a forced push is always manual" }
  if (config.floor.includes(area))
    return { answer: "manual", grade, why: "manual by autonomy.floor" }
  if (context.stopped.has(area)) return { answer: "manual", grade, why: "its kill switch is on" }
  if (grade === LOWEST_GRADE) return { answer: "manual", grade, why: note }
  const isAuto = (AT_GRADE[grade] ?? []).includes(area)
  return { answer: isAuto ? "auto" : "suggest", grade, why: note }
}

function gradeOf(
  { grade: configured }: AutonomyConfig,
  { run, session }: AutonomyOverride,
  { isProved }: AutonomyContext,
): { readonly grade: number; readonly note: string } {
  const sources = [
    { source: "the flag of this run", value: run },
    { source: "this session", value: session },
    { source: "the setting", value: configured },
  ]
  const fallback = { source: "the default", value: DEFAULT_GRADE }
  const { source, value } = sources.find((it) => it.value !== undefined) ?? fallback
  const grade = readGrade(value)
  if (grade === undefined)
    return { grade: LOWEST_GRADE, note: `${source} has no valid grade, so grade 1 applies` }
  if (grade === HIGHEST_GRADE && !isProved)
    return {
      grade: 3,
      note: `grade 4 from ${source} does not meet its conditions, so grade 3 applies`,
    }
  return { grade, note: `grade ${grade} from ${source}` }
}

function readGrade(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\d$/.test(value) ? Number(value) : value
  const isGrade = typeof number === "number" && Number.isInteger(number)
  return isGrade && number >= LOWEST_GRADE && number <= HIGHEST_GRADE ? number : undefined
}

export const ALL_AREAS: readonly AutonomyArea[] = AUTONOMY_AREAS

export const GRADE_EFFECTS: Readonly<Record<number, string>> = {
  1: "Automation does nothing on its own.",
  2: "Automation suggests; a person sees each step.",
  3: "Edits, commits and moves up to testing run without asking.",
  4: "Swarms start and own branches are pushed without asking.",
}
