import { type KeyboardEvent, useEffect, useRef, useState } from "react"
import { toWireError } from "../../base/errors.ts"
import { visibleLine } from "../../base/format.ts"
import type { KbAdded, KbTier } from "../../contract.ts"
import { KNOWLEDGE_TIERS } from "../../data/paths.ts"
import { Bullets } from "../../ui/bullets/bullets.tsx"
import { Button, IconButton } from "../../ui/button/button.tsx"
import { EntryActions, EntryForm, PickEntry, TextEntry } from "../../ui/entry/entry.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { Kbd } from "../../ui/kbd/kbd.tsx"
import { Pane, PaneHead, PaneScroll, Stack } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { describeAdded, useFolders } from "./use-knowledge.ts"
import { TIERS } from "./words.ts"

type AddFormProps = { readonly isReadOnly: boolean; onClose(): void }

export function AddForm({ isReadOnly, onClose }: AddFormProps) {
  const [path, setPath] = useState("")
  const [tier, setTier] = useState<KbTier>("primary")
  const [isEmpty, setIsEmpty] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const { add } = useFolders()
  const isOff = isReadOnly || add.isPending
  const read = () => {
    setIsEmpty(path.trim() === "")
    if (path.trim() !== "" && !isOff) add.mutate({ path: path.trim(), tier })
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault()
      read()
    }
    if (event.key === "Escape") onClose()
  }
  return (
    <Pane ground="canvas" label="Add a folder">
      <PaneHead
        actions={<IconButton small icon="close" label="Close" keyId="leave" onPress={onClose} />}
      >
        <Text strong>Add a folder</Text>
      </PaneHead>
      <PaneScroll onKeyDown={press}>
        <EntryForm>
          <TextEntry
            ref={field}
            label="Folder or file"
            mono
            value={path}
            placeholder="docs"
            problem={isEmpty ? "Enter a folder or a file." : undefined}
            description="Relative to the repository, or absolute. Secrets are redacted before anything is stored."
            onChange={setPath}
          />
          <PickEntry
            label="Tier"
            choices={KNOWLEDGE_TIERS.map((value) => ({
              value,
              label: TIERS[value].label,
              detail: TIERS[value].description,
            }))}
            value={tier}
            onPick={(value) => setTier(KNOWLEDGE_TIERS.find((it) => it === value) ?? tier)}
          />
          {add.error === null ? null : <Failure size="pane" error={toWireError(add.error)} />}
          <EntryActions>
            <Button variant="primary" disabled={isOff} onPress={read}>
              {add.isPending ? "Adding" : "Add"}
            </Button>
            <Kbd keys="mod+Enter" />
            {isReadOnly ? <Text tone="2">This page is read only.</Text> : null}
          </EntryActions>
          {add.data === undefined ? null : <Result added={add.data} />}
        </EntryForm>
      </PaneScroll>
    </Pane>
  )
}

const MOST_NAMED = 10

function Result({ added }: { readonly added: KbAdded }) {
  const named = added.skipped.slice(0, MOST_NAMED)
  return (
    <Stack gap="8">
      <Text as="p" size="sm" tone="2">
        {describeAdded(added)}
      </Text>
      {named.length === 0 ? null : (
        <Bullets lines={named.map((it) => visibleLine(`${it.path}: ${it.reason}`))} />
      )}
    </Stack>
  )
}
