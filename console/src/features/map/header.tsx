import type { IndexState } from "../../contract.ts"
import { Button } from "../../ui/button/button.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { OnlyWide } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { sayState } from "./words.ts"

type MapHeaderProps = {
  readonly now: number
  /** Null before the first scan. */
  readonly state: IndexState | null
  readonly isReadOnly: boolean
  readonly isBusy: boolean
  onScan(): void
}

export function MapHeader({ now, state, isReadOnly, isBusy, onScan }: MapHeaderProps) {
  return (
    <Header
      title="Map"
      facts={
        state === null ? null : (
          <OnlyWide>
            <Text as="div" tone="3" cut>
              {sayState(state, now)}
            </Text>
          </OnlyWide>
        )
      }
    >
      <Button
        icon="refresh"
        keyId="map.scan"
        disabled={isReadOnly || isBusy}
        onPress={onScan}
        shrinks
      >
        {isBusy ? "Scanning" : "Scan"}
      </Button>
    </Header>
  )
}
