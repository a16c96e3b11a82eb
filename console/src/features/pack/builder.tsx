import { useState } from "react"
import { toWireError } from "../../base/errors.ts"
import { visibleLine } from "../../base/format.ts"
import { type ContextPack, formatCount, formatExact, plural } from "../../contract.ts"
import { navigate } from "../../data/location.ts"
import type { PageProps } from "../../data/params.ts"
import { type PackParams, paths } from "../../data/paths.ts"
import { useSession } from "../../data/queries.tsx"
import { Announce } from "../../ui/announce/announce.tsx"
import { BudgetBar } from "../../ui/budget-bar/budget-bar.tsx"
import { Button } from "../../ui/button/button.tsx"
import { useCopyText } from "../../ui/copy/copy.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { Figure, FigureBarSkeleton } from "../../ui/figure/figure.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { Notice } from "../../ui/notice/notice.tsx"
import { Flow, Pane } from "../../ui/pane/pane.tsx"
import { Sparkline } from "../../ui/sparkline/sparkline.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useNarrow } from "../../ui/use-narrow.ts"
import { type Choices, togglePin } from "./choices.ts"
import { Columns } from "./columns.tsx"
import { PackHeader } from "./header.tsx"
import { Task } from "./task.tsx"
import { type PackData, useKeep, usePack } from "./use-pack.ts"
import { describeBuilt, neededBudget, refusedPin } from "./words.ts"

type BuilderProps = PageProps<PackParams>

export function Builder({ now, params, onParams }: BuilderProps) {
  const { data: session } = useSession()
  const data = usePack(params)
  const { shown, choices, isPending } = data
  const pack = shown?.pack
  const change = useEdits({ choices, onParams })
  const keep = useKeep((id) => onParams({ id }, "replace"))
  const launch = (id: string) =>
    navigate(paths.runs({ beside: "new", prompt: choices.task, pack: id }))
  const run = () => {
    if (params.id !== "") launch(params.id)
    else keep.mutate(choices, { onSuccess: (saved) => launch(saved.pack.id) })
  }
  const copyText = useCopyText()
  const isNarrow = useNarrow()
  const isPreviewAlone = isNarrow && params.pane === "preview"
  const { written } = data
  const hasNothing = pack === undefined && data.error !== null && !isPending
  return (
    <>
      <PackHeader
        now={now}
        choices={choices}
        keptAt={params.id === "" ? null : pack?.builtAt}
        isPending={isPending}
        isOff={session?.readOnly === true || pack === undefined || data.error !== null}
        isKeeping={keep.isPending}
        onNew={() => onParams(NOTHING)}
        onCompare={() => onParams({ compare: true, at: "" })}
        onCopy={
          written === undefined
            ? undefined
            : () => copyText(written.text, `Copied ${formatExact(written.textTokens)} tokens`)
        }
        isEmpty={pack?.isEmpty === true}
        onKeep={() => keep.mutate(choices)}
        onRun={run}
      />
      <Pane label="Package">
        {isPreviewAlone ? null : (
          <>
            <Task
              choices={choices}
              pack={pack}
              defaultBudget={data.defaultBudget}
              onChange={(it) => change({ ...choices, ...it })}
            />
            <Problem data={data} onChange={change} />
            {hasNothing ? null : (
              <Summary
                pack={pack}
                picked={params.kind}
                onPick={(kind) => onParams({ kind, pane: "chosen" }, "replace")}
              />
            )}
            {pack?.notes.map((it) => (
              <Notice key={it} description={visibleLine(it)} />
            ))}
          </>
        )}
        {hasNothing ? null : (
          <Columns
            data={data}
            params={params}
            isNarrow={isNarrow}
            onParams={onParams}
            onChange={change}
          />
        )}
        <Announce>{describeState(data)}</Announce>
      </Pane>
    </>
  )
}

function describeState({ shown, error, isPending }: PackData): string {
  if (isPending) return "Building"
  if (error !== null || shown === undefined) return ""
  return describeBuilt(shown.pack)
}

const NOTHING: Partial<PackParams> = {
  task: "",
  budget: null,
  role: "",
  pins: [],
  drops: [],
  full: [],
  symbols: [],
  signatures: [],
  mention: [],
  order: [],
  at: "",
  pane: "candidates",
  kind: null,
  turned: [],
  id: "",
}

type ProblemProps = { readonly data: PackData; readonly onChange: Change }

function Problem({ data, onChange }: ProblemProps) {
  const { choices } = data
  if (data.error === null) return null
  const error = toWireError(data.error)
  const needed = neededBudget(error)
  const pin = refusedPin(error, choices.pins)
  const isFixable = needed !== undefined || pin !== undefined
  return (
    <Failure size="pane" error={error} onRetry={isFixable ? undefined : data.retry}>
      {needed === undefined ? null : (
        <Button variant="primary" onPress={() => onChange({ ...choices, budget: needed })}>
          Raise the budget to {formatExact(needed)}
        </Button>
      )}
      {pin === undefined ? null : (
        <Button variant="primary" onPress={() => onChange(togglePin(choices, pin))}>
          Unpin it
        </Button>
      )}
    </Failure>
  )
}

type SummaryProps = {
  readonly pack: ContextPack | undefined
  readonly picked: PackParams["kind"]
  onPick(kind: PackParams["kind"]): void
}

function Summary({ pack, picked, onPick }: SummaryProps) {
  if (pack === undefined) {
    return (
      <Figure value={undefined} description="tokens" facts={[]}>
        <FigureBarSkeleton />
      </Figure>
    )
  }
  const { tokens, budget, files, manifest } = pack
  const { kinds, leftTokens } = manifest
  const free = Math.max(0, budget - tokens)
  return (
    <Figure
      value={formatExact(tokens)}
      description={`of ${formatExact(budget)} tokens, ${plural(files.length, "file")}`}
      facts={[
        { value: formatExact(free), description: "free" },
        ...(leftTokens > 0 ? [{ value: formatExact(leftTokens), description: "did not fit" }] : []),
      ]}
      aside={`mark: budget ${formatExact(budget)}`}
      below={<Expectation pack={pack} />}
    >
      <BudgetBar
        tokens={Object.fromEntries(kinds.map((it) => [it.kind, it.tokens]))}
        cut={{ files: leftTokens }}
        budget={budget}
        picked={picked}
        onPick={(kind) => onPick(kinds.find((it) => it.kind === kind)?.kind ?? null)}
      />
    </Figure>
  )
}

/** Expected recall by size, with the place where this package ends. */
function Expectation({ pack }: { readonly pack: ContextPack }) {
  const { tokens, expectation } = pack
  const { recall, curve } = expectation
  if (curve.length === 0) return null
  const own = { key: "own", tokens, recall, isMarked: true }
  const others = curve.map((it) => ({ ...it, key: String(it.tokens), isMarked: false }))
  const points = [...others, own].toSorted((a, b) => a.tokens - b.tokens)
  const sizes = others.map((it) => `${percent(it.recall)} at ${formatCount(it.tokens)}`)
  const text = `Estimate: ${percent(recall)} of the code the task needs. The package ends at ${formatExact(tokens)} tokens. Others would have ${sizes.join(", ")}.`
  return (
    <Flow>
      <Sparkline
        label={text}
        bars={points.map((it) => ({
          key: it.key,
          value: it.recall,
          label: `${formatCount(it.tokens)} tokens: ${percent(it.recall)}`,
          isMarked: it.isMarked,
        }))}
      />
      <Text as="p" size="sm" tone="3">
        {text}
      </Text>
    </Flow>
  )
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`
}

const MOST_STEPS = 100

type Edits = {
  readonly choices: Choices
  onParams(change: Partial<PackParams>): void
}

export type Change = (next: Choices, also?: Partial<PackParams>) => void

function useEdits({ choices, onParams }: Edits): Change {
  const [past, setPast] = useState<readonly Choices[]>([])
  const before = past.at(-1)
  const undo = () => {
    if (before === undefined) return
    setPast(past.slice(0, -1))
    onParams({ ...before, id: "" })
  }
  useKey("undo", before === undefined ? undefined : undo)
  return (next, also = {}) => {
    if (next === choices) return
    setPast([...past, choices].slice(-MOST_STEPS))
    onParams({ ...next, ...also, id: "" })
  }
}
