import { useState } from "react"
import { formatShown } from "../../base/format.ts"
import { type MemoryRecorded, plural } from "../../contract.ts"
import { leaveOne, type PageProps, type ParamsProps } from "../../data/params.ts"
import type { MemoryParams } from "../../data/paths.ts"
import { useReadOnly } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { CollectionPage } from "../../ui/collection/collection.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useToast } from "../../ui/toast/toast.tsx"
import { AddDecision, AddMemory } from "./add-form.tsx"
import { Detail } from "./detail.tsx"
import { NO_DECISION, NO_MEMORY } from "./draft.ts"
import { MemoriesPane, ofState } from "./list-pane.tsx"
import { useActions, useFound, useMemories } from "./use-memory.ts"

export function MemoryPage(props: PageProps<MemoryParams>) {
  const { now, params, onParams } = props
  const { add, show, text, kind } = params
  const isReadOnly = useReadOnly()
  const form = useAddForm(props, isReadOnly)
  const shown =
    show === "" ? null : (
      <Detail
        key={show}
        {...{ now, isReadOnly }}
        id={show}
        onClose={() => onParams({ show: "" })}
      />
    )
  return (
    <CollectionPage
      name="memory"
      detailPx={480}
      header={
        <Header title="Memory" facts={<Facts params={params} />}>
          <Button
            icon="plus"
            keyId="memory.new"
            disabled={isReadOnly}
            onPress={() => onParams({ add: true })}
            shrinks
          >
            {kind === "decision" ? "Add decision" : "Add memory"}
          </Button>
        </Header>
      }
      list={<MemoriesPane {...props} isReadOnly={isReadOnly} />}
      detail={add ? form : shown}
      onLeave={leaveOne(
        onParams,
        [add, { add: false }],
        [show !== "", { show: "" }],
        [text !== "", { text: "", at: "" }],
      )}
    />
  )
}

function Facts({ params }: Pick<ParamsProps<MemoryParams>, "params">) {
  const all = useMemories({ kind: null, state: null }).data?.total
  const listed = useMemories(params).data?.total
  const matches = useFound(params).data?.found
  const shown = params.text.trim() === "" ? listed : matches && ofState(matches, params).length
  if (all === undefined) return null
  return <Text tone="3">{formatShown({ shown: shown ?? all, all }, "memory", "memories")}</Text>
}

/** The page owns the drafts, so that they survive closing the form. */
function useAddForm(props: PageProps<MemoryParams>, isReadOnly: boolean) {
  const [memory, setMemory] = useState(NO_MEMORY)
  const [decision, setDecision] = useState(NO_DECISION)
  const { kind } = props.params
  const onEmpty = () => (kind === "decision" ? setDecision(NO_DECISION) : setMemory(NO_MEMORY))
  const form = { ...useRecorded(props, onEmpty), isReadOnly }
  return kind === "decision" ? (
    <AddDecision {...form} draft={decision} onDraft={setDecision} />
  ) : (
    <AddMemory {...form} draft={memory} onDraft={setMemory} />
  )
}

function useRecorded({ onParams }: ParamsProps<MemoryParams>, onEmpty: () => void) {
  const tell = useRecordedToast()
  return {
    onRecorded: (answer: MemoryRecorded) => {
      const { id } = answer.memory
      if (answer.outcome === "recorded") onEmpty()
      tell(answer, () => onParams({ show: "", at: "", add: false }, "replace"))
      onParams({ add: false, at: id, show: id })
    },
    onClose: () => onParams({ add: false }, "replace"),
  }
}

function useRecordedToast() {
  const toast = useToast()
  const { forget } = useActions()
  return ({ outcome, memory, redactions }: MemoryRecorded, onUndone: () => void) => {
    if (outcome === "duplicate") {
      toast.show({ text: "Duplicate of an existing memory; nothing saved." })
      return
    }
    const replaced = redactions === 0 ? "" : `, ${plural(redactions, "secret")} replaced`
    const undo = () => {
      forget({ id: memory.id, isUndo: true })
      onUndone()
    }
    toast.show({ text: `Saved in ${memory.file}${replaced}`, undo })
  }
}
