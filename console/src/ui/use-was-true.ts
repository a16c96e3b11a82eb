import { useState } from "react"

/**
 * True once `is` was true since the page opened, so that a second click does not hit another
 * button.
 */
export function useWasTrue(is: boolean): boolean {
  const [wasEver, setWasEver] = useState(is)
  if (is && !wasEver) setWasEver(true)
  return wasEver || is
}
