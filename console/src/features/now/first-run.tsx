import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useEffect } from "react"
import { toWireError } from "../../base/errors.ts"
import { formatRound, formatShare } from "../../base/format.ts"
import { hostTitle } from "../../base/hosts.ts"
import {
  type Capture,
  formatBytes,
  formatExact,
  type HostName,
  type HostSession,
  type HostStatus,
  plural,
} from "../../contract.ts"
import { connectCommand } from "../../data/actions/use-connect-command.ts"
import { keys } from "../../data/keys.ts"
import { navigate } from "../../data/location.ts"
import { HOSTS, paths } from "../../data/paths.ts"
import { useClient, useOperation, useReadOnly, useSession } from "../../data/queries.tsx"
import { BudgetBar } from "../../ui/budget-bar/budget-bar.tsx"
import { Button } from "../../ui/button/button.tsx"
import { useCopyText } from "../../ui/copy/copy.tsx"
import {
  type CheckLine,
  CheckLines,
  CommandLine,
  Welcome,
  WelcomeSection,
} from "../../ui/empty/empty.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { RowSkeleton } from "../../ui/list/list.tsx"
import { Meter } from "../../ui/meter/meter.tsx"
import { Flow, Stack } from "../../ui/pane/pane.tsx"
import { PlaceLink, Prose, Text } from "../../ui/text/text.tsx"
import { newestByHost } from "./facts.tsx"
import type { useImport } from "./use-import.ts"

const MOST_SESSIONS = 500
const MOST_CAPTURES = 50

type FirstRunProps = { readonly importing: ReturnType<typeof useImport> }

/** Shown until something ran here: hosts, the capture of this repository, stored sessions. */
export function FirstRun({ importing }: FirstRunProps) {
  const { data: list, error, refetch } = useOperation("hosts.list", {})
  const hosts = list?.hosts
  return (
    <Welcome
      title="See what your agent loads"
      description="Before your first prompt an agent has already loaded instructions, tools and skills. This is what it loads in this repository, read from files on this machine; nothing is sent."
    >
      {hosts === undefined ? null : (
        <FirstCapture host={chooseHost(hosts)} status={statusOf(chooseHost(hosts), hosts)} />
      )}
      <WelcomeSection title="Agents on this machine">
        {error === null ? null : (
          <Failure size="row" error={toWireError(error)} onRetry={() => void refetch()} />
        )}
        {hosts === undefined && error === null ? <RowSkeleton rows={5} /> : null}
        {hosts === undefined ? null : <CheckLines lines={hosts.map(hostLine)} />}
      </WelcomeSection>
      <StoredSessions importing={importing} />
      <WelcomeSection title="Next">
        <NextSteps hosts={hosts ?? []} />
      </WelcomeSection>
    </Welcome>
  )
}

function chooseHost(hosts: readonly HostStatus[]): HostName {
  const name = hosts.find((it) => it.isInstalled && it.isCaptured)?.name
  return HOSTS.find((it) => it === name) ?? "claude-code"
}

function statusOf(host: HostName, hosts: readonly HostStatus[]): HostStatus | undefined {
  return hosts.find((it) => it.name === host)
}

function hostLine(host: HostStatus): CheckLine {
  const { title, isInstalled, version, login, hooks } = host
  if (!isInstalled) return { status: "queued", name: title, detail: "not installed" }
  const signedIn = { found: "signed in", missing: "no sign-in found", unknown: "sign-in unknown" }
  const connection = {
    init: "connected",
    plugin: "connected",
    both: "connected",
    none: "not connected",
  }
  const parts = [signedIn[login], hooks === "not offered" ? "" : connection[hooks]]
  return {
    status: login === "missing" ? "warned" : "done",
    name: title,
    detail: parts.filter((it) => it !== "").join(", "),
    aside: version ?? "version unknown",
  }
}

/** Takes the capture once, when the page opens and there is none yet. */
function FirstCapture({ host, status }: Omit<CaptureFigureProps, "capture">) {
  const client = useClient()
  const queries = useQueryClient()
  const isReadOnly = useReadOnly()
  const { data: session } = useSession()
  const captures = useOperation("capture.list", { limit: MOST_CAPTURES })
  const list = captures.data
  const stored = newestByHost(list?.captures ?? [], session?.repository.root ?? "").find(
    (it) => it.host === host,
  )
  const shown = useOperation(
    "capture.show",
    { id: stored?.id ?? "" },
    { isEnabled: stored !== undefined },
  )
  const take = useMutation({
    mutationFn: () => client.write("capture.take", { host }),
    onSettled: () => queries.invalidateQueries({ queryKey: keys.anyInput("capture.list") }),
  })
  const isWanted = list !== undefined && stored === undefined && !isReadOnly
  const { mutate, isIdle } = take
  useEffect(() => {
    if (isWanted && isIdle) mutate()
  }, [isWanted, isIdle, mutate])
  const capture = take.data ?? shown.data
  if (take.error !== null) {
    return <Failure size="pane" error={toWireError(take.error)} onRetry={() => mutate()} />
  }
  if (capture !== undefined) {
    return <CaptureFigure host={host} status={status} capture={capture} />
  }
  for (const { error, refetch } of [captures, shown]) {
    if (error !== null) {
      return <Failure size="pane" error={toWireError(error)} onRetry={() => void refetch()} />
    }
  }
  return isReadOnly && list !== undefined ? (
    <CommandLine command="qm capture" />
  ) : (
    <RowSkeleton rows={3} />
  )
}

type CaptureFigureProps = {
  readonly host: HostName
  readonly status: HostStatus | undefined
  readonly capture: Capture
}

function CaptureFigure({ host, status, capture }: CaptureFigureProps) {
  const { headline, budget, advice } = capture
  const tokens = Object.fromEntries(headline.kinds.map((it) => [it.kind, it.tokens]))
  const name = status?.title ?? hostTitle(host)
  const isInstalled = status?.isInstalled !== false
  const what = isInstalled ? `tokens in ${name}` : `tokens in ${name}, estimated`
  const share = `${formatShare(headline.share)} of ${formatRound(headline.window)}`
  return (
    <Stack gap="8">
      <Flow align="apart" wrap>
        <Flow>
          <Text size="title-md">{formatExact(headline.tokens)}</Text>
          <Text tone="2">{`${what}, ${share}`}</Text>
        </Flow>
        <PlaceLink href={paths.capture({ host })}>
          {advice.length === 0
            ? "Show the capture"
            : `Show the capture and ${plural(advice.length, "cut")}`}
        </PlaceLink>
      </Flow>
      <BudgetBar tokens={tokens} budget={budget.startBudget} />
      <Text size="sm" tone="3">
        {isInstalled ? "" : `${name} is not installed: this is what it would load. `}
        {`The mark is your start budget, ${plural(budget.startBudget, "token")}. The window is larger than this bar.`}
      </Text>
    </Stack>
  )
}

function StoredSessions({ importing }: FirstRunProps) {
  const isReadOnly = useReadOnly()
  const { data } = useOperation("agents.sessions", { limit: MOST_SESSIONS })
  const sessions = data?.sessions ?? []
  const fresh = sessions.filter((it) => it.runId === null)
  const { progress } = importing
  if (sessions.length === 0 && progress === null) return null
  return (
    <WelcomeSection
      title="Sessions of this repository"
      aside={
        <Text size="sm" tone="3">
          {describeSessions(sessions)}
        </Text>
      }
    >
      <Stack gap="8">
        <Text tone="2">
          {fresh.length === 0
            ? "All of them are imported; Runs lists them."
            : "Import them to read, search and resume them here. The hosts' files are only read."}
        </Text>
        {progress === null ? null : (
          <>
            <Meter
              share={(progress.done + progress.failed) / Math.max(1, progress.total)}
              label="Imported sessions"
            />
            <Text size="sm" tone="2">
              {describeProgress(progress)}
            </Text>
          </>
        )}
        {progress?.error === undefined ? null : <Failure size="row" error={progress.error} />}
        {fresh.length === 0 && progress?.isRunning !== true ? null : (
          <div>
            {progress?.isRunning === true ? (
              <Button small onPress={importing.cancel}>
                Cancel
              </Button>
            ) : (
              <Button small disabled={isReadOnly} onPress={() => importing.start(fresh)}>
                {`Import ${plural(fresh.length, "session")}`}
              </Button>
            )}
          </div>
        )}
      </Stack>
    </WelcomeSection>
  )
}

function describeSessions(sessions: readonly HostSession[]): string {
  const count = (host: HostSession["host"]) => sessions.filter((it) => it.host === host).length
  const bytes = sessions.reduce((sum, it) => sum + it.sizeBytes, 0)
  const parts = [
    count("claude-code") > 0 ? `${count("claude-code")} of Claude Code` : "",
    count("codex") > 0 ? `${count("codex")} of Codex` : "",
    formatBytes(bytes),
  ]
  return parts.filter((it) => it !== "").join(", ")
}

function describeProgress(progress: {
  readonly done: number
  readonly failed: number
  readonly total: number
  readonly isRunning: boolean
}): string {
  const { done, failed, total, isRunning } = progress
  const failures = failed === 0 ? "" : `, ${failed} failed`
  const isCancelled = !isRunning && done + failed < total
  const state = isCancelled ? ", cancelled" : ""
  return `${done} of ${plural(total, "session")} imported${failures}${state}`
}

function NextSteps({ hosts }: { readonly hosts: readonly HostStatus[] }) {
  const isReadOnly = useReadOnly()
  const copy = useCopyText()
  const host = hosts.find((it) => it.isInstalled && it.hooks === "none")
  const command = host === undefined ? "" : connectCommand(host.name)
  const missing = hosts.some((it) => it.isInstalled) ? undefined : hosts.find((it) => it.install)
  const install = missing?.install ?? ""
  return (
    <Stack gap="8">
      {missing === undefined || install === "" ? null : (
        <>
          <Text tone="2">{`Install an agent, for example ${missing.title}, then press Check again.`}</Text>
          <CommandLine command={install} />
        </>
      )}
      <Flow wrap>
        {host === undefined ? null : (
          <Button
            variant="primary"
            icon="plug"
            onPress={() =>
              copy(command, `Copied ${command}. Run it in a terminal: it shows a plan first.`)
            }
          >
            {`Connect ${host.title}`}
          </Button>
        )}
        <Button icon="pack" onPress={() => navigate(paths.pack())}>
          Build a package
        </Button>
        {missing === undefined ? (
          <Button
            icon="play"
            disabled={isReadOnly}
            onPress={() => navigate(paths.runs({ beside: "new" }))}
          >
            Start a run
          </Button>
        ) : null}
      </Flow>
      {host === undefined ? null : (
        <Text size="sm" tone="3">
          <Prose>{`Connect copies the command \`${command}\`. It changes settings of ${host.title}, so it runs in your terminal, shows a plan first and can be undone.`}</Prose>
        </Text>
      )}
    </Stack>
  )
}
