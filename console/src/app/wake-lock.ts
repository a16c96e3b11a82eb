import { useEffect, useState } from "react"
import { recall, remember, useRecalled } from "../ui/remember.ts"

/** "off" until the user turns it on; "missing" is decided by the browser. */
export type WakeLockChoice = "on" | "off" | "missing"

const WAKE_LOCK = "wake-lock"

function currentChoice(): WakeLockChoice {
  if (!("wakeLock" in navigator)) return "missing"
  return recall(WAKE_LOCK) === "on" ? "on" : "off"
}

export function useWakeLockChoice() {
  const [choice, setChoice] = useState(currentChoice)
  const pick = (next: "on" | "off") => {
    remember(WAKE_LOCK, next)
    setChoice(currentChoice())
  }
  return { choice, pick }
}

type Lock = { release(): Promise<void> }

type LockDeps = {
  request(): Promise<Lock>
  isVisible(): boolean
}

/**
 * Holds a lock exactly while it is wanted and the page is visible. The browser releases it when the
 * page is hidden, so `look` is called again when it is shown.
 */
export function createWakeLock({ request, isVisible }: LockDeps) {
  let isWanted = false
  let held: Lock | undefined
  let work: Promise<void> = Promise.resolve()

  async function settle(): Promise<void> {
    const isDue = isWanted && isVisible()
    if (isDue === (held !== undefined)) return
    if (isDue) {
      // Refused when the battery is low; the next look tries again.
      held = await request().catch(() => undefined)
      return
    }
    const lock = held
    held = undefined
    await lock?.release().catch(() => undefined)
  }
  const look = (): Promise<void> => {
    work = work.then(settle)
    return work
  }
  return {
    want(next: boolean): Promise<void> {
      isWanted = next
      return look()
    },
    /** The page was hidden or shown; a hidden page has lost its lock. */
    visibilityChanged(): Promise<void> {
      if (!isVisible()) held = undefined
      return look()
    },
  }
}

/** Keeps the screen on while runs work, if the user wants that. */
export function useWakeLock(areRunsWorking: boolean): void {
  const [lock] = useState(() =>
    createWakeLock({
      request: () => navigator.wakeLock.request("screen"),
      isVisible: () => document.visibilityState === "visible",
    }),
  )
  const isOn = useRecalled(WAKE_LOCK) === "on" && currentChoice() === "on"
  useEffect(() => void lock.want(areRunsWorking && isOn), [lock, areRunsWorking, isOn])
  useEffect(() => {
    const seen = () => void lock.visibilityChanged()
    document.addEventListener("visibilitychange", seen)
    return () => document.removeEventListener("visibilitychange", seen)
  }, [lock])
}
