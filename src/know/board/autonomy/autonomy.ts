import { join } from "node:path"
import {
  ensureDirectory,
  isRecord,
  parseJson,
  readTextBounded,
  whileLocked,
  writeFileAtomic,
} from "#ground/base"
import type { Autonomy, AutonomyArea, AutonomyMeasure, BoardEvent, Caller } from "#ground/contract"
import type { BoardIdentity } from "../deps.ts"
import { AutonomyRefused } from "../errors.ts"
import {
  ALL_AREAS,
  type AutonomyConfig,
  type AutonomyOverride,
  DEFAULT_GRADE,
  GRADE_EFFECTS,
  type ResolvedAutonomy,
  resolveAutonomy,
} from "./resolve-autonomy.ts"

const LARGEST_SWITCH_BYTES = 64 * 1024

const NEEDED_TRANSITIONS = 30
const NEEDED_SESSIONS = 20
const LARGEST_UNDONE_SHARE = 0.1

export type AutonomyDeps = {
  readonly stateDirectory: string
  config(): AutonomyConfig
  override(): AutonomyOverride
  events(): Promise<readonly BoardEvent[]>
  /** Registered sessions of this repository. */
  countSessions(): Promise<number>
  /** Differences between the installed hooks and the expected ones; empty if there are none. */
  hookDrift(): Promise<readonly string[]>
  /** Whether the command of `autonomy.coverage` passed on the current tree. */
  coverageStamp(): Promise<{ readonly isMet: boolean; readonly value: string }>
  identify(caller: Caller | undefined): BoardIdentity
}

export type AutonomyRoom = ReturnType<typeof createAutonomy>

export function createAutonomy(deps: AutonomyDeps) {
  const folder = join(deps.stateDirectory, "board")
  const file = join(folder, "autonomy-stops.json")

  /** An unreadable file stops everything. */
  async function stopped(): Promise<ReadonlySet<AutonomyArea>> {
    const outcome = await readTextBounded(file, { maxBytes: LARGEST_SWITCH_BYTES })
    if (outcome.kind === "missing") return new Set()
    const parsed = outcome.kind === "read" ? parseJson(outcome.text) : undefined
    const areas = isRecord(parsed) ? parsed["stopped"] : undefined
    if (!Array.isArray(areas)) return new Set(ALL_AREAS)
    return new Set(ALL_AREAS.filter((it) => areas.includes(it)))
  }

  async function setStopped(change: (areas: ReadonlySet<AutonomyArea>) => readonly AutonomyArea[]) {
    await ensureDirectory(folder)
    await whileLocked(file, async () => {
      const areas = change(await stopped())
      await writeFileAtomic(file, `${JSON.stringify({ stopped: areas })}\n`)
    })
  }

  async function measure(): Promise<AutonomyMeasure[]> {
    const moves = (await deps.events()).filter((it) => it.kind !== "evidence" && !it.voidReason)
    const automated = moves.filter((it) => it.actor === "auto")
    const undone = new Set(moves.flatMap((it) => it.undoes ?? []))
    const rolledBack = automated.filter((it) => undone.has(it.id)).length
    const share = automated.length === 0 ? 0 : rolledBack / automated.length
    const unnamed = automated.filter((it) => (it.by?.agent ?? "") === "").length
    const [sessions, drift, coverage] = await Promise.all([
      deps.countSessions(),
      deps.hookDrift(),
      deps.coverageStamp(),
    ])
    const ifAny = (text: string) => (automated.length === 0 ? "no move yet" : text)
    return [
      {
        name: "transitions",
        value: String(automated.length),
        needed: `at least ${NEEDED_TRANSITIONS} moves by automation`,
        isMet: automated.length >= NEEDED_TRANSITIONS,
      },
      {
        name: "sessions",
        value: String(sessions),
        needed: `at least ${NEEDED_SESSIONS} registered sessions`,
        isMet: sessions >= NEEDED_SESSIONS,
      },
      {
        name: "undone",
        value: ifAny(`${Math.round(share * 1_000) / 10} %`),
        needed: "under 10 % of these moves undone",
        isMet: automated.length > 0 && share < LARGEST_UNDONE_SHARE,
      },
      {
        name: "hooks",
        value: drift.length === 0 ? "unchanged" : drift.join("; "),
        needed: "installed hooks as they were written",
        isMet: drift.length === 0,
      },
      {
        name: "coverage",
        ...coverage,
        needed: "the command in autonomy.coverage passes on this tree",
      },
      {
        name: "attribution",
        value: ifAny(unnamed === 0 ? "complete" : `${unnamed} without an agent`),
        needed: "an agent named for each of these moves",
        isMet: automated.length > 0 && unnamed === 0,
      },
    ]
  }

  /** Measured only if grade 4 is set: the measurements read the log and the hooks. */
  async function resolve(
    area: AutonomyArea,
    options: { readonly isForced?: boolean } = {},
  ): Promise<ResolvedAutonomy> {
    const [config, override] = [deps.config(), deps.override()]
    const grade = override.run ?? override.session ?? config.grade
    const isProved = Number(grade) === 4 && (await measure()).every((it) => it.isMet)
    const context = { stopped: await stopped(), isProved, ...options }
    return resolveAutonomy(area, config, { override, context })
  }

  async function show(): Promise<Autonomy> {
    const [config, override] = [deps.config(), deps.override()]
    const measures = await measure()
    const stops = await stopped()
    const context = { stopped: stops, isProved: measures.every((it) => it.isMet) }
    const rows = ALL_AREAS.map((area) => ({
      area,
      ...resolveAutonomy(area, config, { override, context }),
    }))
    const grade = rows[0]?.grade ?? 1
    const configured = Number(override.run ?? override.session ?? config.grade ?? DEFAULT_GRADE)
    return {
      grade,
      configured: Number.isInteger(configured) ? configured : null,
      effect: GRADE_EFFECTS[grade] ?? "",
      areas: rows.map(({ area, answer, why }) => ({
        area,
        answer,
        why,
        isStopped: stops.has(area),
      })),
      measures,
    }
  }

  return {
    show,
    resolve,
    async stop(area: AutonomyArea | undefined): Promise<Autonomy> {
      await setStopped((areas) => [...new Set([...areas, ...(area ? [area] : ALL_AREAS)])])
      return show()
    },
    async resume(area: AutonomyArea | undefined, caller: Caller | undefined): Promise<Autonomy> {
      if (deps.identify(caller).actor === "auto")
        throw AutonomyRefused({ area: "grade-change", why: "always manual" })
      await setStopped((areas) =>
        area === undefined ? [] : [...areas].filter((it) => it !== area),
      )
      return show()
    },
    /** For a step that a person sees: refused only where automation may not even suggest. */
    async refuseManual(area: AutonomyArea, caller: Caller | undefined): Promise<void> {
      if (deps.identify(caller).actor === "human") return
      const { answer, why } = await resolve(area)
      if (answer === "manual") throw AutonomyRefused({ area, why })
    },
    /** For a step that no person sees. */
    async refuseUnlessAuto(area: AutonomyArea, caller: Caller | undefined): Promise<void> {
      if (deps.identify(caller).actor === "human") return
      const { answer, why } = await resolve(area)
      if (answer !== "auto") throw AutonomyRefused({ area, why })
    },
  }
}
