import { useSyncExternalStore } from "react"

const NARROW = "(max-width: 900px)"

export function useNarrow(): boolean {
  return useSyncExternalStore(
    watch,
    () => window.matchMedia(NARROW).matches,
    () => false,
  )
}

function watch(changed: () => void): () => void {
  const query = window.matchMedia(NARROW)
  query.addEventListener("change", changed)
  return () => query.removeEventListener("change", changed)
}
