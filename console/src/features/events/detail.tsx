import { formatMoment } from "../../base/format.ts"
import type { JournalEntry } from "../../contract.ts"
import { Code } from "../../ui/code/code.tsx"
import { CopyIcon } from "../../ui/copy/copy.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { DetailHead } from "../../ui/pane/detail-head.tsx"
import { Block, Pane, Value, Values } from "../../ui/pane/pane.tsx"
import { Tabs } from "../../ui/tabs/tabs.tsx"
import { Text } from "../../ui/text/text.tsx"
import { ValueTree } from "../../ui/tree/tree.tsx"

type EventDetailProps = {
  readonly entry: JournalEntry
  readonly view: "fields" | "raw"
  onView(view: "fields" | "raw"): void
  onClose(): void
}

export function EventDetail({ entry, view, onView, onClose }: EventDetailProps) {
  const raw = JSON.stringify(entry, null, 2)
  useKey("events.view", () => onView(view === "raw" ? "fields" : "raw"))
  useKey("panel.right", onClose)
  return (
    <Pane label="Event">
      <DetailHead
        back="Back to the journal"
        actions={<CopyIcon text={raw} label="Copy the event" keyId="events.copy" />}
        onClose={onClose}
      >
        <Text as="h2" mono strong cut title={entry.name}>
          {entry.name}
        </Text>
      </DetailHead>
      <Block>
        <Values>
          <Value name="At">{formatMoment(entry.at)}</Value>
          <Value name="Sequence">{entry.seq}</Value>
          <Value name="Version">{entry.version}</Value>
          <Value name="Id" title={entry.id}>
            <Text mono>{entry.id}</Text>
          </Value>
          <Value name="Epoch" title={entry.epoch}>
            <Text mono>{entry.epoch}</Text>
          </Value>
        </Values>
      </Block>
      <Tabs
        active={view}
        onChange={onView}
        tabs={[
          {
            id: "fields",
            label: "Fields",
            content: <ValueTree key={entry.id} value={entry.body} label="Fields of the event" />,
          },
          { id: "raw", label: "Raw", content: <Code text={raw} label="The event as JSON" /> },
        ]}
      />
    </Pane>
  )
}
