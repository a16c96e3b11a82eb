import { visibleLine } from "../../base/format.ts"
import { isOpen } from "../../base/status.ts"
import type { PipelineRun } from "../../contract.ts"
import { paths } from "../../data/paths.ts"
import { Button, IconButton } from "../../ui/button/button.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { MoreFilters, OnlyWide } from "../../ui/pane/pane.tsx"
import { PlaceLink, Text } from "../../ui/text/text.tsx"
import { useWasTrue } from "../../ui/use-was-true.ts"
import type { PipelineWrites } from "./use-pipeline.ts"

type PipelineHeaderProps = {
  readonly run: PipelineRun
  readonly isReadOnly: boolean
  readonly isComparing: boolean
  readonly areFactsShown: boolean
  readonly writes: PipelineWrites
  onCompare(): void
  onRerun(): void
  onFacts(): void
}

export function PipelineHeader(props: PipelineHeaderProps) {
  const { run, isReadOnly, writes } = props
  const isAtWork = isOpen(run.status)
  const keepsStop = useWasTrue(isAtWork)
  return (
    <Header
      parent={{ label: "Pipelines", href: paths.pipelines() }}
      isDetail
      title={visibleLine(run.title)}
      facts={<Names run={run} />}
    >
      <MoreFilters bare>
        <Button
          variant="ghost"
          keyId="pipeline.compare"
          pressed={props.isComparing}
          onPress={props.onCompare}
        >
          Compare
        </Button>
        <Button
          variant="ghost"
          keyId="pipeline.rerun"
          disabled={isReadOnly}
          onPress={props.onRerun}
        >
          Re-run from here
        </Button>
      </MoreFilters>
      <IconButton
        icon="panel"
        label={props.areFactsShown ? "Hide cost and details" : "Show cost and details"}
        keyId="panel.right"
        pressed={props.areFactsShown}
        onPress={props.onFacts}
      />
      {keepsStop && !isReadOnly ? (
        <Button
          variant="danger"
          icon="stop"
          shrinks
          disabled={!isAtWork || writes.stop.isPending}
          onPress={() => writes.stop.mutate()}
        >
          Stop
        </Button>
      ) : null}
    </Header>
  )
}

function Names({ run }: { readonly run: PipelineRun }) {
  return (
    <OnlyWide>
      <Text as="div" tone="3" cut>
        <PlaceLink href={paths.recipes({ at: run.agent, show: run.agent })}>{run.agent}</PlaceLink>{" "}
        <Text mono>{run.id}</Text>
      </Text>
    </OnlyWide>
  )
}
