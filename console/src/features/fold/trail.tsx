import { formatMinutes } from "../../base/format.ts"
import { type FoldShow, formatCount, plural, type TrailEntry } from "../../contract.ts"
import type { ParamsProps } from "../../data/params.ts"
import type { FoldParams } from "../../data/paths.ts"
import { IconButton } from "../../ui/button/button.tsx"
import { Code } from "../../ui/code/code.tsx"
import { CopyButton, CopyIcon } from "../../ui/copy/copy.tsx"
import { DetailBelow } from "../../ui/detail-below/detail-below.tsx"
import { Icon } from "../../ui/icon/icon.tsx"
import { Row, RowNote, type RowOption } from "../../ui/list/list.tsx"
import { PaneHead } from "../../ui/pane/pane.tsx"
import { PickList } from "../../ui/pick-list/pick-list.tsx"
import { Text } from "../../ui/text/text.tsx"
import { describeStep, ICON_OF_STEP, rowLine } from "./words.ts"

type TrailProps = ParamsProps<FoldParams> & {
  readonly shown: FoldShow
}

const COLUMNS = { full: "40px 16px minmax(0, 1fr) 48px" } as const

export function Trail({ shown, params, onParams }: TrailProps) {
  const { branch, trail } = shown
  const open = trail.find((it) => it.seq === params.step)
  const close = () => onParams({ step: null }, "replace")
  if (trail.length === 0) return <RowNote>No steps stored yet.</RowNote>
  return (
    <>
      <PickList
        label="Steps"
        columns={COLUMNS}
        lines={trail}
        keyOf={(it) => String(it.seq)}
        isHeading={() => false}
        onOpen={(it) => onParams({ step: it.seq === params.step ? null : it.seq }, "replace")}
        renderLine={(it, option) => (
          <StepRow
            step={it}
            sinceMs={Math.max(0, it.at - branch.createdAt)}
            option={{ ...option, isSelected: option.isSelected || it === open }}
          />
        )}
      />
      {open === undefined ? null : <StepText step={open} onClose={close} />}
    </>
  )
}

type StepRowProps = {
  readonly step: TrailEntry
  readonly sinceMs: number
  readonly option: RowOption
}

function StepRow({ step, sinceMs, option }: StepRowProps) {
  const line = rowLine(step.text)
  return (
    <Row option={option}>
      <Text as="div" mono tone="3" align="end">
        {formatMinutes(sinceMs)}
      </Text>
      <Text tone="3">
        <Icon name={ICON_OF_STEP[step.kind]} />
      </Text>
      <Text as="div" cut title={line} {...(step.kind === "forced" ? { tone: "warn" } : {})}>
        {describeStep(step)} <Text tone="3">{line}</Text>
      </Text>
      <Text as="div" mono tone="2" align="end">
        {step.tokens === 0 ? "" : formatCount(step.tokens)}
      </Text>
    </Row>
  )
}

function StepText({ step, onClose }: { readonly step: TrailEntry; onClose(): void }) {
  const title = `${describeStep(step)}, ${plural(step.tokens, "token")}`
  return (
    <DetailBelow label="Text of the step" onLeave={onClose}>
      <PaneHead
        actions={
          <>
            {step.handle === null ? null : <CopyButton text={step.handle} label="Copy handle" />}
            <CopyIcon text={step.text} label="Copy the text" />
            <IconButton small icon="close" label="Close the step" onPress={onClose} />
          </>
        }
      >
        <Text strong cut title={title}>
          {title}
        </Text>
      </PaneHead>
      <Code text={step.text} label={title} />
    </DetailBelow>
  )
}
