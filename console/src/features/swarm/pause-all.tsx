import { useState } from "react"
import type { Swarm } from "../../contract.ts"
import { Button } from "../../ui/button/button.tsx"
import { useLater } from "../../ui/use-later.ts"
import type { SwarmActions } from "./use-swarm.ts"
import { describeContinue, describePause, isContinuable, isPausable } from "./words.ts"

type PauseAllProps = {
  readonly swarm: Swarm
  readonly isReadOnly: boolean
  readonly actions: SwarmActions
}

/** Loaded when it is opened, as in the review. */
export const loadConfirm = async () =>
  (await import("../../ui/dialog/confirm-dialog.tsx")).ConfirmDialog

/** Pauses every workstream that can be paused; when all stand still, continues those again. */
export function PauseAll({ swarm, isReadOnly, actions }: PauseAllProps) {
  const [isAsking, setIsAsking] = useState(false)
  const { part: ConfirmDialog, want } = useLater(loadConfirm)
  const pausable = swarm.workstreams.filter(isPausable)
  const paused = swarm.workstreams.filter((it) => isContinuable(it, swarm))
  const isPause = pausable.length > 0
  if (!isPause && paused.length === 0) return null
  return (
    <>
      <Button
        variant="ghost"
        icon={isPause ? "pause" : "play"}
        keyId="swarm.pause"
        disabled={isReadOnly || actions.isBusy}
        onPress={() => want(() => setIsAsking(true))}
        shrinks
      >
        {isPause ? "Pause all" : "Continue all"}
      </Button>
      {ConfirmDialog === undefined || !isAsking ? null : (
        <ConfirmDialog
          {...(isPause ? describePause(swarm) : describeContinue(paused))}
          tone={isPause ? "danger" : "primary"}
          onDo={() => (isPause ? actions.pause() : actions.resumeAll(paused.map((it) => it.name)))}
          onClose={() => setIsAsking(false)}
        />
      )}
    </>
  )
}
