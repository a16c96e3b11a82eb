import { useState } from "react"

const BESIDE_FROM = "(min-width: 901px)"

type FactsPaneProps = { readonly areFactsHidden: boolean; readonly onToggleFacts: () => void }

/** Beside the page the pane keeps its state; where it replaces the page, it is shown only on request. */
export function useFactsPane({ areFactsHidden, onToggleFacts }: FactsPaneProps) {
  const [isOver, setIsOver] = useState(false)
  return {
    isShown: isOver || !areFactsHidden,
    width: isOver ? ("over" as const) : ("facts" as const),
    toggle() {
      if (isOver || !window.matchMedia(BESIDE_FROM).matches) setIsOver(!isOver)
      else onToggleFacts()
    },
  }
}
