import { useState } from "react"
import { toWireError } from "../../base/errors.ts"
import { formatAge, formatWhen, visibleLine } from "../../base/format.ts"
import { formatCount, type PackSummaryItem, plural } from "../../contract.ts"
import type { PageProps } from "../../data/params.ts"
import { type PackParams, paths } from "../../data/paths.ts"
import { RowBudgetBar } from "../../ui/budget-bar/budget-bar.tsx"
import { Button } from "../../ui/button/button.tsx"
import { EditableText, EditableTextBox } from "../../ui/editable-text/editable-text.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import {
  Cell,
  Group,
  NarrowEnd,
  NarrowLine,
  Row,
  RowNote,
  RowSkeleton,
  Rows,
  TextCell,
} from "../../ui/list/list.tsx"
import { Flow, Pane, PaneScroll, Stack } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { choicesOf } from "./choices.ts"
import { Limits } from "./task.tsx"
import { usePackList, usePackSettings } from "./use-pack.ts"
import { checkTask, describeItem, describeTask } from "./words.ts"

const COLUMNS = {
  full: "minmax(0, 1fr) 96px 64px 120px 112px 128px",
  tight: "minmax(0, 1fr) 64px 96px 112px",
  narrow: "minmax(0, 1fr) 88px",
  nameSpan: 1,
} as const

type StartProps = PageProps<PackParams>

export function Start({ now, params, onParams }: StartProps) {
  const list = usePackList()
  const { defaultBudget } = usePackSettings()
  const [draft, setDraft] = useState("")
  const packs = list.data?.packs
  const begin = (task: string) => {
    if (task.trim() !== "" && checkTask(task) === undefined) onParams({ task })
  }
  return (
    <>
      <Header title="Pack" facts={<Text tone="3">{describeSavedPackages(packs)}</Text>}>
        {packs === undefined || packs.length < 2 ? null : (
          <Button
            variant="ghost"
            icon="diff"
            keyId="pack.compare"
            shrinks
            onPress={() => onParams({ compare: true })}
          >
            Compare
          </Button>
        )}
      </Header>
      <Pane label="New package">
        <PaneScroll>
          <EditableTextBox variant="start">
            <EditableText
              label="Task"
              keyId="pack.task"
              placeholder="Describe the task. The package will contain the files, symbols and tests that it needs, within the budget."
              value=""
              waits
              check={checkTask}
              onDraft={setDraft}
              onCommit={begin}
            />
            <Flow align="apart" wrap>
              <Limits
                choices={choicesOf(params)}
                defaultBudget={defaultBudget}
                onChange={(change) => onParams(change, "replace")}
              />
              <Button
                variant="primary"
                disabled={draft.trim() === "" || checkTask(draft) !== undefined}
                onPress={() => begin(draft)}
              >
                Build
              </Button>
            </Flow>
          </EditableTextBox>
          {list.error === null ? null : (
            <Failure
              size="pane"
              error={toWireError(list.error)}
              onRetry={() => void list.refetch()}
            />
          )}
          {list.isPending ? <RowSkeleton rows={4} /> : null}
          {packs === undefined ? null : <Recent now={now} packs={packs} />}
        </PaneScroll>
      </Pane>
    </>
  )
}

function describeSavedPackages(packs: readonly PackSummaryItem[] | undefined): string {
  return packs === undefined || packs.length === 0 ? "" : `${plural(packs.length, "package")} saved`
}

type RecentProps = { readonly now: number; readonly packs: readonly PackSummaryItem[] }

function Recent({ now, packs }: RecentProps) {
  return (
    <Rows columns={COLUMNS}>
      <Group
        name="Saved packages"
        count={packs.length}
        labels={[
          { text: "Role", from: "wide" },
          { text: "Files", align: "end", from: "roomy" },
          { text: "", from: "wide" },
          { text: "Tokens", align: "end", from: "roomy" },
          { text: "Built", align: "end", from: "roomy" },
        ]}
      />
      {packs.length === 0 ? (
        <RowNote>Packages that you save or that agents request are listed here.</RowNote>
      ) : null}
      {packs.map((it) => (
        <Recall key={it.id} now={now} item={it} />
      ))}
    </Rows>
  )
}

function Recall({ now, item }: { readonly now: number; readonly item: PackSummaryItem }) {
  const { id, role, files, tokens, budget, builtAt } = item
  const title = visibleLine(describeTask(item))
  return (
    <Row href={paths.pack({ id })}>
      <Stack>
        <Cell lead>
          <Text as="div" cut title={title}>
            {title}
          </Text>
        </Cell>
        <NarrowLine>{describeItem(item)}</NarrowLine>
      </Stack>
      <TextCell from="wide" tone="2" cut>
        {visibleLine(role ?? "any")}
      </TextCell>
      <TextCell from="roomy" tone="2" align="end">
        {files}
      </TextCell>
      <Cell from="wide">
        <RowBudgetBar tokens={{ files: tokens }} window={Math.max(budget, tokens)} />
      </Cell>
      <TextCell from="roomy" tone="2" align="end">
        {formatCount(tokens)} of {formatCount(budget)}
      </TextCell>
      <TextCell from="roomy" tone="3" align="end">
        {formatWhen(builtAt, now)}
      </TextCell>
      <NarrowEnd>
        <Text as="div" size="sm" tone="3">
          {formatAge(builtAt, now)}
        </Text>
      </NarrowEnd>
    </Row>
  )
}
