import { useState } from "react"
import { type MemoryRecorded, plural } from "../../contract.ts"
import type { DecisionsParams } from "../../data/paths.ts"
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
import { useTakeBack } from "./use-decisions.ts"

type DecisionsPageProps = {
  readonly now: number
  readonly params: DecisionsParams
  onParams(change: Partial<DecisionsParams>, how?: "push" | "replace"): void
}

/** What was decided, why, and what it rests on. */
export function DecisionsPage({ now, params, onParams }: DecisionsPageProps) {
  const { data: session } = useSession()
  const isReadOnly = session?.readOnly === true
  // Here and not in the form: what was written stays when the form is left.
  const [draft, setDraft] = useState<Draft>(NO_DRAFT)
  const isEmpty = !params.add && params.show === ""
  useKey("leave", leaves(params, onParams))
  return (
    <>
      <Header title="Decisions">
        <Button
          icon="plus"
          keyId="decisions.new"
          disabled={isReadOnly}
          onPress={() => onParams({ add: true })}
          shrinks
        >
          Add decision
        </Button>
      </Header>
      <Split
        name="decisions"
        startPx={DETAIL_PX}
        list={<ListPane {...{ now, params, isReadOnly, onParams }} />}
        detail={
          isEmpty ? null : (
            <Beside {...{ now, params, isReadOnly, draft, onParams }} onDraft={setDraft} />
          )
        }
      />
    </>
  )
}

/** A text is read here: wider than the 392 of other details. */
const DETAIL_PX = 520

type BesideProps = DecisionsPageProps & {
  readonly isReadOnly: boolean
  readonly draft: Draft
  onDraft(draft: Draft): void
}

/** The decision that was chosen, or the form that adds one. */
function Beside({ now, params, isReadOnly, draft, onDraft, onParams }: BesideProps) {
  const tell = useTellAdded()
  const added = (answer: MemoryRecorded) => {
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
        onAdded={added}
        onClose={() => onParams({ add: false }, "replace")}
      />
    )
  }
  const close = () => onParams({ show: "" })
  return <Detail key={params.show} now={now} id={params.show} onClose={close} />
}

/** What came of it, with the way back where there is one. */
function useTellAdded() {
  const toast = useToast()
  const takeBack = useTakeBack()
  return ({ outcome, memory, redactions }: MemoryRecorded, onUndone: () => void) => {
    if (outcome === "duplicate") {
      toast.show({ text: "One of them says this already; nothing was written" })
      return
    }
    const replaced = redactions === 0 ? "" : `, ${plural(redactions, "secret")} replaced`
    const undo = () => {
      takeBack(memory.id)
      onUndone()
    }
    toast.show({ text: `Recorded in ${memory.file}${replaced}`, undo })
  }
}

/** First what stands beside, then the words. */
function leaves({ show, add, text }: DecisionsParams, onParams: DecisionsPageProps["onParams"]) {
  if (add) return () => onParams({ add: false }, "replace")
  if (show !== "") return () => onParams({ show: "" }, "replace")
  return text === "" ? undefined : () => onParams({ text: "", at: "" }, "replace")
}
