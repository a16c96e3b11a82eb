import { useState } from "react"
import type { Memory } from "../../contract.ts"
import { Button } from "../../ui/button/button.tsx"
import { Block, Flow } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useLater } from "../../ui/use-later.ts"
import type { Actions } from "./use-memory.ts"
import { sayForget } from "./words.ts"

const loadForget = async () => (await import("../../ui/dialog/confirm-dialog.tsx")).ConfirmDialog

type JudgeProps = {
  readonly memory: Memory
  readonly actions: Actions
  readonly isReadOnly: boolean
  onForgotten(): void
}

/** What a person can say about it; only forgetting is asked for twice. */
export function Judge({ memory, actions, isReadOnly, onForgotten }: JudgeProps) {
  const [isAsking, setIsAsking] = useState(false)
  const { part: ConfirmDialog, want } = useLater(loadForget)
  const isOff = isReadOnly || actions.isBusy
  return (
    <Block>
      <Flow wrap>
        <ConfirmButton memory={memory} isOff={isOff} onPress={() => actions.confirm(memory)} />
        {VERDICTS.map(({ verdict, label }) => (
          <Button
            key={verdict}
            small
            keyId={`memory.${verdict}`}
            disabled={isOff}
            onPress={() => actions.judge({ memory, verdict })}
          >
            {label}
          </Button>
        ))}
        <Button
          small
          look="danger"
          keyId="memory.forget"
          disabled={isOff}
          onPress={() => want(() => setIsAsking(true))}
        >
          Forget
        </Button>
        {isReadOnly ? <Text tone="2">This page is read only.</Text> : null}
      </Flow>
      {isAsking && ConfirmDialog !== undefined ? (
        <ConfirmDialog
          title="Forget this memory?"
          says={sayForget(memory)}
          verb="Forget"
          onClose={() => setIsAsking(false)}
          onDo={() => {
            actions.forget({ id: memory.id })
            onForgotten()
          }}
        />
      ) : null}
    </Block>
  )
}

const VERDICTS = [
  { verdict: "helpful", label: "Helpful" },
  { verdict: "unhelpful", label: "Unhelpful" },
] as const

type ConfirmButtonProps = { readonly memory: Memory; readonly isOff: boolean; onPress(): void }

/** What is confirmed and fresh needs it no more; what was replaced cannot have it. */
function ConfirmButton({ memory: { state }, isOff, onPress }: ConfirmButtonProps) {
  const isOpen = state === "proposed" || state === "stale"
  return (
    <Button
      small
      {...(isOpen ? { look: "primary" } : {})}
      keyId="memory.confirm"
      disabled={isOff || !isOpen}
      onPress={onPress}
    >
      {state === "confirmed" ? "Confirmed" : "Confirm"}
    </Button>
  )
}
