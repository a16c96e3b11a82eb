import { useState } from "react"
import { useToast } from "./toast/toast.tsx"

/**
 * Loads a component on first use: floating components are 30 kB that most visits never open. If the
 * server is away, a message is shown and the next click retries.
 */
export function useLater<Part>(load: () => Promise<Part>) {
  const [part, setPart] = useState<{ readonly value: Part } | null>(null)
  const toast = useToast()
  const fail = () =>
    toast.show({ text: "This part is not loaded, and the server does not respond" })
  return {
    part: part?.value,
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
