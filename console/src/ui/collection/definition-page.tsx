import type { ReactNode } from "react"
import { visibleLine } from "../../base/format.ts"
import type { Status } from "../../base/status.ts"
import { plural } from "../../contract.ts"
import { Header } from "../frame/frame.tsx"
import { NameCell, NarrowLine, Row, type RowOption, TableHead, TextCell } from "../list/list.tsx"
import { Pane, PaneFoot, Stack } from "../pane/pane.tsx"
import { StatusMark } from "../status-mark/status-mark.tsx"
import { Text } from "../text/text.tsx"
import {
  CollectionList,
  CollectionPage,
  FilterHead,
  Loaded,
  type LoadedQuery,
  NoMatch,
  useListRef,
} from "./collection.tsx"

/** A row of a list of files that define something: its name, use, origin and state. */
export type DefinitionLine = {
  readonly key: string
  /** The value of `show` in the address while the row is open. */
  readonly show: string
  readonly mark: Status
  readonly name: string
  readonly title: string
  readonly description: string
  readonly origin: string
  readonly state: { readonly label: string; readonly tone: "2" | "warn" | "bad" }
}

type Params = { readonly at: string; readonly text: string; readonly show: string }

type DefinitionPageProps<Data> = {
  readonly name: string
  readonly title: string
  readonly noun: string
  readonly columns: Readonly<Record<"name" | "use" | "origin" | "state", string>>
  readonly openKey: string
  readonly query: LoadedQuery<Data>
  readonly params: Params
  readonly above?: ReactNode
  readonly detail: ReactNode
  readonly empty?: ReactNode
  linesOf(data: NoInfer<Data>): readonly DefinitionLine[]
  foot(data: NoInfer<Data>, count: number): string
  onParams(changes: Partial<Params>, how?: "replace"): void
}

/** A list of definitions with a filter, and the opened one beside it. */
export function DefinitionPage<Data>(props: DefinitionPageProps<Data>) {
  const { params, onParams, detail, name, title, noun, query } = props
  const leave = () => onParams(params.show === "" ? { text: "", at: "" } : { show: "" })
  return (
    <CollectionPage
      name={name}
      detailPx={520}
      header={
        <Header
          title={title}
          facts={
            query.data === undefined ? null : (
              <Text tone="3">{plural(props.linesOf(query.data).length, noun)}</Text>
            )
          }
        />
      }
      list={<ListPane {...props} />}
      detail={detail}
      onLeave={params.show === "" && params.text === "" ? undefined : leave}
    />
  )
}

function ListPane<Data>(props: DefinitionPageProps<Data>) {
  const { title, noun, columns, query, params, onParams } = props
  const handle = useListRef()
  const words = params.text.trim().toLowerCase()
  return (
    <Pane label={title}>
      <FilterHead
        label="Filter by words"
        text={params.text}
        list={handle}
        onText={(text) => onParams({ text, at: "" }, "replace")}
      />
      {props.above}
      <Loaded query={query} rows={6}>
        {(data) => {
          const all = props.linesOf(data)
          if (all.length === 0 && props.empty !== undefined) return props.empty
          const lines = all.filter((it) => wordsOf(it).includes(words))
          if (lines.length === 0) {
            return (
              <NoMatch onShowAll={() => onParams({ text: "" }, "replace")}>
                No {noun} matches.
              </NoMatch>
            )
          }
          return (
            <>
              <CollectionList
                ref={handle}
                label={title}
                columns={COLUMNS}
                head={
                  <TableHead
                    labels={[
                      { text: "" },
                      { text: columns.name },
                      { text: columns.use, from: "roomy" },
                      { text: columns.origin, from: "wide" },
                      { text: columns.state },
                    ]}
                  />
                }
                items={lines}
                keyOf={({ key }) => key}
                at={params.at || (lines.find((it) => it.show === params.show)?.key ?? "")}
                openKey={props.openKey}
                onMove={(at) => onParams({ at }, "replace")}
                onOpen={({ key, show }) => onParams({ at: key, show })}
                renderItem={(it, option) => <DefinitionRow line={it} option={option} />}
              />
              <PaneFoot>{props.foot(data, lines.length)}</PaneFoot>
            </>
          )
        }}
      </Loaded>
    </Pane>
  )
}

const wordsOf = (it: DefinitionLine): string =>
  `${it.name} ${it.title} ${it.state.label} ${it.origin} ${it.description}`.toLowerCase()

const COLUMNS = {
  full: "14px 176px minmax(0, 1fr) 128px 104px",
  tight: "14px 152px minmax(0, 1fr) 104px",
  narrow: "14px minmax(0, 1fr) max-content",
} as const

type DefinitionRowProps = { readonly line: DefinitionLine; readonly option: RowOption }

function DefinitionRow({ line, option }: DefinitionRowProps) {
  const description = visibleLine(line.description)
  return (
    <Row option={option}>
      <StatusMark status={line.mark} />
      <Stack>
        <NameCell>
          <Text cut title={visibleLine(line.title)}>
            {visibleLine(line.name)}
          </Text>
        </NameCell>
        <NarrowLine>{description}</NarrowLine>
      </Stack>
      <TextCell from="roomy" tone="2" cut title={description}>
        {description}
      </TextCell>
      <TextCell from="wide" size="sm" tone="2" cut title={visibleLine(line.origin)}>
        {visibleLine(line.origin)}
      </TextCell>
      <TextCell size="sm" tone={line.state.tone} cut>
        {line.state.label}
      </TextCell>
    </Row>
  )
}
