import { formatUsd } from "#ground/base/format"
import { toWireError } from "../../base/errors.ts"
import { formatWhen, visibleLine } from "../../base/format.ts"
import { PIPELINE_WORDS } from "../../base/status.ts"
import { type PipelineCompare, type PipelineLine, type PipelineRun } from "../../contract.ts"
import type { PageProps } from "../../data/params.ts"
import { type PipelineParams, paths } from "../../data/paths.ts"
import { useOperation } from "../../data/queries.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { RowNote, RowSkeleton } from "../../ui/list/list.tsx"
import { ChoiceMenu } from "../../ui/menu/menu.tsx"
import { OnlyWide, PaneHead, PaneScroll } from "../../ui/pane/pane.tsx"
import { SideBySide } from "../../ui/side-by-side/side-by-side.tsx"
import { StepGroup } from "../../ui/steps/steps.tsx"
import { PlaceLink, Text } from "../../ui/text/text.tsx"
import { join } from "./words.ts"

type ComparePaneProps = PageProps<PipelineParams> & {
  readonly run: PipelineRun
}

const MOST_RUNS = 500

export function ComparePane({ run, now, params, onParams }: ComparePaneProps) {
  const list = useOperation("pipeline.list", { agent: run.agent, limit: MOST_RUNS })
  const others = (list.data?.runs ?? []).filter((it) => it.id !== run.id)
  const other = params.other || (run.from?.run ?? others[0]?.id ?? "")
  const compared = useOperation(
    "pipeline.compare",
    { id: run.id, other },
    { isEnabled: other !== "" },
  )
  const error = list.error ?? compared.error
  return (
    <>
      <PaneHead edge="page">
        <Text size="sm" tone="2">
          {run.id} and
        </Text>
        <OtherMenu
          now={now}
          id={other}
          runs={others}
          onPick={(it) => onParams({ other: it, open: [] }, "replace")}
        />
        {compared.data === undefined ? null : (
          <OnlyWide>
            <Text as="div" size="sm" tone="2" cut>
              {describeCompared(compared.data)}
            </Text>
          </OnlyWide>
        )}
      </PaneHead>
      {error === null ? null : (
        <Failure
          size="pane"
          error={toWireError(error)}
          onRetry={() => void Promise.all([list.refetch(), compared.refetch()])}
        />
      )}
      {list.data !== undefined && other === "" ? (
        <RowNote>No other run of {run.agent} to compare with.</RowNote>
      ) : null}
      {compared.isFetching && compared.data === undefined ? <RowSkeleton rows={6} /> : null}
      {compared.data === undefined ? null : (
        <PaneScroll>
          <Stages compared={compared.data} params={params} onParams={onParams} />
        </PaneScroll>
      )}
    </>
  )
}

type OtherMenuProps = {
  readonly now: number
  readonly id: string
  readonly runs: readonly PipelineLine[]
  onPick(id: string): void
}

function OtherMenu({ now, id, runs, onPick }: OtherMenuProps) {
  return (
    <ChoiceMenu
      label={`Compared with: ${id === "" ? "nothing" : id}`}
      choices={runs.map((it) => ({
        value: it.id,
        label: visibleLine(it.title),
        detail: `${it.id}, ${PIPELINE_WORDS[it.status]}, ${formatWhen(it.createdAt, now)}`,
      }))}
      value={id}
      onPick={onPick}
    >
      {id === "" ? "choose" : id}
    </ChoiceMenu>
  )
}

export function describeCompared({ stages }: Pick<PipelineCompare, "stages">): string {
  const same = stages.filter((it) => it.isSame).length
  if (same === stages.length) return "all stages gave the same result"
  const alone = stages.filter((it) => it.left === null || it.right === null).length
  const differ = stages.length - same - alone
  return join(
    differ === 1 ? "1 stage differs" : `${differ} stages differ`,
    `${same} identical`,
    alone === 0 ? "" : `${alone} reached by one run only`,
  )
}

type StagesProps = Pick<ComparePaneProps, "params" | "onParams"> & {
  readonly compared: PipelineCompare
}

function Stages({ compared, params, onParams }: StagesProps) {
  const turn = (name: string) => {
    const { open } = params
    const next = open.includes(name) ? open.filter((it) => it !== name) : [...open, name]
    onParams({ open: next }, "replace")
  }
  return compared.stages.map((it) => (
    <StepGroup
      key={it.name}
      id={`compare-${it.name}`}
      title={visibleLine(it.title)}
      description={it.isSame ? "identical" : describeDifference(it)}
      aside=""
      isOpen={it.isSame === params.open.includes(it.name)}
      isSelected={false}
      onToggle={() => turn(it.name)}
    >
      <SideBySide left={sideOf(compared.left, it.left)} right={sideOf(compared.right, it.right)} />
    </StepGroup>
  ))
}

type Stage = PipelineCompare["stages"][number]

function describeDifference({ left, right }: Stage): string {
  if (left === null || right === null) return "only one run reached this stage"
  return join(
    "different output",
    left.rounds === right.rounds ? "" : `${left.rounds} and ${right.rounds} rounds`,
    left.usd === right.usd ? "" : `${formatUsd(left.usd)} and ${formatUsd(right.usd)}`,
  )
}

function sideOf(run: PipelineLine, stage: Stage["left"]) {
  return {
    title: <PlaceLink href={paths.pipeline(run.id)}>{run.id}</PlaceLink>,
    description:
      stage === null ? "The run did not reach this stage." : visibleLine(stage.summary ?? ""),
    text: stage?.output ?? "",
  }
}
