import type { ReactNode } from "react"
import { visibleLine } from "../../../base/format.ts"
import { CopyIcon } from "../../../ui/copy/copy.tsx"
import { useKey } from "../../../ui/keys/keys.tsx"
import { DetailHead, Pane } from "../../../ui/pane/pane.tsx"
import { Text } from "../../../ui/text/text.tsx"

type DetailProps = {
  readonly label: string
  readonly title: string
  readonly lead?: ReactNode
  readonly tag?: ReactNode
  readonly copies?: { readonly text: string; readonly label: string }
  onClose(): void
  readonly children: ReactNode
}

export function Detail({ label, title, lead, tag, copies, onClose, children }: DetailProps) {
  useKey("panel.right", onClose)
  const shown = visibleLine(title)
  return (
    <Pane label={label}>
      <DetailHead
        back="Back to the list"
        actions={
          <>
            {copies === undefined ? null : (
              <CopyIcon text={copies.text} label={copies.label} keyId="capture.copy" />
            )}
          </>
        }
        onClose={onClose}
      >
        {lead}
        <Text as="h2" mono strong cut title={shown}>
          {shown}
        </Text>
        {tag}
      </DetailHead>
      {children}
    </Pane>
  )
}
