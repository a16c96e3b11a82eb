import path from "node:path"
import { isAppError, type Log } from "#ground/base"
import type { Approval, Permissions as Listed, ListedRule, PermissionRule } from "#ground/contract"
import type { Ask, Verdict } from "../agent.ts"
import {
  RuleInSettings,
  RuleInvalid,
  RulesChanged,
  RulesInvalid,
  RulesNotTrusted,
  RulesUnreadable,
  RuleTooWide,
  RuleUnknown,
  TooManyRules,
} from "./errors.ts"
import { judge, makeReady, outOfScope, READING, type ReadyRule } from "./evaluate-rules.ts"
import { rulesFor } from "./narrow-rules.ts"
import { parseRuleText, problemWith, ruleId } from "./rule-text.ts"
import { readRules, readTrust, stampOf, writeRules, writeTrust } from "./rules-file.ts"
import { isInRepository, type World } from "./tool-subject.ts"

/** Each is tried for each thing an agent does. */
const MAX_RULES = 500

type PermissionsDeps = {
  /** The project's file of rules. */
  readonly file: string
  readonly root: string
  /** Where this person's state lies; what was approved is kept there and never in the project. */
  readonly home: string
  /** The settings, as texts of rules. */
  settings(): Readonly<Record<PermissionRule["decision"], string>>
  /** A path without links, as far as it exists. */
  resolve(path: string): string | undefined
  readonly log: Log
}

export type PermissionRules = ReturnType<typeof createPermissions>

/** The rules of this repository and this person: judged at once, read again when they change. */
export function createPermissions(deps: PermissionsDeps) {
  const world: World = { root: deps.root, resolve: deps.resolve }
  const state = newState()
  const inTurn = createTurns()

  const look = () => readAnew(state, deps)
  const reload = () =>
    inTurn(async () => {
      await look().catch((error: unknown) => complain(state, error, deps))
    })
  const change = (edit: Edit) =>
    inTurn(async () => {
      await rewrite(edit, deps, world)
      return look()
    })
  const add = (rules: readonly PermissionRule[]) =>
    change((before) => withRules(before, rules, deps))

  /**
   * Without rules that could be read, whatever would change something is asked. A host waits for
   * the answer, so what others wrote meanwhile is read behind it and counts from the next on.
   */
  const verdict = (ask: Ask): Verdict | undefined => {
    void noticeChange(state, deps, reload)
    return verdictOf(state, ask, world)
  }

  return {
    verdict,
    /** The same for a run that may change only a part of the tree. */
    verdictWithin: (changes: readonly string[], ask: Ask): Verdict | undefined =>
      outOfScope(changes, ask, world) ?? verdict(ask),
    /** What a host that nobody can answer must be told before it starts. */
    restricting: (): readonly PermissionRule[] | "unknown" =>
      state.ready === undefined ? "unknown" : state.restricting,
    /** Reads them anew, for a run that starts; it never fails for what it finds. */
    reload,
    list: async (): Promise<Listed> => listed(await gather(deps), deps),
    async add(rule: PermissionRule): Promise<Listed> {
      const problem = problemWith(rule)
      if (problem !== undefined) throw RuleInvalid({ problem })
      return add([rule])
    },
    remove: (id: string): Promise<Listed> => change((before) => without(before, id)),
    /** The file as it is now is what this person approves, if it still is what they have read. */
    trust: (seen?: string): Promise<Listed> =>
      inTurn(async () => {
        await approve(seen, deps)
        return look()
      }),
    /** "Always allow this": the narrowest rules for what was asked. */
    async always(approval: Pick<Approval, "tool" | "input" | "cwd">): Promise<Listed> {
      const rules = rulesFor(approval, world)
      if (rules === undefined) throw RuleTooWide({ tool: approval.tool })
      return add(rules)
    },
  }
}

async function readAnew(state: State, deps: PermissionsDeps): Promise<Listed> {
  // Before they are read: what is written meanwhile is noticed by the next question.
  state.stamp = await stampOf(deps.file, deps.home, deps.root)
  const gathered = await gather(deps)
  take(state, gathered)
  return listed(gathered, deps)
}

async function approve(seen: string | undefined, deps: PermissionsDeps): Promise<void> {
  const { digest } = (await gather(deps)).project
  const isOther = seen !== undefined && seen !== digest
  if (isOther) throw RulesChanged({ file: deps.file })
  if (digest !== undefined) await writeTrust(deps.home, deps.root, digest)
}

type Edit = (before: Gathered) => readonly PermissionRule[]

/**
 * Changes the project's rules; what a person approved stays approved by what they change. A process
 * that dies between the two writes leaves a file that is not approved, never one that is too much.
 */
async function rewrite(edit: Edit, deps: PermissionsDeps, world: World): Promise<void> {
  const before = await gather(deps)
  const after = edit(before)
  checkFolder(deps, world)
  const digest = await writeRules(deps.file, after)
  if (before.isTrusted) await writeTrust(deps.home, deps.root, digest)
}

type State = {
  /** In the order in which they are tried; undefined when they could not be read. */
  ready: readonly ReadyRule[] | undefined
  /** What the settings deny, for when the project's file cannot be read. */
  personal: readonly ReadyRule[]
  restricting: readonly PermissionRule[]
  lastComplaint: string | undefined
  /** Of the files when they were last read; undefined before. */
  stamp: string | undefined
  isLooking: boolean
}

function newState(): State {
  return {
    ready: undefined,
    personal: [],
    restricting: [],
    lastComplaint: undefined,
    stamp: undefined,
    isLooking: false,
  }
}

/** One look at a time; before the rules were read at all, whoever starts a run reads them. */
async function noticeChange(
  state: State,
  { file, home, root, log }: PermissionsDeps,
  reload: () => Promise<void>,
): Promise<void> {
  if (state.isLooking || state.stamp === undefined) return
  state.isLooking = true
  try {
    const isSame = state.stamp === (await stampOf(file, home, root))
    if (!isSame) await reload()
  } catch (error) {
    log.warn("rules not looked at", { error: String(error) })
  } finally {
    state.isLooking = false
  }
}

type Gathered = {
  readonly settings: readonly PermissionRule[]
  readonly project: {
    readonly rules: readonly PermissionRule[]
    readonly digest: string | undefined
  }
  /** Whether the project's allowing rules, if it has any, are as this person approved them. */
  readonly isTrusted: boolean
}

async function gather(deps: PermissionsDeps): Promise<Gathered> {
  const settings = settingsRules(deps)
  const project = await readRules(deps.file, deps.root)
  const allowsNothing = project.rules.every((it) => it.decision !== "allow")
  const approved = allowsNothing ? undefined : await readTrust(deps.home, deps.root)
  return { settings, project, isTrusted: allowsNothing || approved === project.digest }
}

function settingsRules(deps: PermissionsDeps): readonly PermissionRule[] {
  const texts = deps.settings()
  return DECISIONS.flatMap((decision) => {
    const parsed = parseRuleText(texts[decision], decision)
    if (parsed.kind === "rules") return parsed.rules
    throw RulesInvalid({ where: `the setting agents.${decision}`, problem: parsed.problem })
  })
}

/** The order in which they are tried. */
const DECISIONS = ["deny", "ask", "allow"] as const

function take(state: State, gathered: Gathered): void {
  const { settings, project, isTrusted } = gathered
  const inForce = project.rules.filter((it) => isTrusted || it.decision !== "allow")
  const rules = [...settings, ...inForce]
  state.ready = rules.map(makeReady)
  state.restricting = rules.filter((it) => it.decision !== "allow")
  state.lastComplaint = undefined
}

/** Said once, not at every run. */
function complain(state: State, error: unknown, deps: PermissionsDeps): void {
  if (!isAppError(error)) throw error
  const { code, message } = error
  const denied = parseRuleText(deps.settings().deny, "deny")
  state.ready = undefined
  state.personal = denied.kind === "rules" ? denied.rules.map(makeReady) : []
  if (state.lastComplaint === message) return
  state.lastComplaint = message
  deps.log.warn("rules not read", { code, message })
}

function verdictOf(state: State, ask: Ask, world: World): Verdict | undefined {
  if (state.ready !== undefined) return judge(state.ready, ask, world)
  const denied = judge(state.personal, ask, world)
  if (denied !== undefined) return denied
  const rule = "ask *, because the rules cannot be read"
  return READING.has(ask.kind) ? undefined : { decision: "ask", rule }
}

function withRules(
  before: Gathered,
  rules: readonly PermissionRule[],
  { file }: PermissionsDeps,
): readonly PermissionRule[] {
  const { project, isTrusted } = before
  const isAllowing = rules.some((it) => it.decision === "allow")
  if (isAllowing && !isTrusted) throw RulesNotTrusted({ file })
  const known = new Set(project.rules.map(ruleId))
  const after = [...project.rules, ...rules.filter((it) => !known.has(ruleId(it)))]
  if (after.length > MAX_RULES) throw TooManyRules({ most: MAX_RULES })
  return after
}

function without({ project, settings }: Gathered, id: string): readonly PermissionRule[] {
  const after = project.rules.filter((it) => ruleId(it) !== id)
  if (after.length < project.rules.length) return after
  const elsewhere = settings.find((it) => ruleId(it) === id)
  if (elsewhere === undefined) throw RuleUnknown({ id })
  throw RuleInSettings({ id, key: `agents.${elsewhere.decision}` })
}

function listed({ settings, project, isTrusted }: Gathered, { file }: PermissionsDeps): Listed {
  const rules: readonly ListedRule[] = [
    ...settings.map(
      (it) => ({ ...it, id: ruleId(it), origin: "config", isInForce: true }) as const,
    ),
    ...project.rules.map((it) => {
      const isInForce = isTrusted || it.decision !== "allow"
      return { ...it, id: ruleId(it), origin: "project", isInForce } as const
    }),
  ]
  const inOrder = DECISIONS.flatMap((decision) => rules.filter((it) => it.decision === decision))
  return { file, digest: project.digest ?? null, isTrusted, rules: inOrder }
}

/** A project's folder that is a link would have us write somewhere else. */
function checkFolder({ file }: PermissionsDeps, world: World): void {
  const isInside = isInRepository(path.dirname(file), world)
  if (!isInside) throw RulesUnreadable({ file, reason: "it would lie outside the repository" })
}

/** One change after another: each reads what the one before has written. */
function createTurns() {
  let last: Promise<unknown> = Promise.resolve()
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const mine = last.then(work, work)
    last = mine.catch(() => {})
    return mine
  }
}
