import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { toWireError } from "../../base/errors.ts"
import { visibleLine } from "../../base/format.ts"
import { type AgentMode, formatExact, plural, type QueuedTurn, type Run } from "../../contract.ts"
import { takesTurns } from "../../data/actions/use-send-again.ts"
import { keys } from "../../data/keys.ts"
import { useClient, useOperation } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import {
  Composer,
  ComposerClosed,
  ComposerFact,
  ComposerMode,
  QueuedLine,
} from "../../ui/composer/composer.tsx"
import { Icon } from "../../ui/icon/icon.tsx"
import { Kbd } from "../../ui/kbd/kbd.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useToast } from "../../ui/toast/toast.tsx"
import { Mode } from "./vitals.tsx"
import { isWorking } from "./words.ts"

type RunComposerProps = {
  readonly run: Run
  readonly isReadOnly: boolean
  readonly isFirst: boolean
  readonly onMode: (mode: AgentMode) => void
  onSent(): void
}

export function RunComposer(props: RunComposerProps) {
  const closed = closedReason(props.run, props.isReadOnly)
  if (closed !== null) {
    return (
      <ComposerClosed>
        <Icon name="lock" />
        {closed}
      </ComposerClosed>
    )
  }
  return <OpenComposer {...props} />
}

function closedReason(run: Run, isReadOnly: boolean): string | null {
  if (isReadOnly) return "This page is read only."
  if (!takesTurns(run)) {
    return "This run was imported and its session is not on this machine, so no turn can be sent."
  }
  return null
}

function OpenComposer({ run, isReadOnly, isFirst, onMode, onSent }: RunComposerProps) {
  const { id, status } = run
  const [text, setText] = useState("")
  const turns = useOperation("agents.turns", { id })
  const parts = useOperation("agents.parts", { id })
  const writes = useTurnWrites(id)
  const isBusy = isWorking(status) && status !== "paused"
  const send = (now: boolean) => {
    const message = text.trim()
    if (message === "" || writes.send.isPending) return
    writes.send.mutate(
      { text: message, now },
      {
        onSuccess: () => {
          setText("")
          onSent()
        },
      },
    )
  }
  const canSteer = isBusy && turns.data?.canSteer === true && status !== "queued"
  return (
    <Composer
      text={text}
      placeholder="Send the next turn"
      keyId="run.compose"
      isFirst={isFirst}
      onText={setText}
      onCommit={() => send(false)}
      above={(turns.data?.turns ?? unread(run.queuedTurns)).map((it) => (
        <QueuedLine
          key={it.id}
          text={it.text}
          onEdit={(words) => writes.rewrite.mutate({ id: it.id, text: words })}
          onRemove={() => writes.drop.mutate(it.id)}
        />
      ))}
      tools={
        <>
          <ComposerMode>
            <Icon name="lock" />
            <Mode run={run} isReadOnly={isReadOnly} onMode={onMode} />
          </ComposerMode>
          <ComposerFact>{describeParts(parts.data?.parts ?? [])}</ComposerFact>
        </>
      }
      actions={
        <>
          {canSteer ? (
            <Button small variant="ghost" disabled={text.trim() === ""} onPress={() => send(true)}>
              Steer now
            </Button>
          ) : null}
          <Button small disabled={text.trim() === ""} onPress={() => send(false)}>
            {isBusy ? "Queue" : "Send"} <Kbd keys="mod+Enter" />
          </Button>
        </>
      }
    />
  )
}

function unread(count: number): readonly QueuedTurn[] {
  const empty = { text: "", queuedAt: 0, by: null }
  return Array.from({ length: count }, (_, i) => ({ id: `unread ${i}`, ...empty }))
}

type Part = { readonly label: string; readonly tokens: number }

function describeParts(parts: readonly Part[]) {
  if (parts.length === 0) return null
  const tokens = parts.reduce((sum, it) => sum + it.tokens, 0)
  const words = `${plural(parts.length, "context part")} before the next turn, ${formatExact(tokens)} tokens`
  return (
    <Text tone="3" title={parts.map((it) => visibleLine(it.label)).join(", ")}>
      {words}
    </Text>
  )
}

function useTurnWrites(id: string) {
  const client = useClient()
  const queries = useQueryClient()
  const toast = useToast()
  const onError = (error: unknown) => toast.fail(toWireError(error))
  const onSettled = () => {
    void queries.invalidateQueries({ queryKey: keys.operation("agents.turns", { id }) })
    void queries.invalidateQueries({ queryKey: keys.operation("agents.show", { id }) })
  }
  return {
    send: useMutation({
      mutationFn: (turn: { text: string; now: boolean }) =>
        client.write("agents.send", { id, ...turn }),
      onError,
      onSettled,
    }),
    rewrite: useMutation({
      mutationFn: (turn: { id: string; text: string }) => client.write("agents.rewrite", turn),
      onError,
      onSettled,
    }),
    drop: useMutation({
      mutationFn: (turnId: string) => client.write("agents.drop", { id: turnId }),
      onError,
      onSettled,
    }),
  }
}
