import { visibleLine } from "../../base/format.ts"
import { type KbHit, plural } from "../../contract.ts"
import { CollectionList, Loaded, NoMatch } from "../../ui/collection/collection.tsx"
import { Cell, Row, type RowOption } from "../../ui/list/list.tsx"

import { Stack } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import type { ListPaneHandleProps } from "./page.tsx"
import { useFound } from "./use-knowledge.ts"
import { describeReasons } from "./words.ts"

const COLUMNS = { full: "minmax(0, 1fr)" } as const

export function FoundPane({ params, handle, onParams }: ListPaneHandleProps) {
  return (
    <Loaded query={useFound(params)} rows={6}>
      {({ hits, documents }) =>
        hits.length === 0 ? (
          <NoMatch onShowAll={() => onParams({ text: "", tier: null, at: "" }, "replace")}>
            No paragraph of {plural(documents, "document")} matches.
          </NoMatch>
        ) : (
          <CollectionList
            ref={handle}
            label="Paragraphs"
            columns={COLUMNS}
            items={hits}
            keyOf={(it) => it.paragraph.id}
            lines={2}
            at={params.at}
            openKey="knowledge.open"
            onMove={(at) => onParams({ at }, "replace")}
            onOpen={({ paragraph: { id } }) => onParams({ at: id, show: id, add: false })}
            renderItem={(it, option) => <HitRow hit={it} option={option} />}
          />
        )
      }
    </Loaded>
  )
}

function HitRow({ hit, option }: { readonly hit: KbHit; readonly option: RowOption }) {
  const { paragraph } = hit
  const text = visibleLine(paragraph.text.replaceAll(/\s+/g, " "))
  const why = describeReasons(hit)
  const citation = visibleLine(paragraph.citation)
  return (
    <Row option={option} lines={2}>
      <Stack>
        <Cell lead>
          <Text as="div" cut title={text}>
            {text}
          </Text>
        </Cell>
        <Text as="div" size="sm" tone="3" cut title={`${citation}, ${why}`}>
          <Text tone="2">{citation}</Text>, {why}
        </Text>
      </Stack>
    </Row>
  )
}
