import { useEffect, useRef, useState } from "react"
import type { NowRow } from "../contract.ts"
import { navigate } from "../data/location.ts"
import { hrefOfRow } from "../data/today.ts"
import { recall, remember } from "../ui/remember.ts"

/** "off" until the user turns them on; "denied" and "missing" are decided by the browser. */
export type NotificationChoice = "on" | "off" | "denied" | "missing"

const NAME = "notifications"

function currentChoice(): NotificationChoice {
  if (!("Notification" in window)) return "missing"
  if (Notification.permission === "denied") return "denied"
  return Notification.permission === "granted" && recall(NAME) === "on" ? "on" : "off"
}

export function useNotificationChoice() {
  const [choice, setChoice] = useState(currentChoice)
  const pick = async (next: "on" | "off") => {
    if (next === "on" && currentChoice() === "off") await Notification.requestPermission()
    remember(NAME, next)
    setChoice(currentChoice())
  }
  return { choice, pick: (next: "on" | "off") => void pick(next) }
}

/** Rows that wait now and did not wait before; none at the first look at a page. */
export function freshRows(
  before: ReadonlySet<string> | undefined,
  waiting: readonly NowRow[],
): readonly NowRow[] {
  return before === undefined ? [] : waiting.filter((it) => !before.has(keyOf(it)))
}

const keyOf = ({ kind, id, at }: NowRow) => `${kind} ${id} ${at}`

/** Tells the user who looks elsewhere that an agent waits; a click opens it. */
export function useNotifications(waiting: readonly NowRow[] | undefined): void {
  const before = useRef<ReadonlySet<string>>(undefined)
  useEffect(() => {
    if (waiting === undefined) return
    const fresh = freshRows(before.current, waiting)
    before.current = new Set(waiting.map(keyOf))
    if (currentChoice() !== "on" || document.hasFocus()) return
    for (const row of fresh) show(row)
  }, [waiting])
}

function show(row: NowRow): void {
  const notification = new Notification(row.title, {
    body: row.ask ?? "Waiting for you",
    // A second page of the same console replaces the first one's notification.
    tag: keyOf(row),
  })
  notification.addEventListener("click", () => {
    window.focus()
    navigate(hrefOfRow(row))
    notification.close()
  })
}
