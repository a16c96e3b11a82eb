import { toWireError } from "../../base/errors.ts"
import { formatWhen, visibleLine } from "../../base/format.ts"
import {
  type Branch,
  type FoldRestore,
  type FoldShow,
  formatExact,
  plural,
} from "../../contract.ts"
import type { PageProps } from "../../data/params.ts"
import type { FoldParams, FoldTab } from "../../data/paths.ts"
import { paths } from "../../data/paths.ts"
import { Button } from "../../ui/button/button.tsx"
import { Code } from "../../ui/code/code.tsx"
import { CopyButton, CopyIcon } from "../../ui/copy/copy.tsx"
import { Failure, LoadFailure } from "../../ui/failure/failure.tsx"
import { GaugeBar } from "../../ui/gauge/gauge.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowSkeleton } from "../../ui/list/list.tsx"
import {
  Block,
  DetailHead,
  Flow,
  Pane,
  PaneHead,
  Stack,
  Value,
  Values,
} from "../../ui/pane/pane.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Facets } from "../../ui/tabs/tabs.tsx"
import { Text } from "../../ui/text/text.tsx"
import { Result } from "./result.tsx"
import { Trail } from "./trail.tsx"
import { useBranch, useRestored } from "./use-fold.ts"
import {
  describeKeptOut,
  describeState,
  formatBudget,
  formatTime,
  isLive,
  isOverBudget,
  markOf,
  timeUsedMs,
  WARNED_AT,
} from "./words.ts"

type DetailProps = PageProps<FoldParams>

export function Detail({ now, params, onParams }: DetailProps) {
  const { data, error, isPending, refetch } = useBranch(params.show)
  const close = () => onParams({ show: "", step: null })
  useKey("panel.right", close)
  return (
    <Pane label="The branch">
      <Head
        id={params.show}
        branch={data?.branch}
        onClose={close}
        onRestore={() => onParams({ tab: "restored", step: null }, "replace")}
      />
      <LoadFailure error={error} missing={MISSING} onRetry={() => void refetch()} />
      {isPending ? <RowSkeleton rows={8} /> : null}
      {data === undefined ? null : (
        <>
          <Vitals now={now} branch={data.branch} />
          <Tabs now={now} shown={data} params={params} onParams={onParams} />
        </>
      )}
    </Pane>
  )
}

const MISSING = {
  code: "FOLD_NOT_FOUND",
  text: "No fold has this id. It may have expired.",
  all: "All folds",
  href: paths.folds(),
} as const

type HeadProps = {
  readonly id: string
  readonly branch: Branch | undefined
  onClose(): void
  onRestore(): void
}

function Head({ id, branch, onClose, onRestore }: HeadProps) {
  const name = visibleLine(branch?.description ?? id)
  return (
    <DetailHead
      back="Back to the tree"
      actions={
        <>
          {branch === undefined ? null : (
            <Button small icon="undo" keyId="folds.restore" onPress={onRestore} shrinks>
              Restore
            </Button>
          )}
          <CopyIcon text={id} label="Copy its handle" keyId="folds.copy" />
        </>
      }
      onClose={onClose}
    >
      <Text as="h2" strong cut title={name}>
        {name}
      </Text>
    </DetailHead>
  )
}

function Vitals({ now, branch }: { readonly now: number; readonly branch: Branch }) {
  return (
    <Block>
      <Values>
        <Value name="State">
          <Flow>
            <StatusMark status={markOf(branch)} />
            {describeState(branch)}
            {branch.isPartial ? ", partial" : ""}, {describeTimes(branch, now)}
          </Flow>
        </Value>
        <Value name="Budget">
          <Stack>
            {formatBudget(branch)}
            <GaugeBar
              label={formatBudget(branch)}
              share={Math.min(1, branch.budgetUsed / branch.budgetTotal)}
              notch={WARNED_AT}
              isOver={isOverBudget(branch)}
            />
          </Stack>
        </Value>
        <Value name="Time">
          <Stack>
            {formatTime(branch, now)}
            <GaugeBar
              label={formatTime(branch, now)}
              share={Math.min(1, timeUsedMs(branch, now) / (branch.timeoutSeconds * 1_000))}
              isOver={branch.endReason === "timeout"}
            />
          </Stack>
        </Value>
        <Value name="In the window">{plural(branch.tokensInWindow, "token")}</Value>
        <Value name="Saved">{describeKeptOut(branch)}</Value>
      </Values>
    </Block>
  )
}

function describeTimes(branch: Branch, now: number): string {
  if (isLive(branch)) return `opened ${formatWhen(branch.createdAt, now)}`
  return formatWhen(branch.completedAt ?? branch.createdAt, now)
}

type TabsProps = DetailProps & { readonly shown: FoldShow }

function Tabs({ now, shown, params, onParams }: TabsProps) {
  const tabs = tabsOf(shown)
  const { tab } = params
  const pick = (to: FoldTab) => onParams({ tab: to, step: null }, "replace")
  const next = tabs[(tabs.findIndex((it) => it.value === tab) + 1) % tabs.length]
  useKey("folds.tab", () => pick(next?.value ?? "result"))
  return (
    <>
      <PaneHead>
        <Facets
          label="Branch views"
          active={tab}
          facets={tabs}
          onPick={(value) => pick(tabs.find((it) => it.value === value)?.value ?? "result")}
        />
      </PaneHead>
      {tab === "result" ? <Result now={now} branch={shown.branch} /> : null}
      {tab === "trail" ? <Trail shown={shown} params={params} onParams={onParams} /> : null}
      {tab === "prompt" ? <Prompt branch={shown.branch} /> : null}
      {tab === "restored" ? <Restored id={shown.branch.id} /> : null}
    </>
  )
}

function tabsOf({ branch, trail }: FoldShow) {
  return [
    { value: "result", label: branch.result === null ? "So far" : "Result" },
    { value: "trail", label: "Trail", count: formatExact(trail.length) },
    { value: "prompt", label: "Prompt" },
    { value: "restored", label: "Restored" },
  ] as const satisfies readonly { readonly value: FoldTab; label: string; count?: string }[]
}

function Prompt({ branch }: { readonly branch: Branch }) {
  return (
    <>
      <Block>
        <Flow align="apart">
          <Text size="sm" tone="2">
            Prompt of the branch
          </Text>
          <CopyButton text={branch.prompt} />
        </Flow>
      </Block>
      <Code text={branch.prompt} label="Prompt" />
    </>
  )
}

function Restored({ id }: { readonly id: string }) {
  const { data, error, refetch } = useRestored(id)
  if (error !== null) {
    return <Failure size="pane" error={toWireError(error)} onRetry={() => void refetch()} />
  }
  if (data === undefined) return <RowSkeleton rows={8} />
  return (
    <>
      <Block>
        <Flow align="apart">
          <Text size="sm" tone="2">
            {describeRestored(data)}
          </Text>
          <CopyButton text={data.text} />
        </Flow>
      </Block>
      <Code text={data.text} label="Trail for a model" />
    </>
  )
}

function describeRestored({ tokens, leftOut }: FoldRestore): string {
  const rest = leftOut === 0 ? "nothing left out" : `${plural(leftOut, "step")} did not fit`
  return `Trail for a model, ${plural(tokens, "token")}, ${rest}`
}
