import path from "node:path"
import { formatAgo, statNow } from "#ground/base"
import { type TreeSession, treeName } from "#know/ledger"
import type { HookContext, HookEvent, Verdict } from "../event.ts"
import { firstOf, shown } from "../message-format.ts"
import { coveringOverride } from "../overrides.ts"
import { parseShellCalls, type ShellCall } from "./git-command.ts"

/** A session that was active this recently is probably still working. */
const LIVE_SESSION_MS = 30 * 60_000

const MOST_NAMED_PATHS = 3

type BeforeTool = Extract<HookEvent, { kind: "before-tool" }>

/** A command that may harm the work of another session. */
type Danger = {
  readonly does: string
  /** The root of the worktree it affects; undefined if it affects all of them. */
  readonly tree: string | undefined
  /** Only files below these; undefined for all. */
  readonly paths?: readonly string[]
  /** Harmless while no other session edited a file. */
  readonly needsEdits?: boolean
  readonly instead: string
}

/**
 * Denies a shell command that changes the branch, the index or the files of a worktree in which
 * another session works.
 */
export async function judgeSharedTree(
  event: BeforeTool,
  context: HookContext,
): Promise<Exclude<Verdict, { kind: "silent" }> | undefined> {
  if (event.command === undefined) return undefined
  for (const call of parseShellCalls(event.command, event.directory)) {
    const danger = dangerOf(call, context.root)
    if (danger === undefined) continue
    const others = await othersAt(danger, event, context)
    const [latest] = others
    if (latest === undefined) continue
    const text = explain(call, danger, others)
    const query = { stateDirectory: context.stateDirectory, now: event.at }
    const override = await coveringOverride(query, ".")
    if (override === undefined)
      return { kind: "deny", text: formatBlock(text, { danger, latest, at: event.at }) }
    return { kind: "override", text: `${text} An override permits it: ${shown(override.reason)}` }
  }
  return undefined
}

async function othersAt(
  { tree, paths, needsEdits }: Danger,
  event: BeforeTool,
  { ledger, root }: HookContext,
): Promise<readonly TreeSession[]> {
  const options = { exceptSessionId: event.session, sinceMs: event.at - LIVE_SESSION_MS }
  const others =
    tree === undefined
      ? (await ledger.sessions(options))
          .filter((it) => it.sessionId !== event.session)
          .map((it) => ({ ...it, paths: [] }))
      : await ledger.othersInTree(treeName(tree), options)
  if (paths === undefined) return needsEdits === true ? others.filter(hasEdits) : others
  const below = paths.map((it) => path.relative(root, it))
  const isBelow = (file: string) =>
    below.some((it) => it === "" || it === file || file.startsWith(`${it}/`))
  return others.map((it) => ({ ...it, paths: it.paths.filter(isBelow) })).filter(hasEdits)
}

function hasEdits({ paths }: TreeSession): boolean {
  return paths.length > 0
}

const OWN_WORKTREE = "Work in a worktree of your own, such as `qm worktree new my-task`."
const OWN_PATHS = "Name your own files: `git commit -m MESSAGE -- FILES`, `git add FILES`."

function dangerOf(call: ShellCall, root: string): Danger | undefined {
  // A folder inside this worktree is this worktree; any other is taken as the root of its own.
  const isInside = !path.relative(root, call.directory).startsWith("..")
  const tree = isInside ? root : call.directory
  if (call.program === "rm") return removalOf(call)
  const [verb = "", ...args] = call.args
  const flags = args.filter((it) => it.startsWith("-"))
  const plain = argumentsOf(verb, args)
  const has = (...names: readonly string[]) => flags.some((it) => names.includes(it))
  const within = (paths: readonly string[]) => paths.map((it) => path.resolve(call.directory, it))
  const discards = { does: "discards changes", tree, instead: OWN_WORKTREE }
  switch (verb) {
    case "switch":
      return args.length === 0 ? undefined : { ...discards, does: "switches the branch" }
    case "symbolic-ref":
      return plain.length > 1 ? { ...discards, does: "switches the branch" } : undefined
    case "checkout":
      return checkoutDanger({ ...call, args }, { ...discards, tree }, within)
    case "restore":
      return has("--staged", "-S") && !has("--worktree", "-W")
        ? undefined
        : { ...discards, paths: within(plain) }
    case "reset":
      return resetDanger({ ...call, args }, discards, within)
    case "stash":
      return stashDanger(args, discards, within)
    case "clean":
      return has("-n", "--dry-run") || flags.length === 0
        ? undefined
        : { ...discards, does: "deletes files that are not in git" }
    case "rebase":
    case "bisect":
      return args.length === 0 ? undefined : { ...discards, does: "rewrites the branch" }
    case "add":
    case "stage":
      return has("-A", "--all", "-u", "--update") || plain.some((it) => /^(?:\.|:\/|\*)$/.test(it))
        ? { does: "stages the files of all sessions", tree, needsEdits: true, instead: OWN_PATHS }
        : undefined
    case "commit":
      return commitDanger(args, plain, tree)
    case "worktree":
      return worktreeDanger(call, args)
    default:
      return undefined
  }
}

type WithinPaths = (paths: readonly string[]) => readonly string[]

/** `git checkout NAME` switches, unless NAME is a file; after `--` there are only files. */
function checkoutDanger(
  { args, directory }: ShellCall,
  discards: Danger,
  within: WithinPaths,
): Danger | undefined {
  const split = args.indexOf("--")
  if (split !== -1) return { ...discards, paths: within(args.slice(split + 1)) }
  const plain = args.filter((it) => !it.startsWith("-"))
  const [first, ...others] = plain
  const isNew = args.some((it) => /^(?:-b|-B|--orphan|--detach|-|-t|--track)$/.test(it))
  if (first === undefined) return isNew ? { ...discards, does: "switches the branch" } : undefined
  if (others.length > 0 && !isNew) return { ...discards, paths: within(others) }
  const isFile = first === "." || statNow(path.resolve(directory, first)) !== undefined
  if (isFile && !isNew) return { ...discards, paths: within([first]) }
  return { ...discards, does: "switches the branch" }
}

function resetDanger(
  { args }: ShellCall,
  discards: Danger,
  within: WithinPaths,
): Danger | undefined {
  if (args.some((it) => /^--(?:hard|merge|keep)$/.test(it)))
    return { ...discards, does: "resets the files" }
  const split = args.indexOf("--")
  const plain = args.filter((it) => !it.startsWith("-"))
  const named = split === -1 ? plain.slice(1) : args.slice(split + 1)
  const unstages = { ...discards, does: "unstages files", needsEdits: true, instead: OWN_PATHS }
  if (named.length > 0) return { ...unstages, paths: within(named) }
  const isHead = plain.length === 0 || (plain.length === 1 && plain[0] === "HEAD")
  return isHead ? unstages : { ...discards, does: "moves the branch" }
}

function stashDanger(
  args: readonly string[],
  discards: Danger,
  within: WithinPaths,
): Danger | undefined {
  const [verb = "push"] = args.filter((it) => !it.startsWith("-"))
  const split = args.indexOf("--")
  const isPush = verb === "push" || verb === "save" || split === 0
  if (isPush)
    return split === -1
      ? { ...discards, does: "stashes the changes" }
      : { ...discards, does: "stashes changes", paths: within(args.slice(split + 1)) }
  // All worktrees of a repository share one list of stashes.
  const isTaking = verb === "pop" || verb === "drop" || verb === "clear"
  const instead = "Use `git stash list`, then `git stash apply` of your own entry."
  return isTaking
    ? { does: "removes an entry of the shared stash", tree: undefined, instead }
    : undefined
}

function commitDanger(
  args: readonly string[],
  plain: readonly string[],
  tree: string,
): Danger | undefined {
  if (args.includes("--dry-run")) return undefined
  if (args.includes("--amend"))
    return { does: "rewrites the last commit", tree, instead: "Make a new commit of your files." }
  const isAll = args.some((it) => it === "--all" || /^-[a-z]*a/.test(it))
  if (!isAll && plain.length > 0) return undefined
  const does = "commits what other sessions staged"
  return { does, tree, needsEdits: true, instead: OWN_PATHS }
}

function worktreeDanger({ directory }: ShellCall, args: readonly string[]): Danger | undefined {
  const [verb, target] = args.filter((it) => !it.startsWith("-"))
  if ((verb !== "remove" && verb !== "move") || target === undefined) return undefined
  const instead = "Remove it with `qm worktree remove NAME`, which keeps unmerged work."
  return { does: `${verb}s a worktree`, tree: path.resolve(directory, target), instead }
}

function removalOf({ directory, args }: ShellCall): Danger | undefined {
  const isRecursive = args.some((it) => /^-[a-zA-Z]*[rR]/.test(it) || it === "--recursive")
  const [target] = args.filter((it) => !it.startsWith("-"))
  if (!isRecursive || target === undefined) return undefined
  const instead = "Remove it with `qm worktree remove NAME`, which keeps unmerged work."
  return { does: "deletes a worktree", tree: path.resolve(directory, target), instead }
}

/** Options of `git commit` whose value is the next word. */
const COMMIT_VALUES =
  /^(?:-[a-zA-Z]*[mFCct]|--(?:message|file|author|date|template|reuse-message|reedit-message|fixup|squash|trailer|cleanup|pathspec-from-file))$/

/** Words that are neither options nor their values. */
function argumentsOf(verb: string, args: readonly string[]): readonly string[] {
  const split = args.indexOf("--")
  const options = split === -1 ? args : args.slice(0, split)
  const rest = split === -1 ? [] : args.slice(split + 1)
  const isValue = (at: number) => verb === "commit" && COMMIT_VALUES.test(options[at - 1] ?? "")
  return [...options.filter((it, at) => !it.startsWith("-") && !isValue(at)), ...rest]
}

function explain(call: ShellCall, { does }: Danger, others: readonly TreeSession[]): string {
  const command = shown([call.program, ...call.args].join(" "))
  const names = others.map((it) => shown(it.sessionId))
  const who = `session${names.length === 1 ? "" : "s"} ${firstOf(names, MOST_NAMED_PATHS)}`
  return `\`${command}\` ${does}, and ${who} ${names.length === 1 ? "works" : "work"} there.`
}

type BlockFacts = { readonly danger: Danger; readonly latest: TreeSession; readonly at: number }

function formatBlock(text: string, { danger, latest, at }: BlockFacts): string {
  const edited =
    latest.paths.length === 0
      ? ""
      : ` It edited ${firstOf(latest.paths.map(shown), MOST_NAMED_PATHS)}.`
  return [
    `Command blocked: ${text} ${shown(latest.sessionId)} was last active ${formatAgo(Math.max(0, at - latest.lastAt))}.${edited}`,
    danger.instead,
    "Only with the user's approval: `qm override . --reason \"WHY\"`, with the user's reason for WHY. The override is logged.",
  ].join("\n")
}
