import { useMutation, useQueryClient } from "@tanstack/react-query"
import { toWireError } from "../../base/errors.ts"
import { formatAge, visibleLine } from "../../base/format.ts"
import {
  formatCount,
  formatExact,
  plural,
  type SessionsWaste,
  type WasteFinding,
  type WasteFix,
} from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import { paths } from "../../data/paths.ts"
import { useClient, useOperation, useReadOnly } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { DiffBox } from "../../ui/diff/diff.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { FoldSection, Group, RowNote, RowSkeleton } from "../../ui/list/list.tsx"
import { Block, Flow, PaneHead, PaneNote, PaneScroll, Stack } from "../../ui/pane/pane.tsx"
import { SavingBars } from "../../ui/saving-bars/saving-bars.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { PlaceLink, Text } from "../../ui/text/text.tsx"
import { useToast } from "../../ui/toast/toast.tsx"

type FindingsProps = { readonly since: string; readonly now: number }

/** Waste of this repository: what was measured, what to do, and what applied edits saved. */
export function Findings({ since, now }: FindingsProps) {
  const { data, error, isFetching, isPending, refetch } = useOperation("sessions.waste", { since })
  const writes = useFixes()
  return (
    <>
      <PaneHead
        actions={
          <Button
            small
            variant="ghost"
            keyId="cost.check"
            disabled={isFetching}
            onPress={() => void refetch()}
          >
            {isFetching ? "Checking" : "Check again"}
          </Button>
        }
      >
        <Flow>
          <Text strong>Findings</Text>
          {data === undefined ? null : <Text tone="3">{describeCounts(data)}</Text>}
        </Flow>
      </PaneHead>
      <PaneScroll>
        {error === null ? null : (
          <Failure size="row" error={toWireError(error)} onRetry={() => void refetch()} />
        )}
        {isPending ? <RowSkeleton rows={3} /> : null}
        {data === undefined ? null : <Lists waste={data} now={now} writes={writes} />}
      </PaneScroll>
    </>
  )
}

function describeCounts({ findings, applied, dismissed }: SessionsWaste): string {
  return [
    `${formatExact(findings.length)} open`,
    ...(applied.length === 0 ? [] : [`${formatExact(applied.length)} applied`]),
    ...(dismissed.length === 0 ? [] : [`${formatExact(dismissed.length)} dismissed`]),
  ].join(", ")
}

type ListsProps = { readonly waste: SessionsWaste; readonly now: number; readonly writes: Writes }

function Lists({ waste, now, writes }: ListsProps) {
  const { findings, applied, dismissed, sessions, problems } = waste
  const isEmpty = findings.length + dismissed.length === 0
  return (
    <>
      {problems.map((it) => (
        <PaneNote key={it}>{visibleLine(it)}</PaneNote>
      ))}
      <Group
        name="Open"
        count={findings.length}
        sum={`this repository, ${plural(sessions, "session")}`}
        sumFrom="roomy"
      />
      {findings.length > 0 ? null : (
        <RowNote>
          {isEmpty ? `No waste found in ${plural(sessions, "session")}.` : "All are dismissed."}
        </RowNote>
      )}
      {findings.map((it) => (
        <Finding key={it.id} finding={it} writes={writes} />
      ))}
      {applied.length === 0 ? null : <Group name="Applied" count={applied.length} />}
      {applied.map((it) => (
        <Applied key={it.id} fix={it} now={now} writes={writes} />
      ))}
      {dismissed.length === 0 ? null : (
        <FoldSection name="Dismissed" count={dismissed.length}>
          {dismissed.map((it) => (
            <Finding key={it.id} finding={it} writes={writes} isDismissed />
          ))}
        </FoldSection>
      )}
    </>
  )
}

function useFixes() {
  const client = useClient()
  const queries = useQueryClient()
  const toast = useToast()
  const settle = () => void queries.invalidateQueries({ queryKey: keys.anyInput("sessions.waste") })
  const onError = (error: unknown) => toast.fail(toWireError(error))
  const undo = useMutation({
    mutationFn: (fix: string) => client.write("sessions.undo", { fix }),
    onSuccess: ({ file }) => toast.show({ text: `${visibleLine(file)} was restored` }),
    onError,
    onSettled: settle,
  })
  const apply = useMutation({
    mutationFn: (finding: string) => client.write("sessions.apply", { finding }),
    onSuccess: ({ fix }) =>
      toast.show({
        text: `${visibleLine(fix.file)} was changed`,
        undo: () => undo.mutate(fix.id),
      }),
    onError,
    onSettled: settle,
  })
  const dismiss = useMutation({
    mutationFn: (input: { readonly finding: string; readonly restore: boolean }) =>
      client.write("sessions.dismiss", input),
    onSuccess: ({ id, isDismissed }) =>
      toast.show(
        isDismissed
          ? {
              text: "The finding was dismissed",
              undo: () => dismiss.mutate({ finding: id, restore: true }),
            }
          : { text: "The finding is open again" },
      ),
    onError,
    onSettled: settle,
  })
  const isBusy = undo.isPending || apply.isPending || dismiss.isPending
  return { undo, apply, dismiss, isOff: useReadOnly() || isBusy }
}

type Writes = ReturnType<typeof useFixes>

function describeAmount({ tokens, per }: Pick<WasteFinding, "tokens" | "per">): string {
  if (tokens === 0) return ""
  return `${formatCount(tokens)} tokens${per === "session" ? " a session" : ""}`
}

type FindingProps = {
  readonly finding: WasteFinding
  readonly writes: Writes
  readonly isDismissed?: boolean
}

function Finding({ finding, writes, isDismissed = false }: FindingProps) {
  const { id, title, evidence, fix, change, sessions } = finding
  const [first] = sessions
  return (
    <Block title={visibleLine(title)} aside={describeAmount(finding)}>
      <Stack gap="8">
        <Text as="p" tone="2" read>
          {visibleLine(evidence)} {visibleLine(fix)}
        </Text>
        {change === null ? null : (
          <DiffBox
            label={`Change of ${change.file}`}
            title={`${change.action} ${visibleLine(change.file)}`}
            lines={[
              ...change.removed.map((text) => ({ sign: "-", text }) as const),
              ...change.added.map((text) => ({ sign: "+", text }) as const),
            ]}
          />
        )}
        <Flow>
          {change === null || isDismissed ? null : (
            <Button small disabled={writes.isOff} onPress={() => writes.apply.mutate(id)}>
              Apply
            </Button>
          )}
          <Button
            small
            disabled={writes.isOff}
            onPress={() => writes.dismiss.mutate({ finding: id, restore: isDismissed })}
          >
            {isDismissed ? "Restore" : "Dismiss"}
          </Button>
          {first === undefined ? null : (
            <PlaceLink href={paths.session(first)}>
              {sessions.length === 1
                ? "The session"
                : `First of ${formatExact(sessions.length)} sessions`}
            </PlaceLink>
          )}
        </Flow>
      </Stack>
    </Block>
  )
}

type AppliedProps = { readonly fix: WasteFix; readonly now: number; readonly writes: Writes }

function Applied({ fix, now, writes }: AppliedProps) {
  const { id, title, file, appliedAt, promisedTokens, realisedTokens, sessionsAfter } = fix
  const most = Math.max(1, promisedTokens, realisedTokens ?? 0)
  const saved = describeSaving(fix)
  return (
    <Block>
      <Stack gap="8">
        <Flow align="apart">
          <Flow>
            <StatusMark status="done" />
            <Text strong>{visibleLine(title)}</Text>
          </Flow>
          <Button small disabled={writes.isOff} onPress={() => writes.undo.mutate(id)}>
            Undo
          </Button>
        </Flow>
        <Text size="sm" tone="2">
          {`${visibleLine(file)}, ${formatAge(appliedAt, now)} ago, ${plural(sessionsAfter, "session")} since`}
        </Text>
        <Flow align="apart">
          <Text size="sm">Estimated saving: {formatCount(promisedTokens)} tokens a session</Text>
          <Text size="sm" {...(isShort(fix) ? { tone: "warn" } : {})}>
            {saved}
          </Text>
        </Flow>
        {realisedTokens === null ? null : (
          <SavingBars
            promised={promisedTokens / most}
            realised={Math.max(0, realisedTokens) / most}
            isShort={isShort(fix)}
            label={`${saved} of ${formatExact(promisedTokens)} estimated`}
          />
        )}
      </Stack>
    </Block>
  )
}

function describeSaving({ realisedTokens }: Pick<WasteFix, "realisedTokens">): string {
  if (realisedTokens === null) return "waiting for the next session"
  return realisedTokens < 0
    ? `saved nothing: sessions now start ${formatCount(-realisedTokens)} tokens larger`
    : `saved ${formatCount(realisedTokens)}`
}

/** Less than half of the estimate. */
function isShort({ promisedTokens, realisedTokens }: WasteFix): boolean {
  return realisedTokens !== null && realisedTokens < promisedTokens / 2
}
