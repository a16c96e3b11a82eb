import { useMutation } from "@tanstack/react-query"
import { formatUsd } from "#ground/base/format"
import { toWireError } from "../../base/errors.ts"
import { formatAge, shortSession, visibleLine } from "../../base/format.ts"
import {
  type Claim,
  type DoctorReport,
  formatBytes,
  formatCount,
  formatExact,
  type HookState,
  type LiveSession,
  plural,
  type StoreStatus,
} from "../../contract.ts"
import { readOrigin } from "../../data/origin.ts"
import { paths } from "../../data/paths.ts"
import { useClient, useOperation, useSession } from "../../data/queries.tsx"
import { sumToday } from "../../data/today.ts"
import { useWatched } from "../../data/watched.ts"
import { Button } from "../../ui/button/button.tsx"
import { CheckBlocks, CheckProblems } from "../../ui/checks/checks.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { Block, Flow, Pane, PaneScroll, Stack, Value, Values } from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { PlaceLink, Text } from "../../ui/text/text.tsx"
import { useToast } from "../../ui/toast/toast.tsx"

export function Facts({ now }: { readonly now: number }) {
  return (
    <Pane ground="canvas" label="Details">
      <PaneScroll>
        <SpentFacts />
        <RepositoryFacts />
        <HealthFacts />
        <HookFacts />
        <SessionFacts now={now} />
        <ClaimFacts />
        <StoreFacts now={now} />
        <WindowFacts />
      </PaneScroll>
    </Pane>
  )
}

/** Sums of the runs on this page; unknown values are left out, never 0. */
function SpentFacts() {
  const { data: report } = useOperation("now.show", {})
  const today = report === undefined ? undefined : sumToday(report)
  if (today === undefined || today.usd === null) return null
  return (
    <Block title="Spent today" aside={plural(today.runs, "run")}>
      <Stack>
        <Text size="title-md">{formatUsd(today.usd)}</Text>
        {today.tokens === null ? null : (
          <Text size="sm" tone="2">
            {formatCount(today.tokens)} tokens in their windows
          </Text>
        )}
      </Stack>
    </Block>
  )
}

function RepositoryFacts() {
  const { data: session } = useSession()
  if (session === undefined) return null
  const { repository, version, node } = session
  return (
    <Block title="Repository">
      <Values>
        <Value name="Name">{repository.name}</Value>
        <Value name="Folder">
          <Path path={repository.root} />
        </Value>
        {repository.branch === null ? null : (
          <Value name="Branch" title={repository.branch}>
            <Text mono>{repository.branch}</Text>
          </Value>
        )}
        <Value name="Version">
          qm {version}, node {node}
        </Value>
      </Values>
    </Block>
  )
}

function HealthFacts() {
  const { data: report, error, refetch } = useOperation("doctor.run", {})
  if (error !== null) {
    return <Failure size="row" error={toWireError(error)} onRetry={() => void refetch()} />
  }
  if (report === undefined) return null
  const passed = report.checks.filter((it) => it.state === "ok").length
  return (
    <Block title="Health" aside={describeHealth(report)}>
      <Stack gap="8">
        <CheckBlocks
          states={report.checks.map((it) => it.state)}
          description={`${passed} of ${plural(report.checks.length, "check")} pass`}
        />
        <CheckProblems
          problems={report.checks.flatMap(({ state, name, detail, hint }) =>
            state === "ok" ? [] : [{ state, name, detail, hint: hint ?? "" }],
          )}
        />
      </Stack>
    </Block>
  )
}

function describeHealth({ isHealthy, checks }: DoctorReport): string {
  const failed = checks.filter((it) => it.state === "fail").length
  return isHealthy ? "healthy" : `${failed} failed`
}

function StoreFacts({ now }: { readonly now: number }) {
  const { data: status, error, refetch } = useOperation("store.status", {})
  const { data: session } = useSession()
  const client = useClient()
  const toast = useToast()
  const backup = useMutation({
    mutationFn: () => client.write("store.backup", {}),
    onSuccess: ({ sizeBytes }) =>
      toast.show({ text: `The store was backed up, ${formatBytes(sizeBytes)}` }),
    onError: (reason) => toast.fail(toWireError(reason)),
  })
  if (error !== null) {
    return <Failure size="row" error={toWireError(error)} onRetry={() => void refetch()} />
  }
  if (status === undefined) return null
  return (
    <Block title="Store" aside={status.stopped === null ? "" : "writes are rejected"}>
      <Stack gap="8">
        <Values>
          <Value name="Kind">
            {status.dialect}, schema {status.schemaVersion}
          </Value>
          <Value name="Path">
            <Path path={status.location} />
          </Value>
          <Value name="Events">{formatExact(status.events)}</Value>
          <Value name="Size">{formatBytes(status.sizeBytes)}</Value>
          <Value name="Last backup">{describeBackup(status, now)}</Value>
          {status.stopped === null ? null : (
            <Value name="Stopped" wrap>
              <Text tone="bad">{status.stopped}</Text>
            </Value>
          )}
        </Values>
        {session?.readOnly === true ? null : (
          <div>
            <Button small disabled={backup.isPending} onPress={() => backup.mutate()}>
              Back up now
            </Button>
          </div>
        )}
      </Stack>
    </Block>
  )
}

function describeBackup({ lastBackup }: StoreStatus, now: number): string {
  if (lastBackup === null) return "none yet"
  return `${formatAge(lastBackup.at, now)} ago, ${formatBytes(lastBackup.sizeBytes)}`
}

function WindowFacts() {
  const { data: config } = useOperation("config.show", { sources: true })
  const setting = (key: string) => config?.settings.find((it) => it.key === key)
  const window = setting("tokens.window")
  const encoding = setting("tokens.encoding")
  if (typeof window?.value !== "number") return null
  return (
    <Block title="Context window" aside="for budgets">
      <Values>
        <Value name="Size">{formatExact(window.value)} tokens</Value>
        <Value name="Set by" title={window.origin}>
          {readOrigin(window.origin).description}
        </Value>
        {encoding === undefined ? null : <Value name="Encoding">{String(encoding.value)}</Value>}
      </Values>
    </Block>
  )
}

const MOST_SHOWN = 5
const SINCE_HOURS = 24
const MOST_ASKED = 50

export function SessionFacts({ now }: { readonly now: number }) {
  const input = { sinceHours: SINCE_HOURS, limit: MOST_ASKED }
  const { data, error, refetch } = useWatched("session.list", input)
  if (error !== null) {
    return <Failure size="row" error={toWireError(error)} onRetry={() => void refetch()} />
  }
  if (data === undefined) return null
  return (
    <Block title="Sessions" aside={`${formatExact(data.live.length)} in ${SINCE_HOURS} hours`}>
      <Stack gap="8">
        {data.live.length === 0 ? <Text tone="2">No hook reported one.</Text> : null}
        {data.live.slice(0, MOST_SHOWN).map((it) => (
          <SessionLine key={it.session} now={now} session={it} />
        ))}
        <More count={data.live.length} href={paths.sessions()} />
      </Stack>
    </Block>
  )
}

type SessionLineProps = { readonly now: number; readonly session: LiveSession }

function SessionLine({ now, session: it }: SessionLineProps) {
  const { session, host, drifted, edits, lastAt } = it
  const what = drifted > 0 ? `${formatExact(drifted)} not registered` : plural(edits, "edit")
  return (
    <Flow align="apart">
      <PlaceLink href={paths.sessions({ at: session, show: session })}>
        {`${visibleLine(host ?? "session")} ${shortSession(session).slice(0, MOST_OF_A_NAME)}`}
      </PlaceLink>
      <Text size="sm" tone={drifted > 0 ? "warn" : "3"} cut>
        {what}, {formatAge(lastAt, now)}
      </Text>
    </Flow>
  )
}

const MOST_OF_A_NAME = 12

export function ClaimFacts() {
  const { data, error, refetch } = useWatched("claim.list", {})
  if (error !== null) {
    return <Failure size="row" error={toWireError(error)} onRetry={() => void refetch()} />
  }
  if (data === undefined) return null
  const { claims } = data
  return (
    <Block title="Claims" aside={describeHolders(claims)}>
      <Stack gap="8">
        {claims.length === 0 ? <Text tone="2">No file is claimed.</Text> : null}
        {claims.slice(0, MOST_SHOWN).map((it) => (
          <Flow key={it.path} align="apart">
            <Path path={it.path} />
            <Text mono tone="3" title={visibleLine(it.session)} cut>
              {shortSession(it.session).slice(0, MOST_OF_A_NAME)}
            </Text>
          </Flow>
        ))}
        <More
          count={claims.length}
          href={paths.sessions({ tab: "claims" })}
          always={claims.length > 0}
        />
      </Stack>
    </Block>
  )
}

function describeHolders(claims: readonly Claim[]): string {
  const sessions = new Set(claims.map((it) => it.session)).size
  return sessions === 0 ? "" : `${plural(claims.length, "path")}, ${plural(sessions, "session")}`
}

type MoreProps = { readonly count: number; readonly href: string; readonly always?: boolean }

function More({ count, href, always = false }: MoreProps) {
  const more = count - MOST_SHOWN
  if (more <= 0 && !always) return null
  return (
    <PlaceLink href={href}>{more > 0 ? `And ${formatExact(more)} more` : "All claims"}</PlaceLink>
  )
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
          <Value key={host} name={host} wrap>
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
