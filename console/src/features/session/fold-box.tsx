import { useState } from "react"
import { toWireError } from "../../base/errors.ts"
import { formatCount, type SessionsContext } from "../../contract.ts"
import { describeFolded, FOLD_DIALOG, useHandFold } from "../../data/hand-fold.ts"
import { useOperation, useReadOnly } from "../../data/queries.tsx"
import { RowBudgetBar } from "../../ui/budget-bar/budget-bar.tsx"
import type { BarContent } from "../../ui/budget-bar/layout.ts"
import { Button } from "../../ui/button/button.tsx"
import { CommandLine } from "../../ui/empty/empty.tsx"
import { Block, Flow, Stack } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useToast } from "../../ui/toast/toast.tsx"
import { useLater } from "../../ui/use-later.ts"
import { contextOf } from "./context-input.ts"
import { type FoldEffect, type FoldOffer, foldOffer } from "./fold.ts"

const MOST_REQUESTS = 2_000

type FoldBoxProps = {
  readonly id: string
  readonly host: string
  readonly agent: string
  readonly turn: number
}

/** The window before and after a fold of the turn, or the reason why it cannot be folded. */
export function FoldBox({ id, host, agent, turn }: FoldBoxProps) {
  const context = useOperation("sessions.context", contextOf(id, { agent })).data
  const proxied = useOperation("gateway.list", { session: id }).data?.sessions
  const newest = proxied?.[0]?.id ?? ""
  const shown = useOperation(
    "gateway.show",
    { id: newest, limit: MOST_REQUESTS },
    { isEnabled: newest !== "" },
  ).data
  if (context === undefined || proxied === undefined) return null
  if (newest !== "" && shown === undefined) return null
  const requests = shown?.requests ?? []
  const offer = foldOffer({ host, session: id, turn, context, proxied, requests })
  return (
    <Block title={`Fold turn ${turn}`}>
      {offer.kind === "possible" ? (
        <Possible key={turn} offer={offer} window={context.windowTokens} />
      ) : (
        <Impossible offer={offer} />
      )}
    </Block>
  )
}

function Impossible({ offer }: { readonly offer: Extract<FoldOffer, { kind: "impossible" }> }) {
  return (
    <Stack gap="8">
      <Text as="p" size="sm" tone="2">
        {offer.reason}
        {offer.command === undefined ? "" : " Start sessions that can be folded with:"}
      </Text>
      {offer.command === undefined ? null : <CommandLine command={offer.command} />}
    </Stack>
  )
}

const loadDialog = async () => (await import("../../ui/span-dialog/span-dialog.tsx")).SpanDialog

type PossibleProps = {
  readonly offer: Extract<FoldOffer, { kind: "possible" }>
  readonly window: SessionsContext["windowTokens"]
}

function Possible({ offer, window }: PossibleProps) {
  const { effect, requests, span, isAlive } = offer
  const toast = useToast()
  const isReadOnly = useReadOnly()
  const [isOpen, setIsOpen] = useState(false)
  const { part: SpanDialog, want } = useLater(loadDialog)
  const fold = useHandFold((folded) => {
    toast.show({ text: describeFolded(folded) })
    setIsOpen(false)
  })
  return (
    <Stack gap="8">
      <Windows effect={effect} window={window} />
      <Text as="p" size="sm" tone="2">
        {effect.replaces}
      </Text>
      <Text as="p" size="sm" tone="2">
        {effect.cost}
        {isAlive
          ? ""
          : " The session has ended; the fold applies when it continues through the gateway in fold mode."}
      </Text>
      <Flow>
        <Button
          small
          variant="primary"
          keyId="session.fold"
          disabled={isReadOnly || fold.isPending}
          onPress={() => want(() => setIsOpen(true))}
        >
          Fold this turn
        </Button>
      </Flow>
      {isOpen && SpanDialog !== undefined ? (
        <SpanDialog
          {...FOLD_DIALOG}
          items={requests}
          span={span}
          isBusy={fold.isPending}
          error={fold.error === null ? undefined : toWireError(fold.error)}
          onCommit={(chosen, summary) => fold.mutate({ span: chosen, summary })}
          onClose={() => setIsOpen(false)}
        />
      ) : null}
    </Stack>
  )
}

function Windows({
  effect,
  window,
}: {
  readonly effect: FoldEffect
  readonly window: number | null
}) {
  // Both bars have the same scale.
  const scale = window ?? effect.nowTokens
  return (
    <>
      <WindowBar name="Window now" tokens={effect.now} total={effect.nowTokens} window={scale} />
      <WindowBar
        name="After the fold, about"
        tokens={effect.after}
        cut={effect.cut}
        total={effect.afterTokens}
        window={scale}
      />
    </>
  )
}

type WindowBarProps = BarContent & { readonly name: string; readonly total: number }

function WindowBar({ name, total, ...content }: WindowBarProps) {
  return (
    <Stack>
      <Flow align="apart">
        <Text size="sm" tone="2">
          {name}
        </Text>
        <Text mono>{formatCount(total)}</Text>
      </Flow>
      <RowBudgetBar {...content} />
    </Stack>
  )
}
