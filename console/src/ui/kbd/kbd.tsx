import { classNames } from "../class-names.ts"
import styles from "./kbd.module.css"

type KbdProps = {
  readonly keys: string
  readonly onFill?: boolean
  /** Also on a phone, where key hints beside buttons are hidden; used by the key help. */
  readonly always?: boolean
}

export function Kbd({ keys, onFill = false, always = false }: KbdProps) {
  return (
    <span className={classNames(styles.keys, onFill && styles["on-fill"])} data-always={always}>
      {keys.split(" ").map((press) => (
        <kbd key={press} className={styles.key}>
          {press.split("+").map((part, _i, parts) => (
            <KeyCap key={part} part={parts.length > 1 ? capital(part) : part} />
          ))}
        </kbd>
      ))}
    </span>
  )
}

function KeyCap({ part }: { readonly part: string }) {
  const drawing = DRAWINGS[part]
  if (part === "mod" && !isApple()) return <>ctrl </>
  if (part === "alt") return <>{isApple() ? "option" : "alt"} </>
  if (drawing === undefined) return <>{WORDS[part] ?? part}</>
  return (
    <svg viewBox="0 0 12 12" role="img" aria-label={drawing.label}>
      <path d={drawing.path} />
    </svg>
  )
}

function capital(part: string): string {
  return part.length === 1 ? part.toUpperCase() : part
}

const DRAWINGS: Readonly<Record<string, { label: string; path: string }>> = {
  mod: {
    label: "command",
    path: "M4.25 4.25h3.5v3.5h-3.5ZM4.25 4.25H3A1.25 1.25 0 1 1 4.25 3ZM7.75 4.25V3A1.25 1.25 0 1 1 9 4.25ZM7.75 7.75H9A1.25 1.25 0 1 1 7.75 9ZM4.25 7.75V9A1.25 1.25 0 1 1 3 7.75Z",
  },
  Enter: { label: "enter", path: "M9.75 2.5v4h-7M4.75 4.25 2.5 6.5l2.25 2.25" },
  ArrowDown: { label: "down", path: "M6 2.5v7M3.25 6.75 6 9.5l2.75-2.75" },
  ArrowLeft: { label: "left", path: "M9.5 6h-7M5.25 3.25 2.5 6l2.75 2.75" },
  ArrowRight: { label: "right", path: "M2.5 6h7M6.75 3.25 9.5 6 6.75 8.75" },
  ArrowUp: { label: "up", path: "M6 9.5v-7M3.25 5.25 6 2.5l2.75 2.75" },
}

const WORDS: Readonly<Record<string, string>> = { Escape: "esc", Space: "space" }

/** Outside a browser the modifier is Ctrl. */
export function isApple(): boolean {
  return typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.platform)
}
