import { type ReactNode, useState } from "react"
import { type MemoryRecorded, plural } from "../../contract.ts"
import { leaveOne, type PageProps, type ParamsProps } from "../../data/params.ts"
import type { DecisionsParams, MemoryParams } from "../../data/paths.ts"
import { useReadOnly } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { CollectionPage } from "../../ui/collection/collection.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { useToast } from "../../ui/toast/toast.tsx"
import { AddDecision, AddMemory } from "./add-form.tsx"
import { Detail } from "./detail.tsx"
import { NO_DECISION, NO_MEMORY } from "./draft.ts"
import { DecisionsPane, MemoriesPane } from "./list-pane.tsx"
import { useActions } from "./use-memory.ts"

export function MemoryPage(props: PageProps<MemoryParams>) {
  const isReadOnly = useReadOnly()
  const [draft, setDraft] = useState(NO_MEMORY)
  const form = useForm(props, () => setDraft(NO_MEMORY))
  return (
    <Frame
      {...props}
      {...{ isReadOnly }}
      view="memory"
      list={<MemoriesPane {...props} isReadOnly={isReadOnly} />}
      form={<AddMemory {...form} {...{ draft, isReadOnly }} onDraft={setDraft} />}
    />
  )
}

export function DecisionsPage(props: PageProps<DecisionsParams>) {
  const isReadOnly = useReadOnly()
  const [draft, setDraft] = useState(NO_DECISION)
  const form = useForm(props, () => setDraft(NO_DECISION))
  return (
    <Frame
      {...props}
      {...{ isReadOnly }}
      view="decisions"
      list={<DecisionsPane {...props} isReadOnly={isReadOnly} />}
      form={<AddDecision {...form} {...{ draft, isReadOnly }} onDraft={setDraft} />}
    />
  )
}

const VIEWS = {
  memory: { title: "Memory", add: "Add memory", detailPx: 480 },
  decisions: { title: "Decisions", add: "Add decision", detailPx: 520 },
} as const

type FrameProps = PageProps<DecisionsParams> & {
  readonly view: keyof typeof VIEWS
  readonly isReadOnly: boolean
  readonly list: ReactNode
  readonly form: ReactNode
}

function Frame({ now, view, params, isReadOnly, list, form, onParams }: FrameProps) {
  const { add, show, text } = params
  const { title, add: label, detailPx } = VIEWS[view]
  const shown =
    show === "" ? null : (
      <Detail
        key={show}
        {...{ view, now, isReadOnly }}
        id={show}
        onClose={() => onParams({ show: "" })}
      />
    )
  return (
    <CollectionPage
      name={view}
      detailPx={detailPx}
      header={
        <Header title={title}>
          <Button
            icon="plus"
            keyId={`${view}.new`}
            disabled={isReadOnly}
            onPress={() => onParams({ add: true })}
            shrinks
          >
            {label}
          </Button>
        </Header>
      }
      list={list}
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

/** The page owns the draft, so that it survives closing the form. */
function useForm({ onParams }: ParamsProps<DecisionsParams>, onEmpty: () => void) {
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
