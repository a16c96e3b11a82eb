import { useMemo, useRef } from "react"
import { toWireError } from "../../base/errors.ts"
import { shortSession } from "../../base/format.ts"
import { formatExact, type GuardVerdicts, type VerdictKind } from "../../contract.ts"
import { GUARD_HOURS, GUARD_RULES, GUARD_VERDICTS, type GuardParams } from "../../data/paths.ts"
import { Button } from "../../ui/button/button.tsx"
import { CommandLine, Empty } from "../../ui/empty/empty.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { ChoiceField, FilterField } from "../../ui/field/field.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowNote, RowSkeleton } from "../../ui/list/list.tsx"
import type { VirtualListHandle } from "../../ui/list/virtual-list.tsx"
import { OnlyRoomy, Pane, PaneFoot, PaneHead } from "../../ui/pane/pane.tsx"
import { Facets } from "../../ui/tabs/tabs.tsx"
import { byDay, keyed, matching } from "./lines.ts"
import { VerdictRows } from "./rows.tsx"
import { useCounts, useVerdicts } from "./use-guard.ts"
import { sayHours, totalOf, VERDICT_LOOKS } from "./words.ts"

type ListPaneProps = {
  readonly now: number
  readonly params: GuardParams
  onParams(change: Partial<GuardParams>, how?: "push" | "replace"): void
}

/** Every verdict of the time, or those of a rule, a session and a kind. */
export function ListPane({ now, params, onParams }: ListPaneProps) {
  const handle = useRef<VirtualListHandle>(null)
  const { data, error, refetch } = useVerdicts(params)
  const counts = useCounts(params, data)
  return (
    <Pane label="Verdicts">
      <Filters params={params} handle={handle} onParams={onParams} />
      <VerdictFacets params={params} counts={counts} onParams={onParams} />
      {error === null ? null : (
        <Failure size="pane" error={toWireError(error)} onRetry={() => void refetch()} />
      )}
      {error === null && data === undefined ? <RowSkeleton rows={12} /> : null}
      {data === undefined ? null : (
        <Listed now={now} params={params} handle={handle} list={data} onParams={onParams} />
      )}
    </Pane>
  )
}

type Handled = { readonly handle: React.RefObject<VirtualListHandle | null> }

function Filters({ params, handle, onParams }: Omit<ListPaneProps, "now"> & Handled) {
  return (
    <PaneHead
      edge="page"
      actions={
        <>
          <OnlyRoomy>
            <ChoiceField
              small
              label="How far back"
              choices={HOURS}
              value={String(params.hours)}
              onPick={(value) => onParams({ ...hoursOf(value), ...UNSELECTED }, "replace")}
            />
          </OnlyRoomy>
          <ChoiceField
            small
            label="Rule"
            choices={RULES}
            value={params.rule ?? ""}
            onPick={(value) => {
              const rule = GUARD_RULES.find((it) => it === value) ?? null
              onParams({ rule, ...UNSELECTED }, "replace")
            }}
          />
        </>
      }
    >
      <FilterField
        label="Filter by path, text or tool"
        value={params.text}
        onChange={(text) => onParams({ text, at: "" }, "replace")}
        onLeave={() => handle.current?.focus()}
      />
      {params.session === "" ? null : (
        <Button small icon="close" onPress={() => onParams({ session: "", ...UNSELECTED })}>
          Session {shortSession(params.session).slice(0, MOST_OF_A_NAME)}
        </Button>
      )}
    </PaneHead>
  )
}

/** What is in a button; the whole stands in the detail. */
const MOST_OF_A_NAME = 16
/** Another list: what was selected may not be in it. */
const UNSELECTED = { at: "", show: "" } as const

const RULES = [
  { value: "", label: "All rules" },
  ...GUARD_RULES.map((value) => ({ value, label: value })),
]
const HOURS = GUARD_HOURS.map((it) => ({ value: String(it), label: sayHours(it) }))

function hoursOf(value: string): Partial<GuardParams> {
  const hours = GUARD_HOURS.find((it) => String(it) === value)
  return hours === undefined ? {} : { hours }
}

const IN_ORDER: readonly VerdictKind[] = ["deny", "block", "warn", "override", "context", "silent"]

type VerdictFacetsProps = Omit<ListPaneProps, "now"> & {
  readonly counts: GuardVerdicts["counts"] | undefined
}

/** What was refused stands first; what was never said is not offered. */
function VerdictFacets({ params, counts, onParams }: VerdictFacetsProps) {
  const offered = IN_ORDER.filter((it) => it === params.verdict || (counts?.[it] ?? 0) > 0)
  const facets = [
    { value: "", label: "All", count: counts && formatExact(totalOf(counts)) },
    ...offered.map((value) => ({
      value,
      label: VERDICT_LOOKS[value].word,
      count: counts && formatExact(counts[value]),
    })),
  ]
  const pick = (value: string) => {
    const verdict = GUARD_VERDICTS.find((it) => it === value) ?? null
    onParams({ verdict, ...UNSELECTED }, "replace")
  }
  const at = facets.findIndex((it) => it.value === (params.verdict ?? ""))
  useKey("guard.verdict", () => pick(facets[(at + 1) % facets.length]?.value ?? ""))
  return (
    <PaneHead edge="page">
      <Facets label="Verdict" facets={facets} active={params.verdict ?? ""} onPick={pick} />
    </PaneHead>
  )
}

function Listed(props: ListPaneProps & Handled & { readonly list: GuardVerdicts }) {
  const { now, list, params, onParams } = props
  const rows = useMemo(() => matching(keyed(list.verdicts), params.text), [list, params.text])
  const lines = useMemo(() => byDay(rows, now), [rows, now])
  if (rows.length === 0) return <Nothing params={params} onParams={onParams} />
  return (
    <>
      <VerdictRows {...props} lines={lines} />
      {list.isCut ? (
        <PaneFoot>
          The newest {formatExact(list.verdicts.length)} of {formatExact(totalOf(list.counts))} are
          listed. A rule, a session or a verdict shows older ones.
        </PaneFoot>
      ) : null}
    </>
  )
}

function Nothing({ params, onParams }: Omit<ListPaneProps, "now">) {
  const { text, verdict, rule, session, hours } = params
  if (text !== "" || verdict !== null || rule !== null || session !== "") {
    return (
      <RowNote>
        No verdict of {sayHours(hours)} fits.
        <Button
          small
          onPress={() => onParams({ text: "", verdict: null, rule: null, session: "", at: "" })}
        >
          Show all
        </Button>
      </RowNote>
    )
  }
  const isWhole = hours === 720
  return (
    <Empty
      says={`Each time a hook of the kit is asked about an edit, a start or a stop, what it said will be a line here. None was asked in ${sayHours(hours)}. The kit is installed by one command, which first shows what it would write.`}
    >
      <CommandLine command="qm init">
        {isWhole ? null : (
          <Button small onPress={() => onParams({ hours: 720 })}>
            Look at 30 days
          </Button>
        )}
      </CommandLine>
    </Empty>
  )
}
