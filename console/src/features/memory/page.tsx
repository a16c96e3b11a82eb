import { useState } from "react"
import { type MemoryRecorded, plural } from "../../contract.ts"
import type { MemoryParams } from "../../data/paths.ts"
import { useSession } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { Split } from "../../ui/split/split.tsx"
import { useToast } from "../../ui/toast/toast.tsx"
import { AddForm } from "./add-form.tsx"
import { Detail } from "./detail.tsx"
import { type Draft, NO_DRAFT } from "./draft.ts"
import { ListPane } from "./list-pane.tsx"
import { useActions } from "./use-memory.ts"

type MemoryPageProps = {
  readonly now: number
  readonly params: MemoryParams
  onParams(change: Partial<MemoryParams>, how?: "push" | "replace"): void
}

/** What was decided to be remembered, who said it, how old it is and how far it is trusted. */
export function MemoryPage({ now, params, onParams }: MemoryPageProps) {
  const { data: session } = useSession()
  const isReadOnly = session?.readOnly === true
  // Here and not in the form: what was written stays when the form is left.
  const [draft, setDraft] = useState<Draft>(NO_DRAFT)
  const isEmpty = !params.add && params.show === ""
  useKey("leave", leaves(params, onParams))
  return (
    <>
      <Header title="Memory">
        <Button
          icon="plus"
          keyId="memory.new"
          disabled={isReadOnly}
          onPress={() => onParams({ add: true })}
          shrinks
        >
          Add memory
        </Button>
      </Header>
      <Split
        name="memory"
        startPx={DETAIL_PX}
        list={<ListPane now={now} params={params} isReadOnly={isReadOnly} onParams={onParams} />}
        detail={
          isEmpty ? null : (
            <Beside {...{ now, params, isReadOnly, draft, onParams }} onDraft={setDraft} />
          )
        }
      />
    </>
  )
}

type BesideProps = MemoryPageProps & {
  readonly isReadOnly: boolean
  readonly draft: Draft
  onDraft(draft: Draft): void
}

/** The memory that was chosen, or the form that adds one. */
function Beside({ now, params, isReadOnly, draft, onDraft, onParams }: BesideProps) {
  const tell = useTellRecorded()
  const recorded = (answer: MemoryRecorded) => {
    const { id } = answer.memory
    if (answer.outcome === "recorded") onDraft(NO_DRAFT)
    tell(answer, () => onParams({ show: "", at: "", add: false }, "replace"))
    onParams({ add: false, at: id, show: id })
  }
  if (params.add) {
    return (
      <AddForm
        draft={draft}
        isReadOnly={isReadOnly}
        onDraft={onDraft}
        onRecorded={recorded}
        onClose={() => onParams({ add: false }, "replace")}
      />
    )
  }
  return (
    <Detail
      key={params.show}
      now={now}
      id={params.show}
      isReadOnly={isReadOnly}
      onClose={() => onParams({ show: "" })}
    />
  )
}

/** A text is read here: wider than the 392 of other details. */
const DETAIL_PX = 480

/** What came of it, with the way back where there is one. */
function useTellRecorded() {
  const toast = useToast()
  const { forget } = useActions()
  return ({ outcome, memory, redactions }: MemoryRecorded, onUndone: () => void) => {
    if (outcome === "duplicate") {
      toast.show({ text: "One of them says this already; nothing was written" })
      return
    }
    const replaced = redactions === 0 ? "" : `, ${plural(redactions, "secret")} replaced`
    const undo = () => {
      forget(memory.id)
      onUndone()
    }
    toast.show({ text: `Recorded in ${memory.file}${replaced}`, undo })
  }
}

/** First what stands beside, then what is looked for. */
function leaves({ show, add, text }: MemoryParams, onParams: MemoryPageProps["onParams"]) {
  if (add) return () => onParams({ add: false }, "replace")
  if (show !== "") return () => onParams({ show: "" }, "replace")
  return text === "" ? undefined : () => onParams({ text: "", at: "" }, "replace")
}
