import type { JournalEntry } from "../../contract.ts"
import { formatMoment } from "../../data/moments.ts"
import { IconButton } from "../../ui/button/button.tsx"
import { Code } from "../../ui/code/code.tsx"
import { CopyIcon } from "../../ui/copy/copy.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import {
  Block,
  OnlyAsPage,
  OnlyBeside,
  Pane,
  PaneHead,
  Value,
  Values,
} from "../../ui/pane/pane.tsx"
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
      <PaneHead
        actions={
          <>
            <CopyIcon text={raw} label="Copy the event" keyId="events.copy" />
            <OnlyBeside>
              <IconButton small icon="close" label="Close" onPress={onClose} />
            </OnlyBeside>
          </>
        }
      >
        <OnlyAsPage>
          <IconButton small icon="back" label="Back to the journal" onPress={onClose} />
        </OnlyAsPage>
        <Text as="h2" mono strong cut title={entry.name}>
          {entry.name}
        </Text>
      </PaneHead>
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
