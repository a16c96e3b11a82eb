import { toWireError } from "../../../base/errors.ts"
import { formatMoment, formatShare, formatWhen, visibleLine } from "../../../base/format.ts"
import {
  type Capture,
  type CaptureChange,
  type CaptureText,
  formatExact,
  type ManifestItem,
} from "../../../contract.ts"
import type { PageProps } from "../../../data/params.ts"
import type { CaptureParams, CaptureView } from "../../../data/paths.ts"
import { useOperation } from "../../../data/queries.tsx"
import { KindDot } from "../../../ui/budget-bar/budget-bar.tsx"
import { Button } from "../../../ui/button/button.tsx"
import { Code } from "../../../ui/code/code.tsx"
import { DiffLines } from "../../../ui/diff/diff.tsx"
import { Failure } from "../../../ui/failure/failure.tsx"
import { useKey } from "../../../ui/keys/keys.tsx"
import { Group, RowNote, RowSkeleton } from "../../../ui/list/list.tsx"
import { Block, PaneFoot, PaneNote, Value, Values } from "../../../ui/pane/pane.tsx"
import { Tabs } from "../../../ui/tabs/tabs.tsx"
import { Tag } from "../../../ui/tag/tag.tsx"
import { Text } from "../../../ui/text/text.tsx"
import { countLoads, signed } from "../list/lines.ts"
import { describeObserved, describeTrust, formatOrdinal, formatSize, shortHash } from "../words.ts"
import { Detail } from "./detail.tsx"

type ItemDetailProps = PageProps<CaptureParams> & {
  readonly capture: Capture
  readonly item: ManifestItem
  readonly number: number | null
  readonly change: CaptureChange | undefined
  onClose(): void
}

const VIEWS: readonly CaptureView[] = ["text", "diff", "raw"]

export function ItemDetail(props: ItemDetailProps) {
  const { capture, item, change, params, onParams, onClose } = props
  const raw = JSON.stringify(rawOf(capture, item), null, 2)
  const { id } = capture.manifest
  const isTextShown = params.open && params.view === "text"
  const text = useOperation("capture.text", { id, path: item.path }, { isEnabled: isTextShown })
  const view = (to: CaptureView) => onParams({ view: to }, "replace")
  useKey("capture.view", () => view(VIEWS[(VIEWS.indexOf(params.view) + 1) % 3] ?? "text"))
  const copied = isTextShown ? textOf(text.data) || raw : raw
  return (
    <Detail
      label="Item"
      title={item.label.slice(item.label.lastIndexOf("/", item.label.length - 2) + 1)}
      lead={<KindDot kind={item.kind} outlined={item.tokens === 0} />}
      tag={<ChangeTag change={change} />}
      copies={{
        text: copied,
        label: copied === raw ? "Copy the metadata" : "Copy the text",
      }}
      onClose={onClose}
    >
      <Tabs
        active={params.view}
        onChange={view}
        tabs={[
          {
            id: "text",
            label: "Text",
            content: (
              <>
                <Block>
                  <ItemFacts {...props} />
                </Block>
                {params.open ? (
                  <TextOf query={text} path={item.path} />
                ) : (
                  <Block>
                    <Button
                      small
                      keyId="capture.open"
                      onPress={() => onParams({ open: true }, "replace")}
                    >
                      Show the text
                    </Button>
                  </Block>
                )}
                <PaneFoot>{capture.manifest.disclaimer}</PaneFoot>
              </>
            ),
          },
          {
            id: "diff",
            label: "Diff",
            ...(change === undefined
              ? {}
              : { note: `${signed(change.tokensAfter - change.tokensBefore)} tokens` }),
            content: <ItemDiff {...props} />,
          },
          {
            id: "raw",
            label: "Raw",
            content: <Code text={raw} label="The item as JSON" />,
          },
        ]}
      />
    </Detail>
  )
}

function textOf(text: CaptureText | undefined): string {
  return [text?.text ?? "", text?.later ?? ""].filter(Boolean).join("\n")
}

function rawOf({ observation }: Capture, item: ManifestItem): object {
  const observed = observation?.files.find((it) => it.path === item.path)
  return observed === undefined ? item : { ...item, observed }
}

function ChangeTag({ change }: { readonly change: CaptureChange | undefined }) {
  if (change === undefined) return null
  const { linesAdded = 0, linesRemoved = 0 } = change
  if (change.change === "added") return <Tag tone="ok">new</Tag>
  return (
    <>
      {linesAdded > 0 ? <Tag tone="ok">+{formatExact(linesAdded)}</Tag> : null}
      {linesRemoved > 0 ? <Tag tone="bad">−{formatExact(linesRemoved)}</Tag> : null}
    </>
  )
}

function ItemFacts({ now, capture, item, number }: ItemDetailProps) {
  const observed = describeObserved(capture, item.path)
  const total = capture.budget.tokens
  return (
    <Values>
      <Value name="Path" title={visibleLine(item.path)} wrap>
        <Text mono>{visibleLine(item.path)}</Text>
      </Value>
      <Value name="Source">
        {item.source}, priority {item.priority}
      </Value>
      <Value name="Load">
        {number === null
          ? item.load
          : `${item.load}, ${formatOrdinal(number)} of ${countLoads(capture)}`}
      </Value>
      <Value name="Reason" wrap>
        {visibleLine(item.reason)}
      </Value>
      <Value name="Tokens">{formatTokens(item, total)}</Value>
      <Value name="Observed" wrap>
        {observed.tone === undefined ? (
          observed.description
        ) : (
          <Text tone={observed.tone}>{observed.description}</Text>
        )}
      </Value>
      <Value name="Size">{formatSize(item)}</Value>
      <Value name="sha256" title={item.sha256}>
        <Text mono>{shortHash(item.sha256)}</Text>
      </Value>
      <Value name="Modified" title={formatMoment(item.modifiedAt)}>
        {formatWhen(item.modifiedAt, now)}
      </Value>
      <Value name="Trust">{describeTrust(item)}</Value>
      {item.importedBy === undefined ? null : (
        <Value name="Imported by" title={visibleLine(item.importedBy.path)}>
          {visibleLine(lastOf(item.importedBy.path))}, line {item.importedBy.line}
        </Value>
      )}
      <Value name="Redacted">
        {item.redactions === 0 ? (
          "nothing"
        ) : (
          <Text tone="warn">
            {item.redactions === 1 ? "1 secret" : `${item.redactions} secrets`}
          </Text>
        )}
      </Value>
    </Values>
  )
}

function formatTokens({ tokens, tokensOnDemand }: ManifestItem, total: number): string {
  const sent = `${formatExact(tokens)} sent`
  const share =
    total === 0 || tokens === 0 ? "" : `, ${formatShare(tokens / total)} of the initial context`
  const more = tokensOnDemand === 0 ? "" : `, ${formatExact(tokensOnDemand)} on demand`
  return `${sent}${share}${more}`
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1)
}

const REDACTED = /(\[redacted: [^[\]\n]*\])/

type TextQuery = ReturnType<typeof useOperation<"capture.text">>

function TextOf({ query, path }: { readonly query: TextQuery; readonly path: string }) {
  const { data, error } = query
  if (error !== null) {
    return <Failure size="pane" error={toWireError(error)} onRetry={() => void query.refetch()} />
  }
  if (data === undefined) return <RowSkeleton rows={10} />
  if (data.withheld !== undefined) return <RowNote>{visibleLine(data.withheld)}</RowNote>
  const { text, later, isCut } = data
  const name = visibleLine(lastOf(path))
  if (text === "" && later === "") return <RowNote>The file is empty.</RowNote>
  return (
    <>
      {text === "" ? null : <Code text={text} label={`Text of ${name}`} mark={REDACTED} />}
      {later === "" ? null : (
        <>
          <Group name="On demand" sum="not in the window" />
          <Code text={later} label={`Content that ${name} may add`} mark={REDACTED} />
        </>
      )}
      {isCut ? <PaneNote>Truncated: the text is too long to show.</PaneNote> : null}
    </>
  )
}

function ItemDiff({ now, capture, change }: ItemDetailProps) {
  const { previous } = capture
  if (previous === null) {
    return <RowNote>This is the first capture of this folder.</RowNote>
  }
  const since = formatWhen(previous.capturedAt, now)
  if (change === undefined) return <RowNote>Unchanged since the capture of {since}.</RowNote>
  if (change.change === "moved") {
    return <RowNote>Same text, but moved in the load order since {since}.</RowNote>
  }
  if (change.lines === undefined) {
    return (
      <RowNote>
        It was {change.change} since {since}. Its text was not stored.
      </RowNote>
    )
  }
  return <DiffLines lines={change.lines} label={`Changes since ${since}`} />
}
