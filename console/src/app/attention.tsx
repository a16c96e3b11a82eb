import type { Now } from "../contract.ts"
import { useNotifications } from "./notifications.ts"
import { useWakeLock } from "./wake-lock.ts"

/** Loaded only for users who turned one of them on, because the first load has a limit. */
export function Attention({ report }: { readonly report: Now | undefined }) {
  useNotifications(report?.waiting)
  useWakeLock((report?.running.length ?? 0) > 0)
  return null
}
