import { useSyncExternalStore } from "react"

const NARROW = "(max-width: 900px)"

/** Whether the window is too narrow for two panes. */
export function useNarrow(): boolean {
  return useSyncExternalStore(
    watchNarrow,
    () => window.matchMedia(NARROW).matches,
    () => false,
  )
}

function watchNarrow(changed: () => void): () => void {
  const query = window.matchMedia(NARROW)
  query.addEventListener("change", changed)
  return () => query.removeEventListener("change", changed)
}
