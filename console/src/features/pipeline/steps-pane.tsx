import { type ReactNode, useMemo, useState } from "react"
import { toWireError } from "../../base/errors.ts"
import { visible, visibleLine } from "../../base/format.ts"
import { PIPELINE_MARKS } from "../../base/status.ts"
import type { PipelineRun } from "../../contract.ts"
import { useSeconds } from "../../data/clock.ts"
import type { PageProps } from "../../data/params.ts"
import { type PipelineParams, paths } from "../../data/paths.ts"
import { useOperation } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { CopyIcon } from "../../ui/copy/copy.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowNote, RowSkeleton } from "../../ui/list/list.tsx"
import { labelsOf } from "../../ui/markdown/document-labels.ts"
import { LabelsContext } from "../../ui/markdown/labels.ts"
import { Markdown } from "../../ui/markdown/markdown.tsx"
import { Flow, Stack } from "../../ui/pane/pane.tsx"
import { StepEnd, type StepsHandle, StepsScroll, StepText } from "../../ui/steps/steps.tsx"
import { Text } from "../../ui/text/text.tsx"
import { Pause } from "./pause.tsx"
import { SectionView, sectionId } from "./section-view.tsx"
import type { PipelineSections, Section } from "./sections.ts"
import { type PipelineWrites, useWriting } from "./use-pipeline.ts"
import { describeEnd } from "./words.ts"

export type StepsPaneProps = PageProps<PipelineParams> & {
  readonly run: PipelineRun
  readonly story: PipelineSections
  readonly isReadOnly: boolean
  readonly writes: PipelineWrites
  readonly handle: React.RefObject<StepsHandle | null>
}

export function StepsPane(props: StepsPaneProps) {
  const { run, story, params, writes } = props
  const isRunning = run.status === "running"
  const now = useSeconds(isRunning, props.now)
  const writing = useWriting(run.id, isRunning)
  const folds = useFolds(props)
  useSectionKeys(props, folds.toggle)
  const last = story.sections.at(-1)
  return (
    <StepsScroll ref={props.handle} label="Steps" follows={isRunning || run.pause !== null}>
      {story.sections.length === 0 ? <RowNote>Starting.</RowNote> : null}
      {story.sections.map((it) => (
        <SectionView
          key={it.key}
          section={it}
          title={visibleLine(run.stages[it.stage]?.title ?? "")}
          now={now}
          isOpen={folds.isOpen(it)}
          isSelected={it.key === params.at}
          isLive={isRunning && it === last && it.endedAt === null}
          writing={writing}
          isItemOpen={(key) => params.turned.includes(key)}
          onToggle={() => folds.toggle(it)}
          onToggleItem={folds.turn}
        />
      ))}
      {run.pause === null ? null : (
        <Pause
          key={run.pause.pauseId}
          run={run}
          pause={run.pause}
          now={now}
          isReadOnly={props.isReadOnly}
          writes={writes}
        />
      )}
      <End run={run} writes={writes} isReadOnly={props.isReadOnly} />
      {run.hasDocument ? (
        <Document id={run.id}>
          <Talks story={story} />
        </Document>
      ) : (
        <Talks story={story} />
      )}
    </StepsScroll>
  )
}

/**
 * Which sections are open: the latest, and those with a failed check, unless the URL says
 * otherwise. A section that was open stays open, so that nothing collapses while the user reads.
 */
function useFolds({ run, story, params, onParams }: StepsPaneProps) {
  const [everOpen, setSeen] = useState<ReadonlySet<string>>(new Set())
  const open = openByDefault(run, story)
  const missing = open.filter((it) => !everOpen.has(it))
  if (missing.length > 0) setSeen(new Set([...everOpen, ...missing]))
  const turn = (key: string) => {
    const { turned } = params
    const next = turned.includes(key) ? turned.filter((it) => it !== key) : [...turned, key]
    onParams({ turned: next }, "replace")
  }
  return {
    turn,
    isOpen: ({ key }: Section) =>
      (everOpen.has(key) || open.includes(key)) !== params.turned.includes(key),
    toggle: ({ key }: Section) => turn(key),
  }
}

function openByDefault(run: PipelineRun, { sections }: PipelineSections): readonly string[] {
  const last = sections.at(-1)
  if (last === undefined || (run.hasDocument && run.endedAt !== null)) return []
  const failed = sections.filter(
    (it) =>
      it.problems.length > 0 &&
      !sections.some((other) => other.stage === it.stage && other.round > it.round),
  )
  return [...failed.map((it) => it.key), last.key]
}

function useSectionKeys(
  { story, params, handle, onParams }: StepsPaneProps,
  toggle: (it: Section) => void,
) {
  const { sections } = story
  const index = sections.findIndex((it) => it.key === params.at)
  const selected = sections[index]
  const moveTo = (section: Section | undefined) => {
    if (section === undefined) return
    onParams({ at: section.key }, "replace")
    handle.current?.reveal(sectionId(section.key))
  }
  useKey("list.next", () => moveTo(sections[index + 1]))
  useKey("list.previous", () => moveTo(sections[index < 0 ? sections.length - 1 : index - 1]))
  useKey("list.first", () => moveTo(sections[0]))
  useKey("list.last", () => moveTo(sections.at(-1)))
  useKey("pipeline.open", selected === undefined ? undefined : () => toggle(selected))
}

function End({ run, writes, isReadOnly }: Pick<StepsPaneProps, "run" | "writes" | "isReadOnly">) {
  const end = describeEnd(run)
  if (end === undefined) return null
  const canResume = run.status === "interrupted" && !isReadOnly
  return (
    <StepEnd mark={PIPELINE_MARKS[run.status]} {...end}>
      {canResume ? (
        <Button small disabled={writes.isBusy} onPress={() => writes.resume.mutate()}>
          Resume
        </Button>
      ) : null}
    </StepEnd>
  )
}

function Talks({ story }: { readonly story: PipelineSections }) {
  return story.talk.map((it) => (
    <StepText key={it.key} label="Follow-up question">
      <Text as="p" strong wrap>
        {visible(it.message)}
      </Text>
      <Markdown text={it.answer} />
    </StepText>
  ))
}

type DocumentProps = {
  readonly id: string
  /** Rendered with the document, so that nothing moves when it arrives. */
  readonly children: ReactNode
}

function Document({ id, children }: DocumentProps) {
  const { data, error, refetch } = useOperation("pipeline.document", { id })
  const labels = useMemo(
    () => labelsOf(data?.references ?? [], (it) => paths.knowledge({ at: it, show: it })),
    [data],
  )
  if (error !== null) {
    return (
      <>
        <Failure size="pane" error={toWireError(error)} onRetry={() => void refetch()} />
        {children}
      </>
    )
  }
  if (data === undefined) return <RowSkeleton rows={8} />
  return (
    <>
      <StepText label="Document">
        <Stack gap="8">
          <Flow align="apart">
            <Text size="sm" tone={data.isPartial ? "warn" : "3"}>
              {data.isPartial ? `Document, partial: ${visibleLine(data.note ?? "")}` : "Document"}
            </Text>
            <CopyIcon text={data.markdown} label="Copy the document" keyId="pipeline.copy" />
          </Flow>
          <LabelsContext value={labels}>
            <Markdown text={data.markdown} />
          </LabelsContext>
        </Stack>
      </StepText>
      {children}
    </>
  )
}
