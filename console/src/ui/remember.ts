import { useSyncExternalStore } from "react"

const changes = new EventTarget()

/** Small preferences of this browser. Without storage nothing is stored and nothing fails. */
export function recall(name: string): string | null {
  try {
    return localStorage.getItem(`qm.${name}`)
  } catch {
    return null
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`qm.${name}`, value)
  } catch {
    // Not stored; the caller has it in memory.
  }
  changes.dispatchEvent(new Event("change"))
}

/** Also after another part of the page has changed it. */
export function useRecalled(name: string): string | null {
  return useSyncExternalStore(listen, () => recall(name))
}

function listen(onChange: () => void): () => void {
  changes.addEventListener("change", onChange)
  return () => changes.removeEventListener("change", onChange)
}
