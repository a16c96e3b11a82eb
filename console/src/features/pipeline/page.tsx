import { useMemo, useRef, useState } from "react"
import { visibleLine } from "../../base/format.ts"
import type { PipelineShow } from "../../contract.ts"
import type { PageProps } from "../../data/params.ts"
import { type PipelineParams, paths } from "../../data/paths.ts"
import { useReadOnly } from "../../data/queries.tsx"
import { LoadFailure } from "../../ui/failure/failure.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowSkeleton } from "../../ui/list/list.tsx"
import { Pane } from "../../ui/pane/pane.tsx"
import { Stages } from "../../ui/stages/stages.tsx"
import type { StepsHandle } from "../../ui/steps/steps.tsx"
import { TranscriptFrame } from "../../ui/transcript/transcript.tsx"
import { useFactsPane } from "../../ui/use-facts-pane.ts"
import { useLater } from "../../ui/use-later.ts"
import { ComparePane } from "./compare.tsx"
import { MessageBox } from "./composer.tsx"
import { Facts } from "./facts.tsx"
import { PipelineHeader } from "./header.tsx"
import { sectionId } from "./section-view.tsx"
import { buildSections } from "./sections.ts"
import { StepsPane } from "./steps-pane.tsx"
import { usePipeline, usePipelineWrites } from "./use-pipeline.ts"
import { dotsOf, startOf, unitsOf } from "./words.ts"

export type PipelinePageProps = PageProps<PipelineParams> & {
  readonly id: string
  readonly areFactsHidden: boolean
  onToggleFacts(): void
}

export function PipelinePage(props: PipelinePageProps) {
  const { id } = props
  const { data, error, isPending, refetch } = usePipeline(id)
  if (data !== undefined) return <KnownPipeline {...props} shown={data} />
  return (
    <>
      <Header
        isDetail
        title={visibleLine(id)}
        parent={{ label: "Pipelines", href: paths.pipelines() }}
      />
      <Pane label="Pipeline">
        {isPending ? <RowSkeleton rows={8} /> : null}
        <LoadFailure size="page" error={error} missing={MISSING} onRetry={() => void refetch()} />
      </Pane>
    </>
  )
}

const MISSING = {
  code: "PIPELINE_UNKNOWN",
  text: "No run in this repository has this id.",
  all: "All pipelines",
  href: paths.pipelines(),
} as const

const loadRerun = async () => (await import("./rerun.tsx")).Rerun

function KnownPipeline(props: PipelinePageProps & { readonly shown: PipelineShow }) {
  const { shown, now, params, onParams } = props
  const { run, events } = shown
  const isReadOnly = useReadOnly()
  const story = useMemo(() => buildSections(events), [events])
  const writes = usePipelineWrites(run)
  const facts = useFactsPane(props)
  const steps = useRef<StepsHandle>(null)
  const [isRerunning, setIsRerunning] = useState(false)
  const { part: Rerun, want: wantRerun } = useLater(loadRerun)
  const leave = leaves(params, onParams)
  useKey("leave", leave)
  const showStage = (stage: number) => {
    const section = story.sections.findLast((it) => it.stage === stage)
    if (section === undefined) return
    onParams({ at: section.key, compare: false }, "replace")
    steps.current?.reveal(sectionId(section.key))
  }
  const selected = story.sections.find((it) => it.key === params.at)
  return (
    <>
      <PipelineHeader
        run={run}
        isReadOnly={isReadOnly}
        isComparing={params.compare}
        areFactsShown={facts.isShown}
        writes={writes}
        onCompare={() => onParams(params.compare ? NOT_COMPARED : { compare: true })}
        onRerun={() => wantRerun(() => setIsRerunning(true))}
        onFacts={facts.toggle}
      />
      <TranscriptFrame
        beside={
          facts.isShown ? (
            <Facts run={run} events={events} now={now} onClose={facts.toggle} />
          ) : null
        }
        isBeside={facts.isShown}
        width={facts.width}
      >
        <Pane label="Pipeline">
          <Stages
            label="Stages"
            stages={dotsOf(run, startOf(events))}
            units={unitsOf(run)}
            onPick={showStage}
          />
          {params.compare ? (
            <ComparePane run={run} now={now} params={params} onParams={onParams} />
          ) : (
            <StepsPane
              {...{ run, story, now, isReadOnly, writes, params, onParams }}
              handle={steps}
            />
          )}
          <MessageBox run={run} isReadOnly={isReadOnly} writes={writes} />
        </Pane>
      </TranscriptFrame>
      {Rerun === undefined || !isRerunning ? null : (
        <Rerun
          run={run}
          stage={selected?.stage ?? run.stage ?? 0}
          onClose={() => setIsRerunning(false)}
        />
      )}
    </>
  )
}

const NOT_COMPARED: Partial<PipelineParams> = { compare: false, other: "", open: [] }

function leaves({ compare, at }: PipelineParams, onParams: PipelinePageProps["onParams"]) {
  if (compare) return () => onParams(NOT_COMPARED, "replace")
  return at === "" ? undefined : () => onParams({ at: "" }, "replace")
}
