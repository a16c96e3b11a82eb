import { useInfiniteQuery } from "@tanstack/react-query"
import { type ReactNode, useMemo } from "react"
import { toWireError } from "../../base/errors.ts"
import { capText, formatMoment, formatWhen } from "../../base/format.ts"
import { formatBytes, formatExact } from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import { useClient, useOperation } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { Code } from "../../ui/code/code.tsx"
import { CollectionList, FilterHead, NoMatch, useListRef } from "../../ui/collection/collection.tsx"
import { CopyIcon } from "../../ui/copy/copy.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { RowNote, RowSkeleton } from "../../ui/list/list.tsx"
import { Block, DetailHead, Pane, PaneScroll, Value, Values } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { describeLine, LINE_COLUMNS, LineRow } from "./line-row.tsx"
import type { SessionPageProps } from "./page.tsx"

const PAGE_LINES = 500
/** The list stays usable; search finds what is beyond it. */
const MOST_PAGES = 20

export function TranscriptTab({ id, params, onParams }: SessionPageProps) {
  const client = useClient()
  const query = useInfiniteQuery({
    queryKey: [...keys.operation("sessions.lines", { session: id, limit: PAGE_LINES }), "pages"],
    queryFn: ({ pageParam, signal }) =>
      client.read(
        "sessions.lines",
        { session: id, after: pageParam, limit: PAGE_LINES },
        { signal },
      ),
    initialPageParam: 0,
    getNextPageParam: (last) => last.next,
  })
  const handle = useListRef()
  const lines = useMemo(() => query.data?.pages.flatMap((it) => it.lines) ?? [], [query.data])
  const words = params.find.trim().toLowerCase()
  const shown = useMemo(
    () => (words === "" ? lines : lines.filter((it) => it.text.toLowerCase().includes(words))),
    [lines, words],
  )
  const canLoad = query.hasNextPage && (query.data?.pages.length ?? 0) < MOST_PAGES
  if (query.error !== null) {
    return (
      <Failure size="pane" error={toWireError(query.error)} onRetry={() => void query.refetch()} />
    )
  }
  if (query.data === undefined) return <RowSkeleton rows={12} />
  if (lines.length === 0) return <RowNote>The transcript has no text.</RowNote>
  return (
    <>
      <FilterHead
        label="Find in the transcript"
        text={params.find}
        list={handle}
        onText={(find) => onParams({ find }, "replace")}
      />
      {shown.length === 0 ? (
        <NoMatch onShowAll={() => onParams({ find: "" }, "replace")}>
          No listed line contains this text.
        </NoMatch>
      ) : null}
      <CollectionList
        ref={handle}
        label="Transcript"
        columns={LINE_COLUMNS}
        items={shown}
        keyOf={(it) => String(it.id)}
        at={params.line === null ? "" : String(params.line)}
        onMove={(key) => onParams({ line: Number(key) }, "replace")}
        onOpen={(it) => onParams({ line: it.id })}
        renderItem={(line, option) => <LineRow line={line} option={option} />}
      />
      {query.hasNextPage ? (
        <RowNote>
          {canLoad
            ? `${formatExact(lines.length)} lines are listed.`
            : `The first ${formatExact(lines.length)} lines are listed. Search finds the rest.`}
          {canLoad ? (
            <Button
              small
              disabled={query.isFetchingNextPage}
              onPress={() => void query.fetchNextPage()}
            >
              List more
            </Button>
          ) : null}
        </RowNote>
      ) : null}
    </>
  )
}

type LineDetailProps = {
  readonly session: string
  readonly line: number
  readonly now: number
  onClose(): void
  /** Below the text, about the line's turn. */
  children(turn: number): ReactNode
}

export function LineDetail({ session, line: id, now, onClose, children }: LineDetailProps) {
  const { data, error } = useOperation("sessions.lines", { session, after: id - 1, limit: 1 })
  const line = data?.lines.find((it) => it.id === id)
  return (
    <Pane label="The line">
      <DetailHead
        back="Back to the session"
        {...(line === undefined
          ? {}
          : { actions: <CopyIcon text={line.text} label="Copy the text" /> })}
        onClose={onClose}
      >
        <Text as="h2" strong cut>
          {line === undefined ? "Line" : describeLine(line)}
        </Text>
      </DetailHead>
      {error === null ? null : <Failure size="pane" error={toWireError(error)} />}
      {data !== undefined && line === undefined ? (
        <RowNote>This line is not in the session.</RowNote>
      ) : null}
      {line === undefined ? null : (
        <PaneScroll>
          <Block>
            <Values>
              <Value name="Turn">{formatExact(line.turn)}</Value>
              <Value name="Written" title={formatMoment(line.at)}>
                {formatWhen(line.at, now)}
              </Value>
              <Value name="Tokens">
                about {formatExact(line.tokens)}, {formatBytes(line.sizeBytes)}
              </Value>
            </Values>
          </Block>
          <Code text={capText(line.text)} label="Text of the line" />
        </PaneScroll>
      )}
      {line === undefined ? null : children(line.turn)}
    </Pane>
  )
}
