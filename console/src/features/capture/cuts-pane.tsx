import { visibleLine } from "../../base/format.ts"
import { type Capture, formatExact, plural } from "../../contract.ts"
import { type CaptureParams, paths } from "../../data/paths.ts"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowNote } from "../../ui/list/list.tsx"
import { Block, DetailHead, Flow, Pane, PaneFoot, PaneScroll, Stack } from "../../ui/pane/pane.tsx"
import { PlaceLink, Text } from "../../ui/text/text.tsx"
import { adviceLines } from "./advice.tsx"

type CutsPaneProps = {
  readonly capture: Capture
  readonly params: CaptureParams
  onClose(): void
}

/** Beside the loads while none of them is selected, where there is room for both. */
export function CutsPane({ capture, params, onClose }: CutsPaneProps) {
  const lines = adviceLines(capture)
  useKey("panel.right", onClose)
  return (
    <Pane ground="canvas" label="What to cut">
      <DetailHead back="Back to the list" onClose={onClose}>
        <Text as="h2" strong>
          What to cut
        </Text>
        <Text tone="3">{lines.length === 0 ? "" : plural(lines.length, "suggestion")}</Text>
      </DetailHead>
      <PaneScroll>
        {lines.length === 0 ? <RowNote>Nothing to cut.</RowNote> : null}
        {lines.map(({ key, advice }) => (
          <Block
            key={key}
            title={visibleLine(advice.title)}
            aside={advice.tokens === 0 ? "" : formatExact(advice.tokens)}
          >
            <Stack gap="8">
              <Text as="p" tone="2" read>
                {visibleLine(advice.evidence)}
              </Text>
              <Flow>
                <PlaceLink href={paths.capture({ ...params, tab: "cuts", at: key, open: true })}>
                  Show the edit
                </PlaceLink>
              </Flow>
            </Stack>
          </Block>
        ))}
      </PaneScroll>
      <PaneFoot>
        <Text size="sm" tone="3">
          A saving is an estimate until the next capture measures it.
        </Text>
      </PaneFoot>
    </Pane>
  )
}
