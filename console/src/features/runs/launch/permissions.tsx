import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { toWireError } from "../../../base/errors.ts"
import { visibleLine } from "../../../base/format.ts"
import { type Permissions, plural } from "../../../contract.ts"
import { keys } from "../../../data/keys.ts"
import { useClient, useOperation } from "../../../data/queries.tsx"
import { Button } from "../../../ui/button/button.tsx"
import { Empty } from "../../../ui/empty/empty.tsx"
import { Failure } from "../../../ui/failure/failure.tsx"
import { Group, NarrowLine, Row, RowSkeleton, Rows, TextCell } from "../../../ui/list/list.tsx"
import { Notice } from "../../../ui/notice/notice.tsx"
import { Flow, Pane, PaneFoot, PaneScroll, Stack } from "../../../ui/pane/pane.tsx"
import { Text } from "../../../ui/text/text.tsx"
import { useToast } from "../../../ui/toast/toast.tsx"
import { useLater } from "../../../ui/use-later.ts"

type Rule = Permissions["rules"][number]

const COLUMNS = {
  full: "48px minmax(0, 1fr) 132px 96px 72px",
  tight: "48px minmax(0, 1fr) 96px 72px",
  narrow: "48px minmax(0, 1fr) 72px",
  nameSpan: 2,
} as const

const LABELS = [
  { text: "File", from: "wide" },
  { text: "Active", from: "roomy" },
  { text: "" },
] as const

export function PermissionsPane({ isReadOnly }: { readonly isReadOnly: boolean }) {
  const permissions = useOperation("permissions.list", {})
  const { trust, remove, isPending } = useRuleActions()
  const { data, error } = permissions
  const isOff = isReadOnly || isPending
  return (
    <Pane label="Permissions">
      {error === null ? null : (
        <Failure
          size="pane"
          error={toWireError(error)}
          onRetry={() => void permissions.refetch()}
        />
      )}
      {permissions.isPending ? <RowSkeleton rows={6} /> : null}
      {data === undefined || data.isTrusted ? null : (
        <Untrusted permissions={data} isOff={isOff} onTrust={() => trust(data)} />
      )}
      {data?.rules.length === 0 ? (
        <Empty
          description="No rules yet: the agent asks for everything that its mode does not decide. Always allow on an approval writes the first rule."
          command={'qm permissions add deny --command "git push *"'}
        />
      ) : null}
      {data === undefined || data.rules.length === 0 ? null : (
        <PaneScroll>
          <Rows columns={COLUMNS}>
            <Group name="Rules" count={data.rules.length} labels={LABELS} />
            {data.rules.map((it) => (
              <RuleRow key={it.id} rule={it} isOff={isOff} onRemove={() => remove(it)} />
            ))}
          </Rows>
        </PaneScroll>
      )}
      {data === undefined ? null : (
        <PaneFoot>
          Deny rules are tried first, then ask rules, then allow rules. The file is{" "}
          {visibleLine(data.file)}.
        </PaneFoot>
      )}
    </Pane>
  )
}

type UntrustedProps = {
  readonly permissions: Permissions
  readonly isOff: boolean
  onTrust(): void
}

const loadConfirm = async () =>
  (await import("../../../ui/dialog/confirm-dialog.tsx")).ConfirmDialog

function Untrusted({ permissions, isOff, onTrust }: UntrustedProps) {
  const [isAsking, setIsAsking] = useState(false)
  const { part: ConfirmDialog, want } = useLater(loadConfirm)
  return (
    <Notice tone="warn" description={describeUntrusted(permissions)}>
      <Button small disabled={isOff} onPress={() => want(() => setIsAsking(true))}>
        Trust this file
      </Button>
      {ConfirmDialog === undefined || !isAsking ? null : (
        <ConfirmDialog
          title="Trust the current file"
          description="Agents will no longer ask for actions that these rules allow:"
          lines={heldBack(permissions).map(describePermission)}
          verb="Trust"
          onDo={onTrust}
          onClose={() => setIsAsking(false)}
        />
      )}
    </Notice>
  )
}

function heldBack({ rules }: Permissions): readonly Rule[] {
  return rules.filter((it) => !it.isInForce)
}

type RuleRowProps = { readonly rule: Rule; readonly isOff: boolean; onRemove(): void }

const TONES = { allow: "ok", ask: "warn", deny: "bad" } as const

function RuleRow({ rule, isOff, onRemove }: RuleRowProps) {
  const isOurs = rule.origin === "project"
  const origin = isOurs ? "permissions.json" : "settings"
  const words = describePermission(rule)
  return (
    <Row>
      <Text size="sm" tone={TONES[rule.decision]}>
        {rule.decision}
      </Text>
      <Stack>
        <Text mono cut title={words}>
          {words}
        </Text>
        <NarrowLine>
          {origin}, {rule.isInForce ? "active" : "inactive"}
        </NarrowLine>
      </Stack>
      <TextCell from="wide" size="sm" tone="2" cut>
        {origin}
      </TextCell>
      <TextCell from="roomy" size="sm" {...(rule.isInForce ? { tone: "2" } : { tone: "warn" })}>
        {rule.isInForce ? "yes" : "not trusted"}
      </TextCell>
      {isOurs ? (
        <Flow align="end">
          <Button small disabled={isOff} onPress={onRemove}>
            Remove
          </Button>
        </Flow>
      ) : (
        <Text size="xs" tone="3" align="end">
          in Settings
        </Text>
      )}
    </Row>
  )
}

export function describePermission({ tool, command, path }: Rule): string {
  const parts = [
    tool ?? (command === undefined && path === undefined ? "everything" : ""),
    command === undefined ? "" : `command ${command}`,
    path === undefined ? "" : `path ${path}`,
  ]
  return visibleLine(parts.filter((it) => it !== "").join(", "))
}

function describeUntrusted(permissions: Permissions): string {
  const held = heldBack(permissions).length
  return `${visibleLine(permissions.file)} has changed since you approved it. ${plural(held, "allow rule")} in it ${held === 1 ? "is" : "are"} inactive until you trust the current file.`
}

function useRuleActions() {
  const client = useClient()
  const queries = useQueryClient()
  const toast = useToast()
  const put = (permissions: Permissions) =>
    queries.setQueryData(keys.operation("permissions.list", {}), permissions)
  const fail = (error: Error) => toast.fail(toWireError(error))
  const trust = useMutation({
    // Trusts the content that the user saw, not the current content of the file.
    mutationFn: ({ digest }: Permissions) =>
      client.write("permissions.trust", digest === null ? {} : { digest }),
    onSuccess: put,
    onError: fail,
  })
  const add = useMutation({
    mutationFn: ({ decision, tool, command, path }: Rule) =>
      client.write("permissions.add", {
        decision,
        ...(tool === undefined ? {} : { tool }),
        ...(command === undefined ? {} : { command }),
        ...(path === undefined ? {} : { path }),
      }),
    onSuccess: put,
    onError: fail,
  })
  const remove = useMutation({
    mutationFn: ({ id }: Rule) => client.write("permissions.remove", { id }),
    onSuccess: (permissions, rule) => {
      put(permissions)
      const text = `Rule removed: ${rule.decision} ${describePermission(rule)}`
      toast.show({ text, undo: () => add.mutate(rule) })
    },
    onError: fail,
  })
  return {
    trust: (read: Permissions) => trust.mutate(read),
    remove: (rule: Rule) => remove.mutate(rule),
    isPending: trust.isPending || remove.isPending || add.isPending,
  }
}
