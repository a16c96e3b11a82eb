import { visibleLine } from "../../base/format.ts"
import { plural, type Source } from "../../contract.ts"
import { leaveOne, type PageProps, type ParamsProps } from "../../data/params.ts"
import type { SourcesParams } from "../../data/paths.ts"
import { useReadOnly } from "../../data/queries.tsx"
import {
  CollectionList,
  CollectionPage,
  FilterHead,
  Loaded,
  NoMatch,
  useListRef,
} from "../../ui/collection/collection.tsx"
import { Empty } from "../../ui/empty/empty.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import {
  NameCell,
  NarrowLine,
  Row,
  type RowOption,
  TableHead,
  TextCell,
} from "../../ui/list/list.tsx"
import { Pane, PaneFoot, Stack } from "../../ui/pane/pane.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Text } from "../../ui/text/text.tsx"
import { Detail } from "./detail.tsx"
import { Requests } from "./requests.tsx"
import { useSources } from "./use-sources.ts"
import { ORIGINS, stateOf } from "./words.ts"

export function SourcesPage({ now, params, onParams }: PageProps<SourcesParams>) {
  const isReadOnly = useReadOnly()
  const sources = useSources().data?.sources
  const { show, text } = params
  return (
    <CollectionPage
      name="sources"
      detailPx={520}
      header={<Header title="Sources" />}
      list={<ListPane now={now} params={params} onParams={onParams} isReadOnly={isReadOnly} />}
      detail={
        show === "" || sources === undefined ? null : (
          <Detail
            key={show}
            now={now}
            slug={show}
            source={sources.find((it) => it.slug === show)}
            isReadOnly={isReadOnly}
            onClose={() => onParams({ show: "" })}
          />
        )
      }
      onLeave={leaveOne(onParams, [show !== "", { show: "" }], [text !== "", { text: "", at: "" }])}
    />
  )
}

type ListPaneProps = ParamsProps<SourcesParams> & {
  readonly now: number
  readonly isReadOnly: boolean
}

function ListPane({ now, params, onParams, isReadOnly }: ListPaneProps) {
  const handle = useListRef()
  const words = params.text.trim().toLowerCase()
  return (
    <Pane label="Sources">
      <FilterHead
        label="Filter by words"
        text={params.text}
        list={handle}
        onText={(text) => onParams({ text, at: "" }, "replace")}
      />
      <Requests now={now} isReadOnly={isReadOnly} />
      <Loaded query={useSources()} rows={5}>
        {({ sources: all }) => {
          if (all.length === 0) {
            return (
              <Empty
                description="This page lists sources: servers and APIs whose tools pipelines and agents may call. Add the first one from a template:"
                command="qm source templates"
              />
            )
          }
          const sources = all.filter((it) =>
            `${it.slug} ${it.title} ${it.description}`.toLowerCase().includes(words),
          )
          if (sources.length === 0) {
            return (
              <NoMatch onShowAll={() => onParams({ text: "" }, "replace")}>
                No source matches.
              </NoMatch>
            )
          }
          return (
            <>
              <CollectionList
                ref={handle}
                label="Sources"
                columns={COLUMNS}
                head={<TableHead labels={HEAD} />}
                items={sources}
                keyOf={({ slug, origin }) => `${origin} ${slug}`}
                at={params.at}
                openKey="sources.open"
                onMove={(at) => onParams({ at }, "replace")}
                onOpen={({ slug, origin }) => onParams({ at: `${origin} ${slug}`, show: slug })}
                renderItem={(it, option) => <SourceRow source={it} option={option} />}
              />
              <PaneFoot>
                {plural(sources.length, "source")}. Agents call one only after you switched it on
                for their session. Run qm source templates to add one from a template.
              </PaneFoot>
            </>
          )
        }}
      </Loaded>
    </Pane>
  )
}

const COLUMNS = {
  full: "14px 168px minmax(0, 1fr) 112px 104px",
  tight: "14px 152px minmax(0, 1fr) 104px",
  narrow: "14px minmax(0, 1fr) max-content",
} as const

const HEAD = [
  { text: "" },
  { text: "Source" },
  { text: "Description", from: "roomy" },
  { text: "Origin", from: "wide" },
  { text: "State" },
] as const

type SourceRowProps = { readonly source: Source; readonly option: RowOption }

function SourceRow({ source, option }: SourceRowProps) {
  const { label, mark, tone } = stateOf(source)
  const description = visibleLine(source.description === "" ? source.title : source.description)
  return (
    <Row option={option}>
      <StatusMark status={mark} />
      <Stack>
        <NameCell>
          <Text cut title={visibleLine(source.title)}>
            {source.slug}
          </Text>
        </NameCell>
        <NarrowLine>{description}</NarrowLine>
      </Stack>
      <TextCell from="roomy" tone="2" cut title={description}>
        {description}
      </TextCell>
      <TextCell from="wide" size="sm" tone="2" cut>
        {ORIGINS[source.origin]}
      </TextCell>
      <TextCell size="sm" tone={tone} cut>
        {label}
      </TextCell>
    </Row>
  )
}
