import { useState } from "react"
import { useToast } from "./toast/toast.tsx"

/**
 * A part that is fetched when it is first wanted: what floats is 30 kB that most visits never open.
 * Unlike a page it is no failure when the server is away: a word is said, and the next press asks
 * again.
 */
export function useLater<Part>(load: () => Promise<Part>) {
  const [part, setPart] = useState<{ readonly value: Part } | null>(null)
  const toast = useToast()
  const fail = () => toast.show({ text: "This was not loaded yet, and the server does not answer" })
  return {
    part: part?.value,
    /** Fetches it, if it is not here yet, and then goes on. */
    want(then: () => void): void {
      if (part !== null) {
        then()
        return
      }
      load().then((value) => {
        setPart({ value })
        then()
      }, fail)
    },
  }
}
