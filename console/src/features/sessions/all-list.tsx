import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import { toWireError } from "../../base/errors.ts"
import { formatExact, plural, type SessionsList } from "../../contract.ts"
import { useImportSessions } from "../../data/actions/use-import-sessions.ts"
import { useSettled } from "../../data/clock.ts"
import { keys } from "../../data/keys.ts"
import { navigate } from "../../data/location.ts"
import type { PageProps } from "../../data/params.ts"
import { paths, type SessionsParams } from "../../data/paths.ts"
import { shownStatus, usePausedSessions } from "../../data/paused-sessions.ts"
import { useClient, useReadOnly } from "../../data/queries.tsx"
import { CollectionList, type ListRef, NoMatch } from "../../ui/collection/collection.tsx"
import { Empty } from "../../ui/empty/empty.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { RowSkeleton, TableHead } from "../../ui/list/list.tsx"
import { PaneFoot } from "../../ui/pane/pane.tsx"
import { linesByDay, linesOfSearch, mergeSessions } from "./entries.ts"
import { ImportOffer } from "./import-offer.tsx"
import { GroupRow, SESSION_COLUMNS, SESSION_HEAD, SessionRow } from "./session-row.tsx"
import { useFilter, useIndexed, useRuns, useSessions } from "./use-sessions.ts"

const MOST_HITS = 100

function useEntries(params: SessionsParams) {
  const indexed = useIndexed(params)
  const { data: runs } = useRuns()
  const { data: ledger } = useSessions()
  const paused = usePausedSessions()
  const entries = useMemo(() => {
    const all = mergeSessions({
      indexed: indexed.data?.sessions ?? [],
      runs: (runs?.runs ?? []).map((it) => ({ ...it, status: shownStatus(it, paused) })),
      live: ledger?.live ?? [],
    })
    // Runs and hook reports are of this repository; the server filtered the transcripts.
    return all.filter((it) => params.host === null || it.host === params.host)
  }, [indexed.data, runs, ledger, paused, params.host])
  return { indexed, entries }
}

/** Typing pauses before the server searches. */
const SETTLE_MS = 120

function useSearch(params: SessionsParams) {
  const client = useClient()
  const query = useSettled(params.text.trim(), SETTLE_MS)
  const input = { ...useFilter(params), query, limit: MOST_HITS }
  return useQuery({
    queryKey: keys.operation("sessions.search", input),
    queryFn: ({ signal }) => client.read("sessions.search", input, { signal }),
    enabled: HAS_WORD.test(query),
    placeholderData: keepPreviousData,
  })
}

/** The server refuses a search without letters and digits. */
const HAS_WORD = /[\p{L}\p{N}]/u

type AllListProps = PageProps<SessionsParams> & { readonly handle: ListRef }

export function AllList(props: AllListProps) {
  const { now, params, onParams, handle } = props
  const { indexed, entries } = useEntries(params)
  const search = useSearch(params)
  const isReadOnly = useReadOnly()
  const transcripts = useImportSessions()
  const text = params.text.trim()
  const lines = useMemo(
    () =>
      text === ""
        ? linesByDay(entries, now)
        : linesOfSearch(entries, search.data?.hits ?? [], text),
    [entries, search.data, text, now],
  )
  const error = indexed.error ?? (text === "" ? null : search.error)
  const isWaiting = indexed.isPending || (text !== "" && search.isLoading)
  const open = (id: string) => {
    const item = lines.find((it) => it.key === id)
    const isPeek = params.show === id
    if (item?.kind !== "session") return
    const { entry } = item
    if (!isPeek) onParams({ at: id, show: id })
    else if (entry.source === "transcript") navigate(paths.session(id))
    else if (entry.runId !== null) navigate(paths.run(entry.runId))
  }
  return (
    <>
      {indexed.data === undefined ? null : (
        <ImportOffer
          state={indexed.data.import}
          isReadOnly={isReadOnly}
          transcripts={transcripts}
        />
      )}
      {error === null ? null : (
        <Failure
          size="pane"
          error={toWireError(error)}
          onRetry={() => void (indexed.error === null ? search : indexed).refetch()}
        />
      )}
      {isWaiting && error === null && lines.length === 0 ? <RowSkeleton rows={8} /> : null}
      {lines.length === 0 && !isWaiting && error === null ? (
        <Nothing params={params} onParams={onParams} />
      ) : null}
      {lines.length === 0 ? null : (
        <>
          <CollectionList
            ref={handle}
            label="Sessions"
            lines={2}
            wraps
            columns={SESSION_COLUMNS}
            head={<TableHead labels={SESSION_HEAD} />}
            items={lines}
            keyOf={(it) => it.key}
            isHeading={(it) => it.kind === "group"}
            at={params.at}
            openKey="sessions.open"
            onMove={(at) => onParams({ at }, "replace")}
            // The first click selects, the second opens, so that a slip leaves nothing.
            onOpen={({ key }) => open(key)}
            renderItem={(it, option) =>
              it.kind === "group" ? (
                <GroupRow line={it} />
              ) : (
                <SessionRow
                  entry={it.entry}
                  hit={it.hit}
                  words={search.data?.words ?? []}
                  now={now}
                  option={option}
                />
              )
            }
          />
          <Foot list={indexed.data} />
        </>
      )}
    </>
  )
}

function Foot({ list }: { readonly list: SessionsList | undefined }) {
  if (list === undefined || list.total <= list.sessions.length) return null
  return (
    <PaneFoot>
      The newest {formatExact(list.sessions.length)} of {plural(list.total, "transcript")} are
      listed. Search finds all of them.
    </PaneFoot>
  )
}

function Nothing({ params, onParams }: Omit<AllListProps, "now" | "handle">) {
  if (params.text.trim() !== "" || params.host !== null || params.here) {
    return (
      <NoMatch onShowAll={() => onParams({ text: "", host: null, here: false })}>
        {params.text.trim() === "" ? "No session here." : "No line contains all words."}
      </NoMatch>
    )
  }
  return (
    <Empty
      description="Sessions of Claude Code, Codex, Copilot, Gemini and opencode appear here, with what filled their window and what they cost. Index the transcripts of this repository:"
      command="qm sessions import"
    />
  )
}
