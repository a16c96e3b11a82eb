import { useMemo } from "react"
import { leaveOne, type PageProps } from "../../data/params.ts"
import type { GuardParams } from "../../data/paths.ts"
import { useReadOnly } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { CollectionPage } from "../../ui/collection/collection.tsx"
import { Header } from "../../ui/frame/frame.tsx"

import { OnlyWide } from "../../ui/pane/pane.tsx"

import { Text } from "../../ui/text/text.tsx"
import { Detail } from "./detail.tsx"
import { ListPane } from "./list-pane.tsx"
import { keyed } from "./rows.tsx"
import { TryPanel } from "./try-panel.tsx"
import { useCounts, useVerdicts } from "./use-guard.ts"
import { sayCounts } from "./words.ts"

export function GuardPage({ now, params, onParams }: PageProps<GuardParams>) {
  const { data } = useVerdicts(params)
  const counts = useCounts(params, data)
  const { trying, show, text } = params
  return (
    <CollectionPage
      name="guard"
      detailPx={480}
      header={
        <Header
          title="Guard"
          facts={
            counts === undefined ? null : (
              <OnlyWide>
                <Text as="div" tone="3" cut>
                  {sayCounts(counts, params.hours)}
                </Text>
              </OnlyWide>
            )
          }
        >
          <Button
            keyId="guard.try"
            icon="shield"
            onPress={() => onParams({ trying: true, show: "" })}
            shrinks
          >
            Try a rule
          </Button>
        </Header>
      }
      list={<ListPane now={now} params={params} onParams={onParams} />}
      detail={trying || show !== "" ? <Beside {...{ now, params, onParams }} /> : null}
      onLeave={leaveOne(
        onParams,
        [trying, { trying: false }],
        [show !== "", { show: "" }],
        [text !== "", { text: "", at: "" }],
      )}
    />
  )
}

function Beside({ now, params, onParams }: PageProps<GuardParams>) {
  const { data } = useVerdicts(params)
  const isReadOnly = useReadOnly()
  const rows = useMemo(() => keyed(data?.verdicts ?? []), [data])
  if (params.trying) return <TryPanel {...{ now, params, isReadOnly, onParams }} />
  const line = rows.find(({ key }) => key === params.show)?.line
  return <Detail key={params.show} {...{ now, line, isReadOnly, onParams }} />
}
