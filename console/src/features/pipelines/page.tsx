import { useState } from "react"
import { plural } from "../../contract.ts"
import { navigate } from "../../data/location.ts"
import { leaveOne, type PageProps } from "../../data/params.ts"
import { type PipelinesParams, paths } from "../../data/paths.ts"
import { useReadOnly } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { CollectionPage } from "../../ui/collection/collection.tsx"
import { Header } from "../../ui/frame/frame.tsx"

import { Text } from "../../ui/text/text.tsx"
import { emptyDraft } from "./draft.ts"
import { ListPane } from "./list-pane.tsx"
import { NewRun } from "./new-run.tsx"
import { EXAMPLE, usePipelines } from "./use-pipelines.ts"

export function PipelinesPage({ now, params, onParams }: PageProps<PipelinesParams>) {
  const isReadOnly = useReadOnly()
  const data = usePipelines(params)
  const [draft, setDraft] = useDraft(params)
  const close = () => onParams({ add: false, start: "" }, "replace")
  const { add, text } = params
  return (
    <CollectionPage
      name="pipelines"
      header={
        <Header
          title="Pipelines"
          facts={
            data.list.data === undefined ? null : (
              <Text tone="3">{plural(data.all.length, "run")}</Text>
            )
          }
        >
          <Button
            variant="primary"
            icon="plus"
            keyId="pipelines.new"
            disabled={isReadOnly}
            shrinks
            onPress={() => (add ? close() : onParams({ add: true }))}
          >
            New run
          </Button>
        </Header>
      }
      list={<ListPane {...{ now, data, isReadOnly, params, onParams }} />}
      detail={
        add ? (
          <NewRun
            draft={draft}
            isReadOnly={isReadOnly}
            onDraft={setDraft}
            onStarted={(run) => navigate(paths.pipeline(run.id))}
            onClose={close}
          />
        ) : null
      }
      onLeave={leaveOne(onParams, [add, { add: false, start: "" }], [text !== "", { text: "" }])}
    />
  )
}

function useDraft({ start }: PipelinesParams) {
  const [draft, setDraft] = useState(() => emptyDraft(start || EXAMPLE.agent))
  const [taken, setTaken] = useState(start)
  if (taken !== start) {
    setTaken(start)
    if (start !== "") setDraft({ ...draft, agent: start })
  }
  return [draft, setDraft] as const
}
