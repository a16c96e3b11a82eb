import { useMemo } from "react"
import { truncate } from "#ground/base/truncate"
import { formatExact, type GuardVerdicts, type VerdictKind } from "../../contract.ts"
import { useConnectCommand } from "../../data/actions/use-connect-command.ts"
import { leaveOne, type PageProps, type ParamsProps } from "../../data/params.ts"
import { GUARD_HOURS, GUARD_RULES, type GuardParams } from "../../data/paths.ts"
import { useReadOnly } from "../../data/queries.tsx"
import { useSessionNames } from "../../data/session-names.ts"
import { Button } from "../../ui/button/button.tsx"
import {
  CollectionPage,
  FacetHead,
  FilterHead,
  type ListRef,
  Loaded,
  NoMatch,
  useListRef,
} from "../../ui/collection/collection.tsx"
import { CommandLine, Empty } from "../../ui/empty/empty.tsx"
import { ChoiceField } from "../../ui/field/field.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { MoreFilters, Pane, PaneFoot } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { Detail } from "./detail.tsx"
import { byDay, keyed, matching, VerdictRows } from "./rows.tsx"
import { TryPanel } from "./try-panel.tsx"
import { useCounts, useVerdicts } from "./use-guard.ts"
import { describeCounts, formatHours, totalOf, VERDICT_LOOKS } from "./words.ts"

export function GuardPage({ now, params, onParams }: PageProps<GuardParams>) {
  const shown = useShownCount(params)
  const counts = useCounts({ hours: params.hours, verdict: null, rule: null, session: "" })
  const { trying, show, text } = params
  return (
    <CollectionPage
      name="guard"
      detailPx={480}
      header={
        <Header
          title="Guard"
          facts={
            counts === undefined ? null : (
              <Text as="div" tone="3" cut>
                {describeCounts(counts, params.hours, shown)}
              </Text>
            )
          }
        >
          <Button
            keyId="guard.try"
            icon="shield"
            onPress={() => onParams({ trying: true, show: "" })}
          >
            Test a rule
          </Button>
        </Header>
      }
      list={<ListPane now={now} params={params} onParams={onParams} />}
      detail={trying || show !== "" ? <Beside {...{ now, params, onParams }} /> : null}
      onLeave={leaveOne(
        onParams,
        [trying, { trying: false }],
        [show !== "", { show: "" }],
        [text !== "", { text: "", at: "" }],
      )}
    />
  )
}

/** Without a filter, silent verdicts count as well. */
function useShownCount(params: GuardParams): number | undefined {
  const counts = useCounts(params)
  const { data } = useVerdicts(params)
  const { text, verdict } = params
  if (text !== "") return data && matching(keyed(data.verdicts), text).length
  return counts && (verdict === null ? totalOf(counts) : counts[verdict])
}

function Beside({ now, params, onParams }: PageProps<GuardParams>) {
  const { data } = useVerdicts(params)
  const isReadOnly = useReadOnly()
  const rows = useMemo(() => keyed(data?.verdicts ?? []), [data])
  if (params.trying) return <TryPanel {...{ now, params, isReadOnly, onParams }} />
  const line = rows.find(({ key }) => key === params.show)?.line
  return <Detail key={params.show} {...{ now, line, isReadOnly, onParams }} />
}

type GuardListProps = PageProps<GuardParams> & { readonly handle: ListRef }

function ListPane(props: PageProps<GuardParams>) {
  const { params } = props
  const handle = useListRef()
  const verdicts = useVerdicts(params)
  return (
    <Pane label="Verdicts">
      <Filters {...props} handle={handle} />
      <VerdictFacets {...props} counts={useCounts(params)} />
      <Loaded query={verdicts} rows={12}>
        {(list) => <Verdicts {...props} handle={handle} list={list} />}
      </Loaded>
    </Pane>
  )
}

function Filters({ params, handle, onParams }: GuardListProps) {
  const nameOf = useSessionNames()
  return (
    <FilterHead
      label="Filter by path, text or tool"
      text={params.text}
      list={handle}
      onText={(text) => onParams({ text, at: "" }, "replace")}
      actions={
        <MoreFilters isActive={params.rule !== null || params.hours !== 24}>
          <ChoiceField
            small
            label="Time range"
            choices={HOURS}
            value={String(params.hours)}
            onPick={(value) => onParams({ ...hoursOf(value), ...UNSELECTED }, "replace")}
          />
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
        </MoreFilters>
      }
    >
      {params.session === "" ? null : (
        <Button small icon="close" onPress={() => onParams({ session: "", ...UNSELECTED })}>
          Session {truncate(nameOf(params.session), MOST_OF_A_NAME)}
        </Button>
      )}
    </FilterHead>
  )
}

const MOST_OF_A_NAME = 24
const UNSELECTED = { at: "", show: "" } as const

const RULES = [
  { value: "", label: "All rules" },
  ...GUARD_RULES.map((value) => ({ value, label: value })),
]
const HOURS = GUARD_HOURS.map((it) => ({ value: String(it), label: formatHours(it) }))

function hoursOf(value: string): Partial<GuardParams> {
  const hours = GUARD_HOURS.find((it) => String(it) === value)
  return hours === undefined ? {} : { hours }
}

const IN_ORDER: readonly VerdictKind[] = [
  "deny",
  "block",
  "ask",
  "warn",
  "override",
  "context",
  "silent",
]

type VerdictFacetsProps = PageProps<GuardParams> & {
  readonly counts: GuardVerdicts["counts"] | undefined
}

function VerdictFacets({ params, counts, onParams }: VerdictFacetsProps) {
  const offered = IN_ORDER.filter((it) => it === params.verdict || (counts?.[it] ?? 0) > 0)
  return (
    <FacetHead
      label="Verdict"
      keyId="guard.verdict"
      facets={[
        {
          value: "" as const,
          label: "Reported",
          count: counts && formatExact(totalOf(counts) - counts.silent),
        },
        ...offered.map((value) => ({
          value,
          label: VERDICT_LOOKS[value].label,
          count: counts && formatExact(counts[value]),
        })),
      ]}
      active={params.verdict ?? ""}
      onPick={(value) =>
        onParams({ verdict: value === "" ? null : value, ...UNSELECTED }, "replace")
      }
    />
  )
}

function Verdicts(props: GuardListProps & { readonly list: GuardVerdicts }) {
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
          listed. Filter by rule, session or verdict to see older ones.
        </PaneFoot>
      ) : null}
    </>
  )
}

function Nothing({ params, onParams }: ParamsProps<GuardParams>) {
  const { text, verdict, rule, session, hours } = params
  const silent = useCounts(params)?.silent ?? 0
  const command = useConnectCommand()
  if (text === "" && verdict === null && silent > 0) {
    return (
      <NoMatch verb="Show silent verdicts" onShowAll={() => onParams({ verdict: "silent" })}>
        No hook reported anything in {formatHours(hours)}; {formatExact(silent)} verdicts were
        silent.
      </NoMatch>
    )
  }
  if (text !== "" || verdict !== null || rule !== null || session !== "") {
    return (
      <NoMatch
        onShowAll={() => onParams({ text: "", verdict: null, rule: null, session: "", at: "" })}
      >
        No verdict of {formatHours(hours)} matches.
      </NoMatch>
    )
  }
  const isWhole = hours === 720
  return (
    <Empty
      description={`This page lists what the hooks of the kit reported about edits, session starts and stops. No hook ran in ${formatHours(hours)}. Connect an agent; the command first shows what it would write:`}
    >
      <CommandLine command={command}>
        {isWhole ? null : (
          <Button small onPress={() => onParams({ hours: 720 })}>
            Show 30 days
          </Button>
        )}
      </CommandLine>
    </Empty>
  )
}
