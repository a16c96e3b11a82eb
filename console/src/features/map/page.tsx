import type { IndexState } from "../../contract.ts"
import { leaveOne, type PageProps } from "../../data/params.ts"
import type { MapParams } from "../../data/paths.ts"
import { useReadOnly } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { CollectionPage } from "../../ui/collection/collection.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { OnlyWide } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { Detail } from "./detail.tsx"
import { ListPane } from "./list-pane.tsx"
import { useFolders, useScan } from "./use-map.ts"
import { sayState } from "./words.ts"

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

type MapHeaderProps = {
  readonly now: number
  /** Null before the first scan. */
  readonly state: IndexState | null
  readonly isReadOnly: boolean
  readonly isBusy: boolean
  onScan(): void
}

function MapHeader({ now, state, isReadOnly, isBusy, onScan }: MapHeaderProps) {
  return (
    <Header
      title="Map"
      facts={
        state === null ? null : (
          <OnlyWide>
            <Text as="div" tone="3" cut>
              {sayState(state, now)}
            </Text>
          </OnlyWide>
        )
      }
    >
      <Button
        icon="refresh"
        keyId="map.scan"
        disabled={isReadOnly || isBusy}
        onPress={onScan}
        shrinks
      >
        {isBusy ? "Scanning" : "Scan"}
      </Button>
    </Header>
  )
}
