import { type ReactNode, type Ref } from "react"
import { visibleLine } from "../../base/format.ts"
import { formatExact, type PackFile, type PackForm } from "../../contract.ts"
import { KindDot } from "../../ui/budget-bar/budget-bar.tsx"
import { IconButton } from "../../ui/button/button.tsx"
import { CollectionList } from "../../ui/collection/collection.tsx"
import { DragRow } from "../../ui/drag/drag.tsx"
import { Icon } from "../../ui/icon/icon.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import {
  Group,
  NameCell,
  Row,
  RowNote,
  type RowOption,
  RowSkeleton,
  VisuallyHidden,
} from "../../ui/list/list.tsx"
import { type VirtualListHandle } from "../../ui/list/virtual-list.tsx"
import { ChoiceMenu } from "../../ui/menu/menu.tsx"
import { Pane, PaneHead, Stack } from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { SegmentedControl } from "../../ui/segmented-control/segmented-control.tsx"
import { Text } from "../../ui/text/text.tsx"
import { ColumnFit, OnlyTwoColumns } from "../../ui/two-columns/two-columns.tsx"
import { type Choices, chosenForm, FORMS } from "./choices.ts"
import { type ChosenLine, isFileKey, type PackKind } from "./lines.ts"
import { describeContent, FORM_WORDS } from "./words.ts"

const COLUMNS = { full: "18px minmax(0, 1fr) var(--seg) 44px" } as const
const SEGMENTS = FORMS.map((value) => ({ value, label: FORM_WORDS[value].label }))

export type ChosenProps = {
  readonly lines: readonly ChosenLine[] | undefined
  readonly files: readonly PackFile[]
  readonly choices: Choices
  readonly emptyReason: string | null
  readonly at: string
  readonly isActive: boolean
  readonly ref: Ref<VirtualListHandle>
  onMove(path: string): void
  onPin(path: string): void
  onDrop(path: string): void
  onForm(path: string, form: PackForm): void
  onPlace(path: string, to: number): void
}

export function Chosen(props: ChosenProps) {
  const { lines, files, at, isActive, onMove } = props
  return (
    <Pane label="Selected">
      <PaneHead edge="page" actions={<Actions {...props} />}>
        <OnlyTwoColumns>
          <Text as="h2" strong>
            Selected
          </Text>
        </OnlyTwoColumns>
        <Text tone="3" cut>
          {lines === undefined ? "" : `${formatExact(files.length)}, in final order`}
        </Text>
      </PaneHead>
      {lines === undefined ? <RowSkeleton rows={8} /> : null}
      {lines?.length === 0 ? <Nothing {...props} /> : null}
      {lines === undefined || lines.length === 0 ? null : (
        <CollectionList
          ref={props.ref}
          label="Selected files"
          lines={2}
          wraps
          columns={COLUMNS}
          items={lines}
          keyOf={(it) => it.key}
          isHeading={(it) => it.kind === "heading"}
          at={at}
          isActive={isActive}
          onMove={onMove}
          onOpen={(it) => onMove(it.key)}
          renderItem={(it, option) => <AnyLine {...props} line={it} option={option} />}
        />
      )}
    </Pane>
  )
}

type AnyLineProps = ChosenProps & { readonly line: ChosenLine; readonly option: RowOption }

function AnyLine({ line, option, ...props }: AnyLineProps) {
  if (line.kind === "record") return <RecordLine record={line.record} option={option} />
  if (line.kind === "file") return <Line {...props} line={line} option={option} />
  return (
    <Group
      amongOptions
      lead={<KindDot kind={line.of} />}
      name={KIND_NAMES[line.of]}
      sum={line.sum}
    />
  )
}

function Nothing({ files, emptyReason }: ChosenProps): ReactNode {
  if (files.length > 0) return <RowNote>No file of this kind is in the package.</RowNote>
  return <RowNote>{visibleLine(emptyReason ?? "The package is empty.")}</RowNote>
}

const KIND_NAMES: Readonly<Record<PackKind, string>> = {
  files: "Files",
  symbols: "Symbols",
  memory: "Memories, tickets and claims",
  knowledge: "Documents",
}

type RecordLineProps = {
  readonly record: Extract<ChosenLine, { readonly kind: "record" }>["record"]
  readonly option: RowOption
}

/** A package has each record in one line, before its files. */
function RecordLine({ record, option }: RecordLineProps) {
  const { kind, id, text, why, tokens } = record
  const line = visibleLine(kind === "paragraph" ? `${id}: ${text}` : text)
  return (
    <Row lines={2} wraps option={option}>
      <span />
      <Stack>
        <Text as="div" cut="wide" title={line}>
          {line}
        </Text>
        <Text as="div" size="sm" tone="2" cut="wide">
          {visibleLine(why)}
        </Text>
      </Stack>
      <Text as="div" size="xs" tone="2">
        {kind}
      </Text>
      <Text as="div" mono align="end">
        {formatExact(tokens)}
      </Text>
    </Row>
  )
}

type LineProps = ChosenProps & {
  readonly line: Extract<ChosenLine, { readonly kind: "file" }>
  readonly option: RowOption
}

function Line({ line, option, choices, onForm, onPlace, files }: LineProps) {
  const { file, number, of, showsKind } = line
  const { path, form, isPinned, sentBefore, redactions } = file
  const isChosen = chosenForm(choices, path) !== undefined
  const content = visibleLine(describeContent(file))
  const move = (dragged: string, where: "before" | "after") => {
    const from = files.findIndex((it) => it.path === dragged)
    const behind = number - 1 + (where === "after" ? 1 : 0)
    // A file moved down leaves its position free, so the target shifts by one.
    onPlace(dragged, from >= 0 && from < behind ? behind - 1 : behind)
  }
  return (
    <DragRow group="pack" name={path} onDrop={move}>
      <Row lines={2} wraps option={option} ghost={sentBefore}>
        <Text as="div" mono tone="3" align="end">
          {number}
        </Text>
        <Stack>
          <NameCell>
            {showsKind ? <KindDot kind={of} /> : null}
            <Path wraps path={path} />
            {isPinned ? (
              <Text tone="accent">
                <Icon name="pin" size="small" />
                <VisuallyHidden>pinned</VisuallyHidden>
              </Text>
            ) : null}
            {sentBefore ? (
              <Text size="xs" tone="3">
                sent before
              </Text>
            ) : null}
            {redactions === 0 ? null : (
              <Text size="xs" tone="warn">
                redacted
              </Text>
            )}
            <VisuallyHidden>{FORM_WORDS[form].description}</VisuallyHidden>
          </NameCell>
          <Text as="div" size="sm" tone="2" cut="wide" title={content}>
            {content}
          </Text>
        </Stack>
        <ColumnFit
          long={
            <SegmentedControl
              choices={SEGMENTS}
              value={form}
              isChosen={isChosen}
              onPick={(picked) => onForm(path, picked)}
            />
          }
          short={
            <Text as="div" size="xs" tone={isChosen ? "accent" : "2"}>
              {FORM_WORDS[form].label}
            </Text>
          }
        />
        <Text as="div" mono align="end">
          {formatExact(file.tokens)}
        </Text>
      </Row>
    </DragRow>
  )
}

function Actions(props: ChosenProps) {
  const { files, at, choices, onPin, onDrop, onForm, onPlace } = props
  const index = files.findIndex((it) => it.path === at)
  const file = files[index]
  const formKey = (form: PackForm) => (isFileKey(at) ? () => onForm(at, form) : undefined)
  useKey("pack.full", formKey("full"))
  useKey("pack.symbols", formKey("symbols"))
  useKey("pack.signatures", formKey("signatures"))
  useKey("pack.path", formKey("path"))
  useKey("pack.up", file === undefined ? undefined : () => onPlace(at, index - 1))
  useKey("pack.down", file === undefined ? undefined : () => onPlace(at, index + 1))
  if (file === undefined) return null
  const pick = (value: string) => {
    const form = FORMS.find((it) => it === value)
    if (form !== undefined && form !== chosenForm(choices, at)) onForm(at, form)
  }
  return (
    <>
      <ChoiceMenu
        label={`Form: ${FORM_WORDS[file.form].label}, ${FORM_WORDS[file.form].description}`}
        choices={FORMS.map((value) => ({
          value,
          label: FORM_WORDS[value].label,
          detail: FORM_WORDS[value].description,
        }))}
        value={file.form}
        onPick={pick}
      >
        {FORM_WORDS[file.form].label}
      </ChoiceMenu>
      <IconButton
        small
        icon="pin"
        label={file.isPinned ? "Unpin" : "Pin"}
        pressed={file.isPinned}
        onPress={() => onPin(at)}
      />
      <IconButton small icon="up" label="Move up" onPress={() => onPlace(at, index - 1)} />
      <IconButton small icon="down" label="Move down" onPress={() => onPlace(at, index + 1)} />
      <IconButton small icon="close" label="Drop" onPress={() => onDrop(at)} />
    </>
  )
}
