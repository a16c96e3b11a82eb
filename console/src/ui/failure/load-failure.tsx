import type { ReactNode } from "react"
import { hasCode, toWireError } from "../../base/errors.ts"
import { LinkButton } from "../button/button.tsx"
import { RowNote } from "../list/list.tsx"
import { Failure } from "./failure.tsx"

/** What a page says where its object does not exist: trying again cannot help. */
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
    <RowNote>
      {missing.text}
      {children}
      <LinkButton small href={missing.href}>
        {missing.all}
      </LinkButton>
    </RowNote>
  )
}
