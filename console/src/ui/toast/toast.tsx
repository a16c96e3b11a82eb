import {
  createContext,
  type ReactNode,
  type RefObject,
  useCallback,
  useContext,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react"
import type { WireError } from "../../contract.ts"
import { Button, IconButton } from "../button/button.tsx"
import { Icon } from "../icon/icon.tsx"
import { useKey } from "../keys/keys.tsx"
import { Prose } from "../text/text.tsx"
import styles from "./toast.module.css"

export type ToastContent = {
  readonly text: string
  readonly hint?: string
  readonly mood?: "bad"
  readonly undo?: () => void
}
type Toast = ToastContent & { readonly id: number }

export type Toasts = {
  show(content: ToastContent): void
  fail(error: WireError): void
}

const ToastContext = createContext<Toasts>({ show: () => undefined, fail: () => undefined })

export const useToast = (): Toasts => useContext(ToastContext)

const MOST_TOASTS = 3
const SHOWN_MS = 8_000
/** 16 pixels below the toasts, up to the status bar, and 16 above them. */
const GAP_PX = 32

export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([])
  const nextId = useRef(1)
  const close = useCallback(
    (id: number) => setToasts((shown) => shown.filter((it) => it.id !== id)),
    [],
  )
  const show = useCallback(
    (content: ToastContent) => {
      const id = nextId.current++
      setToasts((shown) => [...shown, { ...content, id }].slice(-MOST_TOASTS))
      if (content.mood !== "bad") window.setTimeout(() => close(id), SHOWN_MS)
    },
    [close],
  )
  const toast = useMemo(
    () => ({
      show,
      fail: (error: WireError) => show({ text: error.message, hint: error.hint, mood: "bad" }),
    }),
    [show],
  )
  const latestUndo = toasts.findLast((it) => it.undo !== undefined)
  const undo = (toast: Toast) => {
    close(toast.id)
    toast.undo?.()
  }
  useKey("undo", latestUndo === undefined ? undefined : () => undo(latestUndo))
  const box = useRef<HTMLElement>(null)
  usePageInset(
    box,
    toasts.some((it) => it.mood === "bad"),
  )
  return (
    <ToastContext value={toast}>
      {children}
      <section ref={box} className={styles.toasts} aria-label="Messages" aria-live="polite">
        {toasts.map((it) => (
          <div key={it.id} className={styles.toast} data-mood={it.mood}>
            <Icon name={it.mood === "bad" ? "warning" : "check"} />
            <span className={styles.text}>
              {it.text}
              {it.hint === undefined ? null : (
                <small>
                  <Prose>{it.hint}</Prose>
                </small>
              )}
            </span>
            {it.undo === undefined ? null : (
              <Button variant="ghost" small icon="undo" onPress={() => undo(it)}>
                Undo
              </Button>
            )}
            <IconButton icon="close" label="Close" small onPress={() => close(it.id)} />
          </div>
        ))}
      </section>
    </ToastContext>
  )
}

/**
 * Errors stay until they are closed, so the page ends above them: a button at the foot of a pane
 * stays visible.
 */
function usePageInset(box: RefObject<HTMLElement | null>, isNeeded: boolean): void {
  useLayoutEffect(() => {
    const element = box.current
    if (element === null || !isNeeded) return
    const root = document.documentElement.style
    const observer = new ResizeObserver(() =>
      root.setProperty("--toast-inset", `${element.offsetHeight + GAP_PX}px`),
    )
    observer.observe(element)
    return () => {
      observer.disconnect()
      root.removeProperty("--toast-inset")
    }
  }, [box, isNeeded])
}
