import { leaveOne, type PageProps } from "../../data/params.ts"
import type { MapParams } from "../../data/paths.ts"
import { useReadOnly } from "../../data/queries.tsx"
import { CollectionPage } from "../../ui/collection/collection.tsx"

import { Detail } from "./detail.tsx"
import { MapHeader } from "./header.tsx"
import { ListPane } from "./list-pane.tsx"
import { useFolders, useScan } from "./use-map.ts"

export function MapPage({ now, params, onParams }: PageProps<MapParams>) {
  const isReadOnly = useReadOnly()
  const folders = useFolders(params.open)
  const scan = useScan()
  const { show, text } = params
  return (
    <CollectionPage
      name="map"
      detailPx={600}
      header={
        <MapHeader
          now={now}
          state={folders.get("")?.tree?.state ?? null}
          isReadOnly={isReadOnly}
          isBusy={scan.isPending}
          onScan={() => scan.mutate()}
        />
      }
      list={<ListPane {...{ folders, params, scan, isReadOnly, onParams }} />}
      detail={show === "" ? null : <Detail params={params} onParams={onParams} />}
      onLeave={leaveOne(onParams, [show !== "", { show: "" }], [text !== "", { text: "" }])}
    />
  )
}
