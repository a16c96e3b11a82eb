import { formatWhen, visibleLine } from "../../base/format.ts"
import { type FoldSearch, plural } from "../../contract.ts"
import type { PageProps } from "../../data/params.ts"
import type { FoldParams } from "../../data/paths.ts"
import { CollectionList, type ListRef, Loaded, NoMatch } from "../../ui/collection/collection.tsx"
import { Icon } from "../../ui/icon/icon.tsx"
import { NarrowLine, Row, type RowOption, TableHead, TextCell } from "../../ui/list/list.tsx"

import { PaneFoot, Stack } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { MOST_FOUND, useTrails } from "./use-fold.ts"
import { describeStep, ICON_OF_STEP, lineAround, rowLine } from "./words.ts"

type FoundLine = FoldSearch["found"][number]

type FoundPaneProps = PageProps<FoldParams> & { readonly handle: ListRef }

export function FoundPane(props: FoundPaneProps) {
  const { params, onParams } = props
  return (
    <Loaded query={useTrails(params.text)} rows={8}>
      {(data) =>
        data.found.length === 0 ? (
          <NoMatch verb="Show the tree" onShowAll={() => onParams({ text: "", at: "" })}>
            No trail of {plural(data.searched, "branch", "branches")} matches.
          </NoMatch>
        ) : (
          <SearchResults {...props} found={data} />
        )
      }
    </Loaded>
  )
}

const COLUMNS = {
  full: "16px minmax(0, 1.4fr) minmax(0, 1fr) 112px 128px",
  tight: "16px minmax(0, 1.4fr) minmax(0, 1fr)",
  narrow: "16px minmax(0, 1fr)",
} as const

const keyOf = ({ branchId, seq }: FoundLine) => `${branchId} ${seq}`

function SearchResults({
  now,
  found,
  params,
  handle,
  onParams,
}: FoundPaneProps & { found: FoldSearch }) {
  const lines = found.found
  return (
    <>
      <CollectionList
        ref={handle}
        label="Steps found"
        columns={COLUMNS}
        head={<TableHead labels={FOUND_HEAD} />}
        items={lines}
        keyOf={keyOf}
        at={params.at}
        openKey="folds.open"
        onMove={(at) => onParams({ at }, "replace")}
        onOpen={(line) =>
          onParams({ at: keyOf(line), show: line.branchId, tab: "trail", step: line.seq })
        }
        renderItem={(it, option) => (
          <FoundRow now={now} line={it} words={params.text} option={option} />
        )}
      />
      <PaneFoot>
        {lines.length < MOST_FOUND ? "" : "The first "}
        {plural(lines.length, "step")} in the trails of{" "}
        {plural(found.searched, "branch", "branches")}.
      </PaneFoot>
    </>
  )
}

const FOUND_HEAD = [
  { text: "" },
  { text: "Line" },
  { text: "Branch" },
  { text: "Step", from: "wide" },
  { text: "When", from: "wide" },
] as const

type FoundRowProps = {
  readonly now: number
  readonly line: FoundLine
  readonly words: string
  readonly option: RowOption
}

function FoundRow({ now, line, words, option }: FoundRowProps) {
  const text = rowLine(line.line)
  const branch = visibleLine(line.description)
  return (
    <Row option={option}>
      <Text tone="3">
        <Icon name={ICON_OF_STEP[line.kind]} />
      </Text>
      <Stack>
        <Text as="div" mono cut title={text}>
          {lineAround(line.line, words)}
        </Text>
        <NarrowLine>{branch}</NarrowLine>
      </Stack>
      <TextCell from="roomy" cut title={branch}>
        {branch}
      </TextCell>
      <TextCell from="wide" size="sm" tone="2" cut>
        {describeStep(line)}
      </TextCell>
      <TextCell from="wide" size="sm" tone="3" cut>
        {formatWhen(line.at, now)}
      </TextCell>
    </Row>
  )
}
