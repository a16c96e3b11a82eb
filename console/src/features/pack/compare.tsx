import { useMemo } from "react"
import { toWireError } from "../../base/errors.ts"
import { formatWhenAmong, visibleLine } from "../../base/format.ts"
import { formatExact, type PackDiff, type PackSummaryItem } from "../../contract.ts"
import type { PageProps } from "../../data/params.ts"
import { type PackParams, paths } from "../../data/paths.ts"
import { useOperation } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { CollectionList } from "../../ui/collection/collection.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import {
  Cell,
  Group,
  NarrowEnd,
  NarrowLine,
  Row,
  RowNote,
  type RowOption,
  RowSkeleton,
  TableHead,
  TextCell,
} from "../../ui/list/list.tsx"

import { ChoiceMenu } from "../../ui/menu/menu.tsx"
import { OnlyWide, Pane, PaneHead, Stack } from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { Text } from "../../ui/text/text.tsx"
import {
  type ChangeLine,
  changeLines,
  describeChange,
  describeTotals,
  formatSigned,
} from "./changes.ts"

import { usePackList } from "./use-pack.ts"
import { describeItem, describeTask } from "./words.ts"

const COLUMNS = {
  full: "minmax(0, 1fr) 256px 72px 72px 72px",
  tight: "minmax(0, 1fr) 216px 72px 72px",
  narrow: "minmax(0, 1fr) max-content",
} as const

const HEAD = [
  { text: "File" },
  { text: "Form and score", from: "roomy" },
  { text: "Before", align: "end", from: "wide" },
  { text: "After", align: "end", from: "roomy" },
  { text: "Change", align: "end" },
] as const

type CompareProps = PageProps<PackParams>

export function Compare({ now, params, onParams }: CompareProps) {
  const list = usePackList()
  const packs = list.data?.packs ?? []
  const to = params.to || params.id || (packs[0]?.id ?? "")
  const from = params.from || (packs.find((it) => it.id !== to)?.id ?? "")
  const diff = useOperation("pack.diff", { from, to }, { isEnabled: from !== "" && to !== "" })
  const error = list.error ?? diff.error
  const leave = () => onParams({ compare: false, from: "", to: "", at: "" })
  useKey("leave", leave)
  return (
    <>
      <Header isDetail title="Compare" parent={{ label: "Pack", href: paths.pack() }}>
        <Button variant="ghost" keyId="pack.compare" pressed onPress={leave}>
          Compare
        </Button>
      </Header>
      <Pane label="Differences">
        <PaneHead edge="page">
          <Choice
            now={now}
            name="From"
            id={from}
            packs={packs}
            onPick={(it) => onParams({ from: it, to }, "replace")}
          />
          <Choice
            now={now}
            name="to"
            id={to}
            packs={packs}
            onPick={(it) => onParams({ from, to: it }, "replace")}
          />
          {diff.data === undefined ? null : (
            <OnlyWide>
              <Text as="div" size="sm" tone="2" cut>
                {describeTotals(diff.data)}
              </Text>
            </OnlyWide>
          )}
        </PaneHead>
        {error === null ? null : (
          <Failure size="pane" error={toWireError(error)} onRetry={() => void diff.refetch()} />
        )}
        {list.data !== undefined && packs.length < 2 ? (
          <RowNote>A comparison needs two saved packages. Saved so far: {packs.length}.</RowNote>
        ) : null}
        {diff.isFetching && diff.data === undefined ? <RowSkeleton rows={8} /> : null}
        {diff.data === undefined ? null : (
          <Changes diff={diff.data} at={params.at} onMove={(at) => onParams({ at }, "replace")} />
        )}
      </Pane>
    </>
  )
}

type ChoiceProps = {
  readonly now: number
  readonly name: string
  readonly id: string
  readonly packs: readonly PackSummaryItem[]
  onPick(id: string): void
}

function Choice({ now, name, id, packs, onPick }: ChoiceProps) {
  const shown = packs.find((it) => it.id === id)
  const moments = packs.map((it) => it.builtAt)
  const description = shown === undefined ? "choose" : formatWhenAmong(shown.builtAt, now, moments)
  return (
    <>
      <Text size="sm" tone="2">
        {name}
      </Text>
      <ChoiceMenu
        label={`${name}: ${description}`}
        choices={packs.map((it) => ({
          value: it.id,
          label: visibleLine(describeTask(it)),
          detail: `${describeItem(it)}, ${formatWhenAmong(it.builtAt, now, moments)}`,
        }))}
        value={id}
        onPick={onPick}
      >
        {description}
      </ChoiceMenu>
    </>
  )
}

type ChangesProps = { readonly diff: PackDiff; readonly at: string; onMove(path: string): void }

function Changes({ diff, at, onMove }: ChangesProps) {
  const lines = useMemo(() => changeLines(diff), [diff])
  if (lines.length === 0) return <RowNote>Both packages are empty.</RowNote>
  return (
    <CollectionList
      label="Changes"
      columns={COLUMNS}
      wraps
      head={<TableHead labels={HEAD} />}
      items={lines}
      keyOf={(it) => it.key}
      isHeading={(it) => it.kind === "heading"}
      at={at}
      onMove={onMove}
      onOpen={(it) => onMove(it.key)}
      renderItem={(it, option) =>
        it.kind === "heading" ? (
          <Group amongOptions name={it.name} count={it.count} sum={it.sum} />
        ) : (
          <Change line={it} option={option} />
        )
      }
    />
  )
}

type ChangeProps = {
  readonly line: Extract<ChangeLine, { readonly kind: "change" }>
  readonly option: RowOption
}

function Change({ line, option }: ChangeProps) {
  const { path, tokensBefore, tokensAfter, change } = line.change
  const isEqual = change === "same" && tokensAfter === tokensBefore
  const grown = isEqual ? "" : formatSigned(tokensAfter - tokensBefore)
  const description = describeChange(line.change)
  return (
    <Row wraps option={option}>
      <Stack>
        <Cell lead>
          <Path wraps path={path} />
        </Cell>
        <NarrowLine>{description}</NarrowLine>
      </Stack>
      <TextCell from="roomy" tone="2" cut title={description}>
        {description}
      </TextCell>
      <TextCell from="wide" mono tone="3" align="end">
        {change === "added" ? "" : formatExact(tokensBefore)}
      </TextCell>
      <TextCell from="roomy" mono align="end">
        {change === "removed" ? "" : formatExact(tokensAfter)}
      </TextCell>
      <TextCell from="roomy" mono align="end">
        {grown}
      </TextCell>
      <NarrowEnd>
        <Text as="div" mono>
          {grown}
        </Text>
      </NarrowEnd>
    </Row>
  )
}
