import type { ReactNode } from "react"
import type { Status } from "../../base/status.ts"
import { CopyButton } from "../copy/copy.tsx"
import { Mark } from "../mark/mark.tsx"
import { StatusMark } from "../status-mark/status-mark.tsx"
import { Text } from "../text/text.tsx"
import styles from "./empty.module.css"

type CommandLineProps = {
  readonly command: string
  readonly children?: ReactNode
}

export function CommandLine({ command, children }: CommandLineProps) {
  return (
    <div className={styles.command}>
      <span className={styles.prompt} aria-hidden="true">
        $
      </span>
      <code>{command}</code>
      <div className={styles.buttons}>
        <CopyButton text={command} />
        {children}
      </div>
    </div>
  )
}

type EmptyProps = {
  readonly description: ReactNode
  readonly command?: string
  readonly children?: ReactNode
}

export function Empty({ description, command, children }: EmptyProps) {
  return (
    <div className={styles.empty}>
      <Text as="p" tone="2" read>
        {description}
      </Text>
      {command === undefined ? null : <CommandLine command={command} />}
      {children}
    </div>
  )
}

type HelloProps = {
  readonly title: string
  readonly description: ReactNode
  readonly afterwards?: ReactNode
  readonly children: ReactNode
}

export function Welcome({ title, description, afterwards, children }: HelloProps) {
  return (
    <div className={styles.hello}>
      <Mark size={32} />
      <Text as="h2" size="title-lg">
        {title}
      </Text>
      <Text as="p" size="lg" tone="2" read>
        {description}
      </Text>
      {children}
      {afterwards === undefined ? null : (
        <Text as="p" size="sm" tone="2" read>
          {afterwards}
        </Text>
      )}
    </div>
  )
}

type WelcomeSectionProps = {
  readonly title: string
  readonly aside?: ReactNode
  readonly children: ReactNode
}

export function WelcomeSection({ title, aside, children }: WelcomeSectionProps) {
  return (
    <section className={styles.section} aria-label={title}>
      <header>
        <h3>{title}</h3>
        {aside}
      </header>
      {children}
    </section>
  )
}

export type CheckLine = {
  readonly status: Status
  readonly name: string
  readonly detail: string
  /** At the right edge, such as a version. */
  readonly aside?: string
}

export function CheckLines({ lines }: { readonly lines: readonly CheckLine[] }) {
  return (
    <ul className={styles.checks}>
      {lines.map(({ status, name, detail, aside }) => (
        <li key={`${name} ${detail}`}>
          <StatusMark status={status} />
          <span>{name}</span>
          <Text tone="2" title={detail}>
            {detail}
          </Text>
          {aside === undefined ? null : (
            <Text mono tone="2" align="end">
              {aside}
            </Text>
          )}
        </li>
      ))}
    </ul>
  )
}
