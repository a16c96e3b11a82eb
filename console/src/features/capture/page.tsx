import { useState } from "react"
import type { PageProps } from "../../data/params.ts"
import type { CaptureParams, CaptureTab } from "../../data/paths.ts"
import { useReadOnly } from "../../data/queries.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { recall, remember } from "../../ui/remember.ts"
import { Split } from "../../ui/split/split.tsx"
import { useLater } from "../../ui/use-later.ts"
import { useNarrow } from "../../ui/use-narrow.ts"
import { CutsPane } from "./cuts-pane.tsx"
import { SelectedDetail, useSelected } from "./detail/selected-detail.tsx"
import { CaptureHeader } from "./header.tsx"
import { ListPane } from "./list/list-pane.tsx"
import { useCapture, useTake } from "./use-capture.ts"
import { describeQuery } from "./words.ts"

type CapturePageProps = PageProps<CaptureParams>

type TakeDialog = { readonly trust: boolean } | null

export function CapturePage({ now, params, onParams }: CapturePageProps) {
  const data = useCapture(params)
  const { capture, captures, diff, host } = data
  const [asking, setAsking] = useState<TakeDialog>(null)
  const { part: AskDialog, want } = useLater(loadAsk)
  const ask = (trust: boolean) => want(() => setAsking({ trust }))
  const take = useTake(params, ({ manifest, historyProblem }) => {
    // A capture that could not be stored is in no list, so show it without its id.
    const id = historyProblem === null ? "" : manifest.id
    onParams({ id, from: "", to: "" }, "replace")
  })
  const isReadOnly = useReadOnly()
  const line = useSelected({
    capture,
    diff,
    compared: data.compared.data,
    settings: data.settings.data,
    params,
  })
  const cuts = useCutsPane(params)
  const selected =
    line === undefined || capture === undefined ? null : (
      <SelectedDetail
        now={now}
        line={line}
        capture={capture}
        diff={diff}
        params={params}
        onParams={onParams}
      />
    )
  const suggested =
    capture === undefined || !cuts.isShown ? null : (
      <CutsPane capture={capture} params={params} onClose={cuts.close} />
    )
  const takeAgain = () => take.mutate({ observe: false, trust: false })
  useKey("leave", params.at === "" ? undefined : () => onParams({ at: "" }, "replace"))
  useKey("capture.tab", () => onParams({ tab: NEXT[params.tab], at: "" }, "replace"))
  return (
    <>
      <CaptureHeader
        now={now}
        host={params.host}
        hosts={data.hosts}
        captures={captures}
        shownId={data.shownId}
        isNever={data.isNever}
        shownAt={capture?.manifest.capturedAt}
        diff={diff}
        isDiffShown={params.tab === "diff"}
        isReadOnly={isReadOnly}
        isBusy={take.isPending}
        onHost={(it) => onParams({ ...ELSEWHERE, host: it })}
        onCapture={(id) => onParams({ id: id === captures[0]?.id ? "" : id, from: "", to: "" })}
        onDiff={() => onParams({ tab: params.tab === "diff" ? "loads" : "diff", at: "" })}
        onTake={takeAgain}
        onAsk={() => ask(false)}
      />
      <Split
        name="capture"
        list={
          <ListPane
            now={now}
            data={data}
            params={params}
            isReadOnly={isReadOnly}
            isBusy={take.isPending}
            onParams={onParams}
            onTake={takeAgain}
            onAsk={ask}
          />
        }
        detail={selected ?? suggested}
      />
      {AskDialog === undefined || asking === null || host === undefined ? null : (
        <AskDialog
          title={`Query ${host.title}`}
          description={describeQuery(host, capture?.manifest.workingDirectory ?? "this folder")}
          isTrusting={asking.trust}
          onAsk={() => {
            setAsking(null)
            take.mutate({ observe: true, trust: asking.trust })
          }}
          onClose={() => setAsking(null)}
        />
      )}
    </>
  )
}

const CLOSED = "capture.cuts-closed"

/** Shown until it is closed, and again after the same key. A narrow page has only the tab. */
function useCutsPane({ tab, at }: CaptureParams) {
  const isNarrow = useNarrow()
  const [isClosed, setIsClosed] = useState(() => recall(CLOSED) === "yes")
  const turn = (closed: boolean) => {
    remember(CLOSED, closed ? "yes" : "no")
    setIsClosed(closed)
  }
  const isPossible = tab === "loads" && at === "" && !isNarrow
  useKey("panel.right", isPossible && isClosed ? () => turn(false) : undefined)
  return { isShown: isPossible && !isClosed, close: () => turn(true) }
}

const loadAsk = async () => (await import("./ask.tsx")).AskDialog

const ELSEWHERE = { id: "", at: "", from: "", to: "", kind: null, turned: [] } as const

const NEXT: Readonly<Record<CaptureTab, CaptureTab>> = {
  loads: "cuts",
  cuts: "found",
  found: "settings",
  settings: "biggest",
  biggest: "diff",
  diff: "loads",
}
