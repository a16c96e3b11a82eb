import { toWireError } from "../../base/errors.ts"
import { visibleLine } from "../../base/format.ts"
import { formatExact } from "../../contract.ts"
import { navigate } from "../../data/location.ts"
import type { PageProps } from "../../data/params.ts"
import { type PackParams, paths } from "../../data/paths.ts"
import { useSession } from "../../data/queries.tsx"
import { Announce } from "../../ui/announce/announce.tsx"
import { Button } from "../../ui/button/button.tsx"
import { useCopyText } from "../../ui/copy/use-copy-text.ts"
import { Failure } from "../../ui/failure/failure.tsx"
import { Notice } from "../../ui/notice/notice.tsx"
import { Pane } from "../../ui/pane/pane.tsx"
import { useNarrow } from "../../ui/use-narrow.ts"
import { pinOrUnpin } from "./choices.ts"
import { Columns } from "./columns.tsx"
import { PackHeader } from "./header.tsx"
import { Summary } from "./summary.tsx"
import { Task } from "./task.tsx"
import { type Change, useEdits } from "./use-edits.ts"
import { type PackData, useKeep, usePack } from "./use-pack.ts"
import { neededBudget, refusedPin, sayBuilt } from "./words.ts"

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
    else keep.mutate(choices, { onSuccess: (kept) => launch(kept.pack.id) })
  }
  const copyText = useCopyText()
  const isNarrow = useNarrow()
  const isPreviewAlone = isNarrow && params.pane === "preview"
  const { written } = data
  // Refused before there was any: then there is nothing to wait for.
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
            : () => copyText(written.text, `${formatExact(written.textTokens)} tokens were copied`)
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
              <Notice key={it} says={visibleLine(it)} />
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
        <Announce>{sayState(data)}</Announce>
      </Pane>
    </>
  )
}

function sayState({ shown, error, isPending }: PackData): string {
  if (isPending) return "Building"
  if (error !== null || shown === undefined) return ""
  return sayBuilt(shown.pack)
}

/** A new package begins with nothing of the one before. */
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
        <Button look="primary" onPress={() => onChange({ ...choices, budget: needed })}>
          Raise the budget to {formatExact(needed)}
        </Button>
      )}
      {pin === undefined ? null : (
        <Button look="primary" onPress={() => onChange(pinOrUnpin(choices, pin))}>
          Unpin it
        </Button>
      )}
    </Failure>
  )
}
