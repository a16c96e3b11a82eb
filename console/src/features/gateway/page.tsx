import type { GatewayParams } from "../../data/paths.ts"
import { useKey } from "../../ui/keys/keys.tsx"
import { Split } from "../../ui/split/split.tsx"
import { Detail } from "./detail.tsx"
import { GatewayHeader } from "./header.tsx"
import { readKey } from "./lines.ts"
import { ListPane } from "./list-pane.tsx"
import { useRun, useShow } from "./use-gateway.ts"

export type GatewayPageProps = {
  /** A run, or a carry that belongs to none. */
  readonly id: string
  readonly now: number
  readonly params: GatewayParams
  onParams(change: Partial<GatewayParams>, how?: "push" | "replace"): void
}

/** What a run said to its model: every request, what was new in it, and what it cost. */
export function GatewayPage({ id, now, params, onParams }: GatewayPageProps) {
  const show = useShow(id, params.all)
  const run = useRun(id)
  const isOpen = readKey(params.at) !== undefined
  useKey("leave", isOpen ? leaves(params, onParams) : undefined)
  return (
    <>
      <GatewayHeader id={id} now={now} run={run.data} show={show.data} />
      <Split
        name="gateway"
        startPx={DETAIL_PX}
        list={
          <ListPane
            now={now}
            id={id}
            show={show}
            run={run}
            window={run.data?.contextWindow ?? null}
            params={params}
            onParams={onParams}
          />
        }
        detail={
          isOpen ? (
            <Detail
              key={params.at}
              carries={show.data?.carries ?? []}
              params={params}
              onParams={onParams}
            />
          ) : null
        }
      />
    </>
  )
}

/** Texts are read here: wider than the 392 of other details. */
const DETAIL_PX = 480

/** First the open piece, then the request. */
function leaves({ piece }: GatewayParams, onParams: GatewayPageProps["onParams"]) {
  if (piece !== null) return () => onParams({ piece: null }, "replace")
  return () => onParams({ at: "", find: "", from: null }, "replace")
}
