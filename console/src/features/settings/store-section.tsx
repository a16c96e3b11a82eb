import { useMutation } from "@tanstack/react-query"
import { toWireError } from "../../base/errors.ts"
import { formatAge } from "../../base/format.ts"
import { formatBytes, formatExact, plural, type StoreStatus } from "../../contract.ts"
import { useClient, useOperation, useSession } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { CheckBlocks, CheckProblems } from "../../ui/checks/checks.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { FormRow } from "../../ui/form/form.tsx"
import { Group, Section } from "../../ui/list/list.tsx"
import { Path } from "../../ui/path/path.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useToast } from "../../ui/toast/toast.tsx"

/** Facts about this installation; nothing here is a setting. */
export function StoreSection({ now }: { readonly now: number }) {
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
  return (
    <Section label="Store and health">
      <Group
        name="Store and health"
        {...(session && { sum: `qm ${session.version}, node ${session.node}` })}
      />
      <HealthRow />
      {error === null ? null : (
        <Failure size="row" error={toWireError(error)} onRetry={() => void refetch()} />
      )}
      {status === undefined ? null : (
        <>
          <FormRow name="Store" description={describeStore(status)}>
            <Path path={status.location} />
          </FormRow>
          {status.stopped === null ? null : (
            <FormRow name="Stopped" description="Writes are rejected">
              <Text tone="bad">{status.stopped}</Text>
            </FormRow>
          )}
          <FormRow name="Last backup" description={describeBackup(status, now)}>
            <Button
              small
              disabled={session?.readOnly === true || backup.isPending}
              onPress={() => backup.mutate()}
            >
              Back up now
            </Button>
          </FormRow>
        </>
      )}
    </Section>
  )
}

function HealthRow() {
  const { data: report } = useOperation("doctor.run", {})
  if (report === undefined) return null
  const passed = report.checks.filter((it) => it.state === "ok").length
  return (
    <>
      <FormRow name="Health" description="Result of qm doctor on this machine">
        <CheckBlocks
          states={report.checks.map((it) => it.state)}
          description={`${passed} of ${plural(report.checks.length, "check")} pass`}
        />
      </FormRow>
      <CheckProblems
        problems={report.checks.flatMap(({ state, name, detail, hint }) =>
          state === "ok" ? [] : [{ state, name, detail, hint: hint ?? "" }],
        )}
      />
    </>
  )
}

function describeStore({ dialect, schemaVersion, events, sizeBytes }: StoreStatus): string {
  return `${dialect}, schema ${schemaVersion}, ${formatExact(events)} events, ${formatBytes(sizeBytes)}`
}

function describeBackup({ lastBackup }: StoreStatus, now: number): string {
  if (lastBackup === null) return "None yet"
  return `${formatAge(lastBackup.at, now)} ago, ${formatBytes(lastBackup.sizeBytes)}`
}
