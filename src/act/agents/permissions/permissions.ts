import path from "node:path"
import { isAppError, type Log } from "#ground/base"
import type { Approval, PermissionRule, Permissions } from "#ground/contract"
import type { PermissionQuestion, Verdict } from "../agent.ts"
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
import { evaluate, outOfScope, type PreparedRule, prepareRule, READING } from "./evaluate-rules.ts"
import { rulesFor } from "./narrow-rules.ts"
import { parseRuleText, problemWith, ruleId } from "./rule-text.ts"
import {
  changeRules,
  MAX_RULES,
  readRules,
  readTrust,
  stampOf,
  writeRules,
  writeTrust,
} from "./rules-file.ts"
import { isInRepository, type RepositoryPaths } from "./tool-subject.ts"

type Deps = {
  readonly file: string
  readonly root: string
  /** The user's state directory; approvals of rules are stored there, never in the project. */
  readonly home: string
  settings(): Readonly<Record<PermissionRule["decision"], string>>
  resolve(path: string): string | undefined
  readonly log: Log
}

export type PermissionRules = ReturnType<typeof createPermissions>

export function createPermissions(deps: Deps) {
  const { file, root, home, log } = deps
  const repository: RepositoryPaths = { root, resolve: deps.resolve }
  const inTurn = createTurns()
  let prepared: readonly PreparedRule[] | undefined
  let settingsDenials: readonly PreparedRule[] = []
  let restricting: readonly PermissionRule[] = []
  let lastComplaint: string | undefined
  let stamp: string | undefined
  let isChecking = false

  async function read(): Promise<Permissions> {
    // Before reading, so that a later write is noticed at the next request.
    stamp = await stampOf(file, home, root)
    const loaded = await loadRules(deps)
    const { settings, project, isTrusted } = loaded
    const rules = [
      ...settings,
      ...project.rules.filter((it) => isTrusted || it.decision !== "allow"),
    ]
    prepared = rules.map(prepareRule)
    restricting = rules.filter((it) => it.decision !== "allow")
    lastComplaint = undefined
    return listOf(loaded, file)
  }
  function complain(error: unknown): void {
    if (!isAppError(error)) throw error
    const { code, message } = error
    const denied = parseRuleText(deps.settings().deny, "deny")
    prepared = undefined
    settingsDenials = denied.kind === "rules" ? denied.rules.map(prepareRule) : []
    if (lastComplaint !== message)
      log.warn("could not read the permission rules", { code, message })
    lastComplaint = message
  }
  const reload = (): Promise<void> => inTurn(async () => void (await read().catch(complain)))

  async function reloadIfChanged(): Promise<void> {
    if (isChecking || stamp === undefined) return
    isChecking = true
    try {
      if (stamp !== (await stampOf(file, home, root))) await reload()
    } catch (error) {
      log.warn("could not check the permission rules for changes", { error: String(error) })
    } finally {
      isChecking = false
    }
  }
  /**
   * The host waits for the answer, so a change of the files applies from the next request. Without
   * readable rules, every change needs approval.
   */
  function verdict(ask: PermissionQuestion): Verdict | undefined {
    void reloadIfChanged()
    if (prepared !== undefined) return evaluate(prepared, ask, repository)
    const denied = evaluate(settingsDenials, ask, repository)
    if (denied !== undefined) return denied
    const rule = "ask *, because the rules cannot be read"
    return READING.has(ask.kind) ? undefined : { decision: "ask", rule }
  }
  /**
   * Changes the project's rules and keeps the user's approval. A process that dies between the two
   * writes leaves a file that is not approved.
   */
  const change = (edit: (before: LoadedRules) => readonly PermissionRule[]) =>
    inTurn(async () => {
      // If the project folder is a link, we would write somewhere else.
      if (!isInRepository(path.dirname(file), repository)) {
        throw RulesUnreadable({ file, reason: "it would be outside the repository" })
      }
      await changeRules(file, async () => {
        const before = await loadRules(deps)
        const digest = await writeRules(file, edit(before))
        if (before.isTrusted) await writeTrust(home, root, digest)
      })
      return read()
    })
  const add = (rules: readonly PermissionRule[]) =>
    change((before) => withRules(before, rules, file))

  return {
    verdict,
    verdictWithin: (changes: readonly string[], ask: PermissionQuestion): Verdict | undefined =>
      outOfScope(changes, ask, repository) ?? verdict(ask),
    restricting: (): readonly PermissionRule[] | "unknown" =>
      prepared === undefined ? "unknown" : restricting,
    reload,
    list: async (): Promise<Permissions> => listOf(await loadRules(deps), file),
    async add(rule: PermissionRule): Promise<Permissions> {
      const problem = problemWith(rule)
      if (problem !== undefined) throw RuleInvalid({ problem })
      return add([rule])
    },
    remove: (id: string): Promise<Permissions> => change((before) => withoutRule(before, id)),
    trust: (approvedDigest?: string): Promise<Permissions> =>
      inTurn(async () => {
        const { digest } = (await loadRules(deps)).project
        if (approvedDigest !== undefined && approvedDigest !== digest) throw RulesChanged({ file })
        // A file that another process replaces meanwhile does not have this digest.
        if (digest !== undefined) await writeTrust(home, root, digest)
        return read()
      }),
    async always(approval: Pick<Approval, "tool" | "input" | "cwd">): Promise<Permissions> {
      const rules = rulesFor(approval, repository)
      if (rules === undefined) throw RuleTooWide({ tool: approval.tool })
      return add(rules)
    },
  }
}

type LoadedRules = {
  readonly settings: readonly PermissionRule[]
  readonly project: Awaited<ReturnType<typeof readRules>>
  /** True when the project has no allow rules, or exactly those that the user approved. */
  readonly isTrusted: boolean
}

async function loadRules(deps: Deps): Promise<LoadedRules> {
  const texts = deps.settings()
  const settings = DECISIONS.flatMap((decision) => {
    const parsed = parseRuleText(texts[decision], decision)
    if (parsed.kind === "rules") return parsed.rules
    throw RulesInvalid({ where: `the setting agents.${decision}`, problem: parsed.problem })
  })
  const project = await readRules(deps.file, deps.root)
  const allowsNothing = project.rules.every((it) => it.decision !== "allow")
  const approved = allowsNothing ? undefined : await readTrust(deps.home, deps.root)
  return { settings, project, isTrusted: allowsNothing || approved === project.digest }
}

const DECISIONS = ["deny", "ask", "allow"] as const

function withRules(
  { project, isTrusted }: LoadedRules,
  rules: readonly PermissionRule[],
  file: string,
): readonly PermissionRule[] {
  const isAllowing = rules.some((it) => it.decision === "allow")
  if (isAllowing && !isTrusted) throw RulesNotTrusted({ file })
  const projectIds = new Set(project.rules.map(ruleId))
  const after = [...project.rules, ...rules.filter((it) => !projectIds.has(ruleId(it)))]
  if (after.length > MAX_RULES) throw TooManyRules({ most: MAX_RULES })
  return after
}

function withoutRule({ project, settings }: LoadedRules, id: string): readonly PermissionRule[] {
  const after = project.rules.filter((it) => ruleId(it) !== id)
  if (after.length < project.rules.length) return after
  const setting = settings.find((it) => ruleId(it) === id)
  if (setting === undefined) throw RuleUnknown({ id })
  throw RuleInSettings({ id, key: `agents.${setting.decision}` })
}

function listOf({ settings, project, isTrusted }: LoadedRules, file: string): Permissions {
  const rules: Permissions["rules"] = [
    ...settings.map(
      (it) => ({ ...it, id: ruleId(it), origin: "config", isInForce: true }) as const,
    ),
    ...project.rules.map((rule) => {
      const isInForce = isTrusted || rule.decision !== "allow"
      return { ...rule, id: ruleId(rule), origin: "project", isInForce } as const
    }),
  ]
  const inOrder = DECISIONS.flatMap((decision) => rules.filter((it) => it.decision === decision))
  return { file, digest: project.digest ?? null, isTrusted, rules: inOrder }
}

function createTurns() {
  let last: Promise<unknown> = Promise.resolve()
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const mine = last.then(work, work)
    last = mine.catch(() => {})
    return mine
  }
}
