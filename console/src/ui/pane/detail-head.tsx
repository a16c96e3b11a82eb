import type { ReactNode } from "react"
import { IconButton } from "../button/button.tsx"
import { OnlyAsPage, OnlyBeside, PaneHead } from "./pane.tsx"

type DetailHeadProps = {
  /** Where the way back leads when the detail is a page of its own. */
  readonly back: string
  readonly actions?: ReactNode
  readonly children: ReactNode
  onClose(): void
}

/** The head of what stands beside a list: closed there, and left by the way back on a narrow screen. */
export function DetailHead({ back, actions, children, onClose }: DetailHeadProps) {
  return (
    <PaneHead
      actions={
        <>
          {actions}
          <OnlyBeside>
            <IconButton small icon="close" label="Close" onPress={onClose} />
          </OnlyBeside>
        </>
      }
    >
      <OnlyAsPage>
        <IconButton small icon="back" label={back} onPress={onClose} />
      </OnlyAsPage>
      {children}
    </PaneHead>
  )
}
