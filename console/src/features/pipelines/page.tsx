import { useState } from "react"
import { plural } from "../../contract.ts"
import { navigate } from "../../data/location.ts"
import { type PipelinesParams, paths } from "../../data/paths.ts"
import { useSession } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { Split } from "../../ui/split/split.tsx"
import { Text } from "../../ui/text/text.tsx"
import { emptyDraft } from "./draft.ts"
import { ListPane } from "./list-pane.tsx"
import { NewRun } from "./new-run.tsx"
import { EXAMPLE, usePipelines } from "./use-pipelines.ts"

type PipelinesPageProps = {
  readonly now: number
  readonly params: PipelinesParams
  onParams(change: Partial<PipelinesParams>, how?: "push" | "replace"): void
}

/** Every run of a pipeline: how it stands, in which stage, at what cost; beside it the form. */
export function PipelinesPage({ now, params, onParams }: PipelinesPageProps) {
  const { data: session } = useSession()
  const isReadOnly = session?.readOnly === true
  const data = usePipelines(params)
  const [draft, setDraft] = useDraft(params)
  const close = () => onParams({ add: false, start: "" }, "replace")
  useKey("leave", leaves(params, onParams))
  return (
    <>
      <Header
        title="Pipelines"
        facts={
          data.list.data === undefined ? null : (
            <Text tone="3">{plural(data.all.length, "run")}</Text>
          )
        }
      >
        <Button
          look="primary"
          icon="plus"
          keyId="pipelines.new"
          disabled={isReadOnly}
          shrinks
          onPress={() => (params.add ? close() : onParams({ add: true }))}
        >
          New run
        </Button>
      </Header>
      <Split
        name="pipelines"
        list={<ListPane {...{ now, data, isReadOnly, params, onParams }} />}
        detail={
          params.add ? (
            <NewRun
              draft={draft}
              isReadOnly={isReadOnly}
              onDraft={setDraft}
              onStarted={(run) => navigate(paths.pipeline(run.id))}
              onClose={close}
            />
          ) : null
        }
      />
    </>
  )
}

/** Here and not in the form: closing the panel for a look at the list loses nothing. */
function useDraft({ start }: PipelinesParams) {
  const [draft, setDraft] = useState(() => emptyDraft(start || EXAMPLE.agent))
  const [taken, setTaken] = useState(start)
  if (taken !== start) {
    setTaken(start)
    if (start !== "") setDraft({ ...draft, agent: start })
  }
  return [draft, setDraft] as const
}

/** First what stands beside, then what is looked for. */
function leaves({ add, text }: PipelinesParams, onParams: PipelinesPageProps["onParams"]) {
  if (add) return () => onParams({ add: false, start: "" }, "replace")
  return text === "" ? undefined : () => onParams({ text: "" }, "replace")
}
