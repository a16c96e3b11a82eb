import { useSyncExternalStore } from "react"

const NARROW = mediaStore("(max-width: 900px)")
const PHONE = mediaStore("(max-width: 600px)")

/** Whether the window is too narrow for two panes. */
export function useNarrow(): boolean {
  return useSyncExternalStore(NARROW.watch, NARROW.read, () => false)
}

/** Whether the window is as narrow as a phone. */
export function usePhone(): boolean {
  return useSyncExternalStore(PHONE.watch, PHONE.read, () => false)
}

function mediaStore(query: string) {
  return {
    read: () => window.matchMedia(query).matches,
    watch(changed: () => void): () => void {
      const media = window.matchMedia(query)
      media.addEventListener("change", changed)
      return () => media.removeEventListener("change", changed)
    },
  }
}
