import { useSyncExternalStore } from "react"

/** As in pane.module.css: so wide and no wider, a detail is a page of its own. */
const NARROW = "(max-width: 900px)"

/** Whether the detail of a page takes the place of its list. */
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
