import type { KeyboardEvent, ReactNode, Ref } from "react"
import { formatShare } from "../../base/format.ts"
import { formatExact, type TokenCount } from "../../contract.ts"
import { BudgetBar } from "../budget-bar/budget-bar.tsx"
import { Icon, type IconName } from "../icon/icon.tsx"
import { Kbd } from "../kbd/kbd.tsx"
import { Meter } from "../meter/meter.tsx"
import { Path } from "../path/path.tsx"
import { Text } from "../text/text.tsx"
import styles from "./command.module.css"

export function CommandLineBox(props: { icon: IconName; children: ReactNode; tag?: string }) {
  return (
    <div className={styles.line}>
      <Icon name={props.icon} />
      {props.children}
      {props.tag === undefined ? null : <span className={styles.tag}>{props.tag}</span>}
    </div>
  )
}

type CommandInputProps = {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  readonly listId?: string | undefined
  readonly activeId?: string | undefined
  readonly onChange: (text: string) => void
  readonly onKeyDown: (event: KeyboardEvent<HTMLInputElement>) => void
  readonly ref: Ref<HTMLInputElement>
}

export function CommandInput(props: CommandInputProps) {
  return (
    <input
      ref={props.ref}
      className={styles.input}
      type="text"
      role="combobox"
      aria-expanded={props.listId !== undefined}
      aria-controls={props.listId}
      aria-activedescendant={props.activeId}
      aria-autocomplete="list"
      aria-label={props.label}
      placeholder={props.placeholder}
      value={props.value}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => props.onChange(event.target.value)}
      onKeyDown={props.onKeyDown}
    />
  )
}

export function CommandGiven({
  name,
  description,
}: {
  readonly name: string
  readonly description: string
}) {
  return (
    <span className={styles.given}>
      <Text mono>{name}</Text>
      {description === "" ? null : <span title={description}>{description}</span>}
    </span>
  )
}

type CommandEntry = {
  readonly id: string
  readonly icon: IconName
  readonly label: readonly { readonly text: string; readonly isMatch: boolean }[]
  readonly isLabelCode?: boolean
  readonly detail?: string | undefined
  readonly keys?: string | undefined
}

type EntryListProps = {
  readonly id: string
  readonly label: string
  readonly groups: readonly { readonly name: string; readonly entries: readonly CommandEntry[] }[]
  readonly selectedId: string | undefined
  onHover(id: string): void
  onPick(id: string): void
}

/** Grouped results; the focus stays in the input, which refers to the active one. */
export function EntryList({ id, label, groups, selectedId, onHover, onPick }: EntryListProps) {
  return (
    <div className={styles.results} role="listbox" id={id} aria-label={label}>
      {groups.map((group) => (
        <div key={group.name} role="group" aria-label={group.name}>
          {group.name === "" ? null : <h3 aria-hidden="true">{group.name}</h3>}
          {group.entries.map((it) => (
            <div
              key={it.id}
              id={`${id} ${it.id}`.replaceAll(" ", "-")}
              className={styles.entry}
              role="option"
              tabIndex={-1}
              aria-selected={it.id === selectedId}
              ref={it.id === selectedId ? keepInSight : undefined}
              onMouseMove={() => (it.id === selectedId ? undefined : onHover(it.id))}
              onClick={() => onPick(it.id)}
            >
              <Icon name={it.icon} />
              <span className={styles.label} data-mono={it.isLabelCode || undefined}>
                {it.label.map((piece, i) =>
                  piece.isMatch ? <mark key={`${i} ${piece.text}`}>{piece.text}</mark> : piece.text,
                )}
              </span>
              <span className={styles.detail}>{it.detail}</span>
              <span className={styles.keys}>
                {it.keys === undefined ? null : <Kbd keys={it.keys} />}
              </span>
            </div>
          ))}
        </div>
      ))}
    </div>
  )
}

function keepInSight(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "nearest" })
}

export function entryElementId(listId: string, entryId: string | undefined): string | undefined {
  return entryId === undefined ? undefined : `${listId} ${entryId}`.replaceAll(" ", "-")
}

type CommandMessageProps = {
  readonly mood?: "bad"
  readonly hint?: string
  readonly children: ReactNode
}

export function CommandMessage({ mood, hint, children }: CommandMessageProps) {
  return (
    <div className={styles.message} data-mood={mood} role={mood === "bad" ? "alert" : "status"}>
      {children}
      {hint === undefined || hint === "" ? null : <small>{hint}</small>}
    </div>
  )
}

export type FootAction = { readonly label: string; readonly keys: string; onPress(): void }

export function CommandFoot(props: { description: ReactNode; actions: readonly FootAction[] }) {
  return (
    <div className={styles.foot}>
      <span>{props.description}</span>
      {props.actions.map((it) => (
        <button
          key={it.label}
          type="button"
          className={styles["foot-button"]}
          // The input keeps the focus; the shown keys do the same.
          tabIndex={-1}
          onClick={it.onPress}
        >
          {it.label}
          <Kbd keys={it.keys} />
        </button>
      ))}
    </div>
  )
}

type KeySheetProps = {
  readonly groups: readonly {
    readonly name: string
    readonly rows: readonly { readonly label: string; readonly keys: readonly string[] }[]
  }[]
}

export function KeySheet({ groups }: KeySheetProps) {
  return (
    <section className={styles.sheet} aria-label="Keys" tabIndex={0}>
      {groups.map((group) => (
        <section key={group.name} aria-label={group.name}>
          <h3>{group.name}</h3>
          <ul>
            {group.rows.map((row) => (
              <li key={row.label}>
                <span>{row.label}</span>
                <span className={styles.alternatives}>
                  {row.keys.map((keys) => (
                    <Kbd key={keys} keys={keys} always />
                  ))}
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </section>
  )
}

export function CommandResult({ children }: { readonly children: ReactNode }) {
  return <div className={styles.result}>{children}</div>
}

export function TokenCountResult({ count }: { readonly count: TokenCount }) {
  const { total, files, budget } = count
  return (
    <CommandResult>
      <div className={styles.figure}>
        <p>
          <Text size="title-md">{formatExact(total.tokens)}</Text>
          <Text tone="2">
            tokens, {formatShare(total.share)} of {formatExact(budget)}
          </Text>
        </p>
        <BudgetBar tokens={{ files: total.tokens }} budget={budget} />
      </div>
      <ul className={styles.counted}>
        {files.map((it) => (
          <li key={it.path ?? "text"}>
            {it.path === undefined ? <span>The text</span> : <Path path={it.path} />}
            <Meter share={it.share} label={`${it.path ?? "The text"}, share of the budget`} />
            <Text mono align="end">
              {formatExact(it.tokens)}
            </Text>
          </li>
        ))}
      </ul>
    </CommandResult>
  )
}
