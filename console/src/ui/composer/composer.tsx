import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react"
import { visibleLine } from "../../base/format.ts"
import { IconButton } from "../button/button.tsx"
import { Icon } from "../icon/icon.tsx"
import { isApple } from "../kbd/kbd.tsx"
import { useKey } from "../keys/keys.tsx"
import styles from "./composer.module.css"

type ComposerProps = {
  readonly text: string
  readonly placeholder: string
  readonly keyId?: string
  /** Focused when the page opens. */
  readonly isFirst?: boolean
  onText(text: string): void
  onCommit(): void
  readonly above?: ReactNode
  readonly tools: ReactNode
  readonly actions: ReactNode
}

export function Composer(props: ComposerProps) {
  const { text, onText, onCommit } = props
  const area = useRef<HTMLTextAreaElement>(null)
  useKey(props.keyId ?? "", props.keyId === undefined ? undefined : () => area.current?.focus())
  useEffect(() => {
    if (props.isFirst === true) area.current?.focus()
  }, [props.isFirst])
  useGrowing(area, text)
  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (isCommit(event)) {
      event.preventDefault()
      onCommit()
    }
    if (event.key !== "Escape") return
    event.stopPropagation()
    event.currentTarget.blur()
  }
  return (
    <div className={styles.composer}>
      {props.above}
      <div className={styles.field}>
        <textarea
          ref={area}
          rows={1}
          value={text}
          placeholder={props.placeholder}
          aria-label={props.placeholder}
          onChange={(event) => onText(event.target.value)}
          onKeyDown={press}
        />
        <div className={styles.tools}>
          {props.tools}
          <span className={styles.grow} />
          {props.actions}
        </div>
      </div>
    </div>
  )
}

function isCommit(event: KeyboardEvent): boolean {
  return event.key === "Enter" && (isApple() ? event.metaKey : event.ctrlKey)
}

/** At most a third of the window, so that the transcript stays visible. */
const MOST_SHARE = 1 / 3

function useGrowing(area: { readonly current: HTMLTextAreaElement | null }, text: string): void {
  useLayoutEffect(() => {
    const element = area.current
    if (element === null) return
    element.style.height = "auto"
    const most = window.innerHeight * MOST_SHARE
    element.style.height = `${Math.min(element.scrollHeight, text === "" ? 20 : most)}px`
  }, [area, text])
}

export function ComposerFact({ children }: { readonly children: ReactNode }) {
  return <span className={styles.fact}>{children}</span>
}

export function ComposerMode({ children }: { readonly children: ReactNode }) {
  return <span className={styles.mode}>{children}</span>
}

type QueuedProps = {
  readonly text: string
  onEdit(text: string): void
  onRemove(): void
}

export function QueuedLine({ text, onEdit, onRemove }: QueuedProps) {
  const [draft, setDraft] = useState<string | null>(null)
  const commit = () => {
    const isChanged = draft !== null && draft.trim() !== "" && draft !== text
    if (isChanged) onEdit(draft)
    setDraft(null)
  }
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === "Enter") commit()
    if (event.key !== "Escape") return
    event.stopPropagation()
    setDraft(null)
  }
  return (
    <div className={styles.queued}>
      <Icon name="now" />
      <span className={styles.word}>Queued</span>
      {draft === null ? (
        <span className={styles.text} title={text}>
          {visibleLine(text)}
        </span>
      ) : (
        <input
          className={styles.draft}
          value={draft}
          aria-label="The queued turn"
          ref={(element) => element?.focus()}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={press}
          onBlur={commit}
        />
      )}
      <IconButton small icon="edit" label="Edit" onPress={() => setDraft(text)} />
      <IconButton small icon="close" label="Remove" onPress={onRemove} />
    </div>
  )
}

export function ComposerClosed({ children }: { readonly children: ReactNode }) {
  return <div className={styles.closed}>{children}</div>
}
