import { useQuery } from "@tanstack/react-query"
import { formatUsd } from "#ground/base/format"
import { truncate } from "#ground/base/truncate"
import { toWireError } from "../../base/errors.ts"
import { formatAge, formatRound, visibleLine } from "../../base/format.ts"
import { hostTitle } from "../../base/hosts.ts"
import {
  type CaptureSummary,
  type Claim,
  formatCount,
  formatExact,
  type HookState,
  plural,
  type RepositoryState,
  type Worktree,
} from "../../contract.ts"
import { useWatched, watchedQuery } from "../../data/live/watch-query.ts"
import { paths } from "../../data/paths.ts"
import { useClient, useOperation, useSession } from "../../data/queries.tsx"
import { useSessionNames } from "../../data/session-names.ts"
import { useSpend } from "../../data/today.ts"
import { RowBudgetBar } from "../../ui/budget-bar/budget-bar.tsx"
import { CheckProblems } from "../../ui/checks/checks.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { Block, Flow, Pane, PaneScroll, Stack, Value, Values } from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { Sparkline } from "../../ui/sparkline/sparkline.tsx"
import { PlaceLink, Text } from "../../ui/text/text.tsx"

/** Blocks without content are left out. */
export function Facts({ now }: { readonly now: number }) {
  return (
    <Pane ground="canvas" label="Details">
      <PaneScroll>
        <ProblemFacts />
        <RepositoryFacts now={now} />
        <ContextFacts />
        <SpentFacts />
        <WorktreeFacts />
        <ClaimFacts />
        <HookFacts />
      </PaneScroll>
    </Pane>
  )
}

const MOST_WORKTREES = 6

/** Those with work first: a person looks here for what is not merged yet. */
function WorktreeFacts() {
  const { data: session } = useSession()
  // Without git there are none, and the operation would refuse.
  const isEnabled = (session?.repository.branch ?? null) !== null
  const { data } = useOperation("worktree.list", {}, { isEnabled })
  const worktrees = (data?.worktrees ?? []).toSorted((a, b) => workIn(b) - workIn(a))
  if (worktrees.length === 0) return null
  return (
    <Block
      title="Worktrees"
      aside={<PlaceLink href={paths.swarm()}>{plural(worktrees.length, "worktree")}</PlaceLink>}
    >
      <Stack gap="8">
        {worktrees.slice(0, MOST_WORKTREES).map((it) => (
          <Stack key={it.path}>
            <Flow align="apart">
              {it.ticket === null ? (
                <Text cut title={visibleLine(it.path)}>
                  {visibleLine(it.name)}
                </Text>
              ) : (
                <PlaceLink href={paths.ticket(it.ticket)}>{visibleLine(it.name)}</PlaceLink>
              )}
              <Text
                size="sm"
                {...(it.state === "failed" || it.state === "missing"
                  ? { tone: "warn" }
                  : { tone: "3" })}
              >
                {it.sessions.length > 0 ? plural(it.sessions.length, "live session") : it.state}
              </Text>
            </Flow>
            <Text size="sm" tone="3">
              {describeWorktree(it)}
            </Text>
          </Stack>
        ))}
      </Stack>
    </Block>
  )
}

function workIn({ uncommitted, ahead, sessions }: Worktree): number {
  return (uncommitted ?? 0) + (ahead ?? 0) + sessions.length
}

function describeWorktree({ branch, uncommitted, ahead, behind, state }: Worktree): string {
  if (state === "missing") return "its folder is gone; remove it with `qm worktree remove`"
  const parts = [
    branch ?? "detached head",
    (uncommitted ?? 0) > 0 ? `${uncommitted} uncommitted` : "",
    (ahead ?? 0) > 0 ? `${ahead} ahead` : "",
    (behind ?? 0) > 0 ? `${behind} behind` : "",
  ]
  return visibleLine(parts.filter((it) => it !== "").join(", "))
}

type FactsFailureProps = { readonly error: unknown; onRetry(): void }

/** Nothing if the page shows the same failure already: its retry covers all of them. */
function FactsFailure({ error, onRetry }: FactsFailureProps) {
  const { error: shown } = useOperation("now.show", {})
  const own = toWireError(error)
  const isShown = shown !== null && toWireError(shown).message === own.message
  return isShown ? null : <Failure size="row" error={own} onRetry={onRetry} />
}

function ProblemFacts() {
  const { data: report, error, refetch } = useOperation("doctor.run", {})
  if (error !== null) return <FactsFailure error={error} onRetry={() => void refetch()} />
  const problems = (report?.checks ?? []).flatMap(({ state, name, detail, hint }) =>
    state === "ok" ? [] : [{ state, name, detail, hint: hint ?? "" }],
  )
  if (problems.length === 0) return null
  return (
    <Block title="Problems" aside={plural(problems.length, "check")}>
      <CheckProblems problems={problems} />
    </Block>
  )
}

function RepositoryFacts({ now }: { readonly now: number }) {
  const { data: session } = useSession()
  const client = useClient()
  // The work tree emits no event. Reading it takes longer than a claim, so nothing polls it.
  const { data: state } = useQuery({
    ...watchedQuery(client, "now.repository", {}),
    refetchInterval: false,
  })
  if (session === undefined) return null
  const { repository } = session
  const branch = state?.branch ?? repository.branch
  const fetched = state?.fetchedAt ?? null
  return (
    <Block
      title="Repository"
      aside={fetched === null ? "" : `fetched ${formatAge(fetched, now)} ago`}
    >
      <Values>
        <Value name="Folder">
          <Path path={repository.root} />
        </Value>
        {branch === null ? null : (
          <Value name="Branch" title={branch}>
            <Text mono>{branch}</Text>
          </Value>
        )}
        {state === undefined ? null : <StateValues state={state} />}
      </Values>
    </Block>
  )
}

function StateValues({ state }: { readonly state: RepositoryState }) {
  const { upstream, changes, problem } = state
  if (problem !== null) {
    return (
      <Value name="State" wrap>
        {problem}
      </Value>
    )
  }
  return (
    <>
      {upstream === null ? null : <Value name="Upstream">{describeUpstream(state)}</Value>}
      <Value name="Work tree" title={changes?.files.map((it) => it.path).join("\n")}>
        {describeChanges(changes)}
      </Value>
    </>
  )
}

export function describeUpstream({ upstream, apart }: RepositoryState): string {
  if (apart === null) return `${upstream ?? "none"}, not fetched`
  const { ahead, behind } = apart
  if (ahead + behind === 0) return `up to date with ${upstream}`
  const parts = [ahead > 0 ? `${ahead} ahead` : "", behind > 0 ? `${behind} behind` : ""]
  return `${parts.filter((it) => it !== "").join(", ")} ${upstream}`
}

export function describeChanges(changes: RepositoryState["changes"]): string {
  if (changes === null) return "unknown"
  const { modified, added, deleted, conflict, untracked } = changes
  const changed = modified + added + deleted
  const parts = [
    conflict > 0 ? plural(conflict, "conflict") : "",
    changed > 0 ? `${plural(changed, "file")} changed` : "",
    untracked > 0 ? `${formatExact(untracked)} untracked` : "",
  ].filter((it) => it !== "")
  return parts.length === 0 ? "clean" : parts.join(", ")
}

const MOST_CAPTURES = 50

export function newestByHost(
  captures: readonly CaptureSummary[],
  root: string,
): readonly CaptureSummary[] {
  const here = captures.filter((it) => it.workingDirectory === root)
  const newest = new Map<string, CaptureSummary>()
  for (const it of here.toSorted((a, b) => a.lastSeenAt - b.lastSeenAt)) newest.set(it.host, it)
  return [...newest.values()].toSorted((a, b) => b.tokensInWindow - a.tokensInWindow)
}

function ContextFacts() {
  const { data: session } = useSession()
  const { data: list } = useOperation("capture.list", { limit: MOST_CAPTURES })
  const newest = newestByHost(list?.captures ?? [], session?.repository.root ?? "")
  const [first] = newest
  if (first === undefined) return null
  return (
    <Block title="Context before the first prompt">
      <Stack gap="8">
        {newest.map((it) => (
          <HostContext key={it.host} summary={it} />
        ))}
        <StartBudget id={first.id} />
      </Stack>
    </Block>
  )
}

/** All captures of a repository have the same budget. */
function StartBudget({ id }: { readonly id: string }) {
  const { data: capture } = useOperation("capture.show", { id })
  if (capture === undefined) return null
  return (
    <Text size="sm" tone="3">
      {`The mark is your start budget, ${formatRound(capture.budget.startBudget)} tokens.`}
    </Text>
  )
}

function HostContext({ summary }: { readonly summary: CaptureSummary }) {
  const { host, id } = summary
  const { data: capture } = useOperation("capture.show", { id })
  const tokens = capture?.headline.tokens ?? summary.tokensInWindow
  const budget = capture?.budget.startBudget
  const isOver = budget !== undefined && tokens > budget
  return (
    <Stack>
      <Flow align="apart">
        <PlaceLink href={paths.capture({ host })}>{hostTitle(host)}</PlaceLink>
        <Text mono {...(isOver ? { tone: "bad" } : {})}>
          {formatCount(tokens)}
        </Text>
      </Flow>
      {capture === undefined ? null : (
        <>
          <RowBudgetBar
            tokens={Object.fromEntries(capture.headline.kinds.map((it) => [it.kind, it.tokens]))}
            budget={capture.budget.startBudget}
          />
          {isOver ? (
            <Text size="sm" tone="3">
              {`${formatCount(tokens - capture.budget.startBudget)} over the start budget of ${formatRound(capture.budget.startBudget)}`}
            </Text>
          ) : null}
        </>
      )}
    </Stack>
  )
}

function SpentFacts() {
  const spend = useSpend()
  if (spend === undefined) return null
  const { today, days } = spend
  if ((today === "" || today === formatUsd(0)) && days.every((it) => it.usd === 0)) return null
  const most = Math.max(...spend.days.map((it) => it.usd))
  return (
    <Block
      title="Spent today"
      aside={<PlaceLink href={paths.cost()}>{spend.aside || "Cost"}</PlaceLink>}
    >
      <Flow align="apart">
        <Text size="title-md">{today || formatUsd(0)}</Text>
        <Sparkline
          label={`The last ${spend.days.length} days, at most ${formatUsd(most)} a day`}
          bars={spend.days.map(({ day, usd }) => ({
            key: day,
            value: usd,
            label: `${day}: ${formatUsd(usd)}`,
          }))}
        />
      </Flow>
    </Block>
  )
}

const MOST_SHOWN = 5
const MOST_OF_A_NAME = 24

export function ClaimFacts() {
  const { data, error, refetch } = useWatched("claim.list", {})
  const nameOf = useSessionNames()
  if (error !== null) return <FactsFailure error={error} onRetry={() => void refetch()} />
  const claims = data?.claims ?? []
  if (claims.length === 0) return null
  const more = claims.length - MOST_SHOWN
  return (
    <Block title="Claims" aside={describeHolders(claims)}>
      <Stack gap="8">
        {claims.slice(0, MOST_SHOWN).map((it) => (
          <Flow key={it.path} align="apart">
            <Path path={it.path} />
            <Text tone="3" title={visibleLine(it.session)} cut>
              {truncate(nameOf(it.session), MOST_OF_A_NAME)}
            </Text>
          </Flow>
        ))}
        <PlaceLink href={paths.sessions({ tab: "claims" })}>
          {more > 0 ? `And ${formatExact(more)} more` : "All claims"}
        </PlaceLink>
      </Stack>
    </Block>
  )
}

function describeHolders(claims: readonly Claim[]): string {
  const sessions = new Set(claims.map((it) => it.session)).size
  return `${plural(claims.length, "path")}, ${plural(sessions, "session")}`
}

export function HookFacts() {
  const { data } = useOperation("doctor.run", {})
  const hosts = Map.groupBy(
    (data?.hooks ?? []).filter((it) => it.state !== "not offered"),
    (it) => it.host,
  )
  if (hosts.size === 0) return null
  return (
    <Block title="Hooks">
      <Values>
        {[...hosts].map(([host, hooks]) => (
          <Value key={host} name={hostTitle(host)} wrap>
            <Text>{describeFiredHooks(hooks)}</Text>
          </Value>
        ))}
      </Values>
    </Block>
  )
}

export function describeFiredHooks(hooks: readonly HookState[]): string {
  const silent = hooks.filter((it) => it.state !== "fired").map((it) => it.hook)
  const fired = `${formatExact(hooks.length - silent.length)} of ${formatExact(hooks.length)} fired`
  if (silent.length === 0) return fired
  const named = silent.slice(0, MOST_NAMED).join(", ")
  const more = silent.length > MOST_NAMED ? ` and ${silent.length - MOST_NAMED} more` : ""
  return `${fired}, not ${named}${more}`
}

const MOST_NAMED = 3
