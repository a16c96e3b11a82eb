import type { GatewayAddress } from "../../data/gateway-search.ts"
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
  readonly search: GatewayAddress
  onSearch(change: Partial<GatewayAddress>, how?: "push" | "replace"): void
}

/** What a run said to its model: every request, what was new in it, and what it cost. */
export function GatewayPage({ id, now, search, onSearch }: GatewayPageProps) {
  const show = useShow(id, search.all)
  const run = useRun(id)
  const isOpen = readKey(search.at) !== undefined
  useKey("leave", isOpen ? leaves(search, onSearch) : undefined)
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
            search={search}
            onSearch={onSearch}
          />
        }
        detail={
          isOpen ? (
            <Detail
              key={search.at}
              carries={show.data?.carries ?? []}
              search={search}
              onSearch={onSearch}
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
function leaves({ piece }: GatewayAddress, onSearch: GatewayPageProps["onSearch"]) {
  if (piece !== null) return () => onSearch({ piece: null }, "replace")
  return () => onSearch({ at: "", find: "", from: null }, "replace")
}
