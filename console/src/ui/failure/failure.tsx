import type { ReactNode } from "react"
import { hasCode, toWireError } from "../../base/errors.ts"
import type { WireError } from "../../contract.ts"
import { Button, LinkButton } from "../button/button.tsx"
import { Icon } from "../icon/icon.tsx"
import { Prose, Text } from "../text/text.tsx"
import { useToast } from "../toast/toast.tsx"
import styles from "./failure.module.css"

type FailureProps = {
  readonly error: WireError
  readonly size: "page" | "pane" | "row"
  readonly onRetry?: (() => void) | undefined
  readonly children?: ReactNode
}

export function Failure({ error, size, onRetry, children }: FailureProps) {
  const toast = useToast()
  if (size === "row") return <FailureRow error={error} onRetry={onRetry} />
  const details = JSON.stringify(error, null, 2)
  const copy = () => {
    navigator.clipboard.writeText(details).then(
      () => toast.show({ text: "Details copied" }),
      () => toast.show({ text: "The browser denied access to the clipboard" }),
    )
  }
  return (
    <div
      className={size === "page" ? `${styles.failure} ${styles.page}` : styles.failure}
      role="alert"
    >
      <Icon name="warning" />
      <div>
        <Text as="h2" {...(size === "page" ? { size: "title-sm" } : {})}>
          {error.message}
        </Text>
        <Text as="p" tone="2" read>
          <Prose>{error.hint}</Prose>
        </Text>
      </div>
      <div className={styles.actions}>
        {onRetry === undefined ? null : (
          <Button variant={size === "page" ? "primary" : "plain"} onPress={onRetry}>
            Try again
          </Button>
        )}
        {children}
      </div>
      <div className={styles.code}>
        <span>{error.code}</span>
        <button type="button" onClick={copy}>
          Copy details
        </button>
      </div>
    </div>
  )
}

function FailureRow({ error, onRetry }: Pick<FailureProps, "error" | "onRetry">) {
  return (
    <div className={styles.row} role="alert">
      <Icon name="close" />
      <div>
        {error.message}{" "}
        <Text tone="2">
          <Prose>{error.hint}</Prose>
        </Text>
      </div>
      <code>{error.code}</code>
      {onRetry === undefined ? null : (
        <Button small onPress={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}

/** A page shows this instead of an error with the code, because trying again cannot help. */
export type Missing = {
  readonly code: string
  readonly text: string
  /** Label of the link to the objects that exist. */
  readonly all: string
  readonly href: string
}

type LoadFailureProps = {
  readonly error: unknown
  readonly size?: "page" | "pane"
  readonly missing: Missing | undefined
  /** Next to the link. */
  readonly children?: ReactNode
  onRetry(): void
}

export function LoadFailure(props: LoadFailureProps) {
  const { error, size = "pane", missing, children, onRetry } = props
  if (error === null) return null
  if (missing === undefined || !hasCode(error, missing.code))
    return <Failure size={size} error={toWireError(error)} onRetry={onRetry} />
  return (
    <div className={styles.missing}>
      {missing.text}
      {children}
      <LinkButton small href={missing.href}>
        {missing.all}
      </LinkButton>
    </div>
  )
}
