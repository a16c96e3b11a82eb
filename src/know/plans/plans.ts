import path from "node:path"
import {
  type Clock,
  ensureDirectory,
  listDirectory,
  parseJson,
  type Random,
  readTextBounded,
  renameFile,
  whileLocked,
  writeFileAtomic,
} from "#ground/base"
import { type Plan, PlanId, type PlanList, PlanState, type PlanText } from "#ground/contract"
import {
  PlanNotApproved,
  PlanNotWaiting,
  PlanStepUnknown,
  PlanUnknown,
  PlanUnreadable,
  StateFull,
  TooManyPlans,
} from "./errors.ts"
import { type PlanFields, parsePlan, planText, withFields, withTicks } from "./plan-file.ts"

const LARGEST_PLAN_BYTES = 256 * 1_024
const LARGEST_STATE_BYTES = 1_024 * 1_024
const MOST_PLANS = 200
const MOST_NOTES = 100
const LONGEST_SLUG = 40

export type PlansDeps = {
  readonly clock: Pick<Clock, "now">
  readonly random: Random
  /** The repository. */
  readonly root: string
  /** Folder of plans, below the root. */
  readonly folder: string
  /** For notes of sessions, outside the repository's files. */
  readonly stateFolder: string
  redact(text: string): Promise<string>
}

export type SubmittedPlan = {
  readonly title: string
  readonly text: string
  readonly steps: readonly string[]
  readonly session: string | null
}

type PlanAnswer = {
  readonly decision: "approve" | "reject"
  readonly feedback: string | undefined
  readonly by: string
}

export type Plans = ReturnType<typeof createPlans>

export function createPlans(deps: PlansDeps) {
  const files = createPlanFiles(deps)

  async function change(id: string, make: (plan: PlanText) => string): Promise<Plan> {
    return files.whileLocked(async () => {
      const before = await files.read(id)
      const text = make(before)
      await files.write(before, text)
      const after = await files.read(id)
      const isOver = after.steps.length > 0 && after.steps.every((it) => it.isDone)
      if (!isOver || after.status !== "approved") return withoutText(after)
      await files.write(after, withFields(text, { status: "done" }))
      return files.archive(id)
    })
  }
  return {
    list: files.list,
    show: files.read,
    archive: (id: string): Promise<Plan> => files.whileLocked(() => files.archive(id)),
    async submit(plan: SubmittedPlan): Promise<Plan> {
      const title = await deps.redact(plan.title)
      const text = await deps.redact(plan.text)
      const steps = await Promise.all(plan.steps.map((it) => deps.redact(it)))
      return files.whileLocked(async () => {
        const { plans } = await files.list({ archived: false })
        if (plans.length >= MOST_PLANS) throw TooManyPlans({ most: MOST_PLANS })
        const id = newId(title, deps.random)
        const fields: PlanFields = {
          title,
          status: "waiting",
          session: plan.session,
          submittedAt: deps.clock.now(),
          answeredAt: null,
          answeredBy: null,
          feedback: null,
          steps: steps.map((it, at) => ({ number: at + 1, text: it, isDone: false })),
        }
        await files.create(id, planText(fields, text))
        return withoutText(await files.read(id))
      })
    },
    async answer(id: string, { decision, feedback, by }: PlanAnswer): Promise<Plan> {
      const note = feedback === undefined ? undefined : await deps.redact(feedback)
      return change(id, ({ status, text }) => {
        if (status !== "waiting") throw PlanNotWaiting({ id, status })
        return withFields(text, {
          status: decision === "approve" ? "approved" : "rejected",
          answered: new Date(deps.clock.now()).toISOString(),
          by,
          ...(note === undefined ? {} : { feedback: note }),
        })
      })
    },
    tick: (id: string, numbers: readonly number[], isDone: boolean): Promise<Plan> =>
      change(id, ({ status, steps, text }) => {
        if (status !== "approved") throw PlanNotApproved({ id, status })
        const unknown = numbers.find((it) => it > steps.length)
        if (unknown !== undefined) throw PlanStepUnknown({ id, step: unknown, most: steps.length })
        return withTicks(text, new Set(numbers), isDone)
      }),
    ...createNotes(deps),
  }
}

function withoutText(plan: PlanText): Plan {
  const { text: _, ...rest } = plan
  return rest
}

function newId(title: string, random: Random): string {
  const words = title
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/[^a-z0-9]+/g, "-")
  const slug = words.slice(0, LONGEST_SLUG).replaceAll(/^-|-$/g, "")
  const tail = Buffer.from(random.bytes(3)).toString("hex")
  return slug === "" ? `plan-${tail}` : `${slug}-${tail}`
}

const ARCHIVE = "archive"

function createPlanFiles({ root, folder }: PlansDeps) {
  const pathOf = (id: string, isArchived: boolean): string =>
    path.join(folder, ...(isArchived ? [ARCHIVE] : []), `${id}.md`)

  async function readAt(id: string, isArchived: boolean): Promise<PlanText | undefined> {
    const file = pathOf(id, isArchived)
    const shown = path.relative(root, file).replaceAll("\\", "/")
    const outcome = await readTextBounded(file, { maxBytes: LARGEST_PLAN_BYTES, root })
    if (outcome.kind === "missing") return undefined
    if (outcome.kind !== "read") throw PlanUnreadable({ file: shown, problem: outcome.kind })
    const parsed = parsePlan(outcome.text)
    if (parsed.kind === "invalid") throw PlanUnreadable({ file: shown, problem: parsed.problem })
    return { id, file: shown, isArchived, ...parsed.plan, text: outcome.text }
  }
  async function read(id: string): Promise<PlanText> {
    const plan = (await readAt(id, false)) ?? (await readAt(id, true))
    if (plan === undefined) throw PlanUnknown({ id })
    return plan
  }
  return {
    read,
    /** All changes of plans, one at a time and over all processes. */
    async whileLocked<Result>(work: () => Promise<Result>): Promise<Result> {
      await ensureDirectory(path.join(folder, ARCHIVE), { mode: 0o755 })
      return whileLocked(path.join(folder, ARCHIVE, "plans"), work)
    },
    create: (id: string, text: string): Promise<void> =>
      writeFileAtomic(pathOf(id, false), text, { mode: 0o644 }),
    write: ({ id, isArchived }: PlanText, text: string): Promise<void> =>
      writeFileAtomic(pathOf(id, isArchived), text, { mode: 0o644 }),
    async archive(id: string): Promise<Plan> {
      const plan = await read(id)
      if (!plan.isArchived) await renameFile(pathOf(id, false), pathOf(id, true))
      return withoutText(await read(id))
    },
    async list({ archived }: { readonly archived: boolean }): Promise<PlanList> {
      const listing = await listDirectory(path.dirname(pathOf("x", archived)))
      const names = listing.kind === "listed" ? listing.entries.map((it) => it.name) : []
      const plans: Plan[] = []
      const problems: PlanList["problems"] = []
      for (const name of names.filter((it) => it.endsWith(".md")).slice(0, 2 * MOST_PLANS)) {
        const id = PlanId.safeParse(name.slice(0, -".md".length))
        if (!id.success) {
          problems.push({ file: name, problem: "its name is not a plan id" })
          continue
        }
        try {
          const plan = await readAt(id.data, archived)
          if (plan !== undefined) plans.push(withoutText(plan))
        } catch (error) {
          if (!PlanUnreadable.is(error)) throw error
          problems.push({ file: name, problem: error.message })
        }
      }
      return { plans: plans.toSorted((a, b) => b.submittedAt - a.submittedAt), problems }
    },
  }
}

type NoteChange = {
  readonly key: string | undefined
  readonly value: string | undefined
  readonly remove: boolean
}

/** One file for each session; a damaged one counts as empty and is replaced. */
function createNotes({ clock, stateFolder, redact }: PlansDeps) {
  const fileOf = (session: string): string =>
    path.join(stateFolder, `${session.replaceAll(/[^\w.-]/g, "_").slice(0, 100)}.json`)

  async function read(session: string): Promise<PlanState> {
    const outcome = await readTextBounded(fileOf(session), { maxBytes: LARGEST_STATE_BYTES })
    const stored =
      outcome.kind === "read" ? PlanState.safeParse(parseJson(outcome.text)) : undefined
    // Two ids can have the same file name; the notes are those of the session in the file.
    const isOurs = stored?.success === true && stored.data.session === session
    return isOurs ? stored.data : { session, entries: [] }
  }
  return {
    async notes(session: string, { value, remove, ...change }: NoteChange): Promise<PlanState> {
      const key = change.key === undefined ? undefined : await redact(change.key)
      if (key === undefined || (value === undefined && !remove)) {
        const state = await read(session)
        const entries = state.entries.filter((it) => key === undefined || it.key === key)
        return { session, entries }
      }
      const text = value === undefined ? undefined : await redact(value)
      await ensureDirectory(stateFolder)
      return whileLocked(fileOf(session), async () => {
        const { entries } = await read(session)
        const others = entries.filter((it) => it.key !== key)
        const isNew = !remove && others.length >= MOST_NOTES
        if (isNew) throw StateFull({ session, most: MOST_NOTES })
        const added =
          remove || text === undefined ? [] : [{ key, value: text, updatedAt: clock.now() }]
        const state = { session, entries: [...others, ...added] }
        await writeFileAtomic(fileOf(session), JSON.stringify(state, null, 2))
        return state
      })
    },
  }
}
