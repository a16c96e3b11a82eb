import type { MapParams } from "../../data/paths.ts"
import { useSession } from "../../data/queries.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { Split } from "../../ui/split/split.tsx"
import { Detail } from "./detail.tsx"
import { MapHeader } from "./header.tsx"
import { ListPane } from "./list-pane.tsx"
import { useFolders, useScan } from "./use-map.ts"

type MapPageProps = {
  readonly now: number
  readonly params: MapParams
  onParams(change: Partial<MapParams>, how?: "push" | "replace"): void
}

/** The repository by what leans on what: a tree with ranks, and beside it a file or a symbol. */
export function MapPage({ now, params, onParams }: MapPageProps) {
  const { data: session } = useSession()
  const folders = useFolders(params.open)
  const scan = useScan()
  const root = folders.get("")
  const state = root?.tree?.state
  const isReadOnly = session?.readOnly === true
  useKey("leave", leaves(params, onParams))
  return (
    <>
      <MapHeader
        now={now}
        state={state ?? null}
        isReadOnly={isReadOnly}
        isBusy={scan.isPending}
        onScan={() => scan.mutate()}
      />
      <Split
        name="map"
        startPx={DETAIL_PX}
        list={
          <ListPane
            folders={folders}
            params={params}
            scan={scan}
            isReadOnly={isReadOnly}
            onParams={onParams}
          />
        }
        detail={params.show === "" ? null : <Detail params={params} onParams={onParams} />}
      />
    </>
  )
}

/** Signatures and the picture need more than the 392 of other details. */
const DETAIL_PX = 600

/** First the detail, then what is looked for. */
function leaves({ show, text }: MapParams, onParams: MapPageProps["onParams"]) {
  if (show !== "") return () => onParams({ show: "" }, "replace")
  return text === "" ? undefined : () => onParams({ text: "" }, "replace")
}
