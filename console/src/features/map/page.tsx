import type { MapSearch } from "../../data/map-search.ts"
import { useSession } from "../../data/queries.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { Split } from "../../ui/split/split.tsx"
import { Detail } from "./detail.tsx"
import { MapHeader } from "./header.tsx"
import { ListPane } from "./list-pane.tsx"
import { useFolders, useScan } from "./use-map.ts"

type MapPageProps = {
  readonly now: number
  readonly search: MapSearch
  onSearch(change: Partial<MapSearch>, how?: "push" | "replace"): void
}

/** The repository by what leans on what: a tree with ranks, and beside it a file or a symbol. */
export function MapPage({ now, search, onSearch }: MapPageProps) {
  const { data: session } = useSession()
  const folders = useFolders(search.open)
  const scan = useScan()
  const root = folders.get("")
  const state = root?.tree?.state
  const isReadOnly = session?.readOnly === true
  useKey("leave", leaves(search, onSearch))
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
            search={search}
            scan={scan}
            isReadOnly={isReadOnly}
            onSearch={onSearch}
          />
        }
        detail={search.show === "" ? null : <Detail search={search} onSearch={onSearch} />}
      />
    </>
  )
}

/** Signatures and the picture need more than the 392 of other details. */
const DETAIL_PX = 600

/** First the detail, then what is looked for. */
function leaves({ show, text }: MapSearch, onSearch: MapPageProps["onSearch"]) {
  if (show !== "") return () => onSearch({ show: "" }, "replace")
  return text === "" ? undefined : () => onSearch({ text: "" }, "replace")
}
