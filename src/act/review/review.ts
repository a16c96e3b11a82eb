import path from "node:path"
import { type Clock, readTextBounded } from "#ground/base"
import type {
  Config,
  ParsedInput,
  PullRequest,
  ReviewComments,
  ReviewCreated,
  ReviewPosted,
  ReviewStatus,
  ReviewTool,
} from "#ground/contract"
import type { Claims, Ledger } from "#know/ledger"
import { currentBranch, type Repository, refCommit } from "#see/repo"
import {
  BranchUnusable,
  CommentIncomplete,
  PullExists,
  PullMissing,
  RemoteMissing,
  TextUnreadable,
} from "./errors.ts"
import { createProvider, type ReviewProvider } from "./provider.ts"
import { findRemote, mainBranchOf } from "./remote.ts"
import { preflight, prepr } from "./sync-checks.ts"
import { type Forge, openTool, parseRemote, toolFor } from "./tool.ts"

const LONGEST_TEXT_UNITS = 60_000

export type Call = { readonly signal: AbortSignal }

export type ReviewDeps = {
  readonly repository: Repository
  readonly clock: Clock
  environment(): Readonly<Record<string, string | undefined>>
  settings(): Config["review"]
  claims(): Claims
  ledger(): Ledger
  /** A path given by the user, made absolute. */
  resolve(path: string): string
  /** The branch of the ticket's worktree; undefined if it has none. */
  ticketBranch(ticket: string, call: Call): Promise<string | undefined>
  redact(text: string): Promise<string>
}

export type Review = ReturnType<typeof createReview>

export type OpenedProvider = {
  readonly tool: ReviewTool
  readonly forge: Forge
  readonly remote: string
  readonly provider: ReviewProvider
}

export function createReview(deps: ReviewDeps) {
  const { repository } = deps

  async function open({ signal }: Call): Promise<OpenedProvider> {
    const remote = await findRemote(repository)
    if (remote === undefined) throw RemoteMissing({ reason: "the repository has no remote" })
    const forge = parseRemote(remote.url)
    if (forge === undefined)
      throw RemoteMissing({
        reason: `the address of ${remote.name} does not contain a host and a repository`,
      })
    const tool = toolFor(forge, deps.settings().tool)
    const options = { environment: deps.environment(), outside: repository.root, signal }
    const call = await openTool(tool, forge, { ...options, redact: deps.redact })
    const provider = createProvider(tool, { path: forge.path, call })
    return { tool, forge, remote: remote.name, provider }
  }

  async function pullOf(
    { provider }: OpenedProvider,
    number: number | undefined,
  ): Promise<PullRequest> {
    if (number !== undefined) return provider.find(number)
    const branch = await currentBranch(repository)
    const [pull] = branch === undefined ? [] : await provider.list({ branch })
    if (pull === undefined)
      throw PullMissing({ what: branch === undefined ? "a detached HEAD" : `the branch ${branch}` })
    return pull
  }

  /** The file, if one is named; a secret in the text never leaves this machine. */
  async function textOf({ body, bodyFile }: ParsedInput<"review.create">): Promise<string> {
    if (bodyFile === undefined) return deps.redact(body)
    const file = deps.resolve(bodyFile)
    const outcome = await readTextBounded(file, { maxBytes: 4 * LONGEST_TEXT_UNITS })
    if (outcome.kind !== "read") throw TextUnreadable({ file, reason: `it is ${outcome.kind}` })
    if (outcome.text.length > LONGEST_TEXT_UNITS)
      throw TextUnreadable({ file, reason: `it has ${outcome.text.length} characters` })
    return deps.redact(outcome.text)
  }

  return {
    preflight: (input: ParsedInput<"sync.preflight">, call: Call) =>
      preflight(input, { ...deps, call, open: () => open(call) }),

    prepr: (input: ParsedInput<"sync.prepr">, call: Call) =>
      prepr(input, { ...deps, call, open: () => open(call) }),

    async create(input: ParsedInput<"review.create">, call: Call): Promise<ReviewCreated> {
      const branch = await currentBranch(repository)
      if (branch === undefined)
        throw BranchUnusable({
          reason: "HEAD is detached",
          step: "Create a branch with `git switch -c my-change`.",
        })
      const body = await textOf(input)
      const title = await deps.redact(input.title)
      const { tool, remote, provider } = await open(call)
      const base = input.base ?? (await mainBranchOf(repository, remote))
      if (base === undefined)
        throw BranchUnusable({ reason: "its base branch is unknown", step: "Pass --base." })
      if (base === branch)
        throw BranchUnusable({
          reason: `${branch} is the branch to merge into`,
          step: "Create a branch for the change with `git switch -c my-change`.",
        })
      if ((await refCommit(repository, `refs/remotes/${remote}/${branch}`)) === undefined)
        throw BranchUnusable({
          reason: `the branch ${branch} is not on ${remote}`,
          step: `Push it with \`git push -u ${remote} ${branch}\`.`,
        })
      const [earlier] = await provider.list({ branch })
      if (earlier !== undefined) throw PullExists({ branch, url: earlier.url })
      const draft = { title, body, branch, base, isDraft: input.draft }
      return { tool, branch, base, ...(await provider.create(draft)) }
    },

    async comments(
      { number }: ParsedInput<"review.comments">,
      call: Call,
    ): Promise<ReviewComments> {
      const opened = await open(call)
      const pull = number ?? (await pullOf(opened, number)).number
      const comments = [...(await opened.provider.comments(pull))]
      return { tool: opened.tool, number: pull, comments }
    },

    async post(input: ParsedInput<"review.post">, call: Call): Promise<ReviewPosted> {
      const { path: file, line } = input
      if ((file === undefined) !== (line === undefined))
        throw CommentIncomplete({ reason: "only one of --path and --line was passed" })
      if (file !== undefined && (path.isAbsolute(file) || file.split("/").includes("..")))
        throw CommentIncomplete({ reason: `${file} is not a path of the repository` })
      const place = file === undefined || line === undefined ? undefined : { path: file, line }
      const text = await deps.redact(input.text)
      const opened = await open(call)
      const number = input.number ?? (await pullOf(opened, undefined)).number
      const url = await opened.provider.post(number, { text, place })
      return { tool: opened.tool, number, url }
    },

    async status(input: ParsedInput<"review.status">, call: Call): Promise<ReviewStatus> {
      const { tool, forge, provider } = await open(call)
      const name = { tool, repository: `${forge.host}/${forge.path}` }
      if (input.number !== undefined) {
        const pull = await provider.complete(await provider.find(input.number))
        return { ...name, branch: pull.branch, pull }
      }
      const branch =
        input.branch ??
        (input.ticket === undefined
          ? await currentBranch(repository)
          : await deps.ticketBranch(input.ticket, call))
      const [brief] = branch === undefined ? [] : await provider.list({ branch })
      const pull = brief === undefined ? null : await provider.complete(brief)
      return { ...name, branch: branch ?? null, pull }
    },
  }
}
