import { leaveOne, type PageProps } from "../../data/params.ts"
import type { GatewayParams } from "../../data/paths.ts"
import { CollectionPage } from "../../ui/collection/collection.tsx"

import { Detail } from "./detail.tsx"
import { GatewayHeader } from "./header.tsx"
import { readKey } from "./lines.ts"
import { ListPane } from "./list-pane.tsx"
import { useRun, useShow } from "./use-gateway.ts"

export type GatewayPageProps = PageProps<GatewayParams> & {
  readonly id: string
}

export function GatewayPage({ id, now, params, onParams }: GatewayPageProps) {
  const show = useShow(id, params.all)
  const run = useRun(id)
  const isOpen = readKey(params.at) !== undefined
  const window = run.data?.contextWindow ?? null
  return (
    <CollectionPage
      name="gateway"
      detailPx={480}
      header={<GatewayHeader id={id} now={now} run={run.data} show={show.data} />}
      list={<ListPane {...{ now, id, show, run, window, params, onParams }} />}
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
      onLeave={leaveOne(
        onParams,
        [isOpen && params.piece !== null, { piece: null }],
        [isOpen, { at: "", find: "", from: null }],
      )}
    />
  )
}
