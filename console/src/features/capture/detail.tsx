import type { ReactNode } from "react"
import { IconButton } from "../../ui/button/button.tsx"
import { CopyIcon } from "../../ui/copy/copy.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { OnlyAsPage, OnlyBeside, Pane, PaneHead } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { visibleLine } from "../../ui/visible.ts"

type DetailProps = {
  readonly label: string
  readonly title: string
  readonly lead?: ReactNode
  readonly tag?: ReactNode
  /** What the copy button takes. */
  readonly copies?: { readonly text: string; readonly label: string }
  onClose(): void
  readonly children: ReactNode
}

/** The pane beside the list: what it is about, copy, close. */
export function Detail({ label, title, lead, tag, copies, onClose, children }: DetailProps) {
  useKey("panel.right", onClose)
  const shown = visibleLine(title)
  return (
    <Pane label={label}>
      <PaneHead
        actions={
          <>
            {copies === undefined ? null : (
              <CopyIcon text={copies.text} label={copies.label} keyId="capture.copy" />
            )}
            <OnlyBeside>
              <IconButton small icon="close" label="Close" onPress={onClose} />
            </OnlyBeside>
          </>
        }
      >
        <OnlyAsPage>
          <IconButton small icon="back" label="Back to the list" onPress={onClose} />
        </OnlyAsPage>
        {lead}
        <Text as="h2" mono strong cut title={shown}>
          {shown}
        </Text>
        {tag}
      </PaneHead>
      {children}
    </Pane>
  )
}
