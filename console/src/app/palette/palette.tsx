import { useRef, useState } from "react"
import { navigate } from "../../data/location.ts"
import { useOperationList } from "../../data/queries.tsx"
import { Dialog } from "../../ui/dialog/dialog.tsx"
import { useKeyBindings } from "../../ui/keys/keys.tsx"
import type { NavPage } from "../places.ts"
import { type Appearance, appearanceChoice } from "../theme/appearance.ts"
import { type AskStep, beginAsking, type PaletteForm } from "./argument-prompt.ts"
import { type Call, CallView, ConfirmView } from "./call-view.tsx"
import { type Entry, noteRecent } from "./entries.ts"
import { QuestionView } from "./question-view.tsx"
import { SearchView } from "./search-view.tsx"

type PaletteProps = {
  readonly initialQuery: string
  readonly place: NavPage | undefined
  readonly appearance: Appearance
  readonly isReadOnly: boolean
  onClose(): void
}

type Step =
  | { readonly kind: "search" }
  | { readonly kind: "ask"; readonly asking: PaletteForm }
  | { readonly kind: "confirm"; readonly call: Call }
  | { readonly kind: "call"; readonly call: Call }

export function Palette({ initialQuery, place, appearance, isReadOnly, onClose }: PaletteProps) {
  const [step, setStep] = useState<Step>({ kind: "search" })
  const input = useRef<HTMLInputElement>(null)
  const { data: list } = useOperationList()
  const { press } = useKeyBindings()
  const back = () => setStep({ kind: "search" })

  const follow = (next: AskStep) => {
    if (next.kind === "ask") setStep({ kind: "ask", asking: next.asking })
    if (next.kind !== "ready") return
    const call = { operation: next.operation, input: next.input }
    setStep({ kind: call.operation.effect === "write" ? "confirm" : "call", call })
  }
  const choose = (entry: Entry) => {
    noteRecent(entry)
    const { action } = entry
    if (action.kind === "call") {
      follow({ ...action, kind: "ready" })
      return
    }
    if (action.kind === "operation") {
      follow(beginAsking(action.operation))
      return
    }
    onClose()
    if (action.kind === "place") navigate(action.href)
    if (action.kind === "key") press(action.keyId)
    if (action.kind === "look") appearanceChoice(appearance).onChange(action.change, action.to)
  }
  return (
    <Dialog title="Search or run" onClose={onClose} initialFocus={input}>
      {step.kind === "search" ? (
        <SearchView
          ref={input}
          initialQuery={initialQuery}
          place={place}
          operations={list?.operations ?? []}
          isReadOnly={isReadOnly}
          onChoose={choose}
        />
      ) : null}
      {step.kind === "ask" ? (
        <QuestionView
          key={`${step.asking.operation.name} ${step.asking.index}`}
          asking={step.asking}
          onStep={follow}
          onBack={back}
        />
      ) : null}
      {step.kind === "confirm" ? (
        <ConfirmView
          call={step.call}
          onConfirm={() => setStep({ kind: "call", call: step.call })}
          onBack={back}
        />
      ) : null}
      {step.kind === "call" ? <CallView call={step.call} onBack={back} onClose={onClose} /> : null}
    </Dialog>
  )
}
