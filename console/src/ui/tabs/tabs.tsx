import { Tabs as BaseTabs } from "@base-ui/react/tabs"
import type { ReactNode } from "react"
import styles from "./tabs.module.css"

export type Tab<Id extends string> = {
  readonly id: Id
  readonly label: string
  /** Beside the label, muted. */
  readonly note?: string
  readonly content: ReactNode
}

type TabsProps<Id extends string> = {
  readonly tabs: readonly Tab<Id>[]
  readonly active: Id
  onChange(id: Id): void
}

/** Views of one thing; arrow keys move between them. */
export function Tabs<Id extends string>({ tabs, active, onChange }: TabsProps<Id>) {
  const change = (value: unknown) => {
    const tab = tabs.find((it) => it.id === value)
    if (tab !== undefined) onChange(tab.id)
  }
  return (
    <BaseTabs.Root className={styles.root} value={active} onValueChange={change}>
      <div className={styles.bar}>
        <BaseTabs.List className={styles.list}>
          {tabs.map((it) => (
            <BaseTabs.Tab key={it.id} value={it.id} className={styles.tab}>
              {it.label}
              {it.note === undefined ? null : <span>{it.note}</span>}
            </BaseTabs.Tab>
          ))}
        </BaseTabs.List>
      </div>
      {tabs.map((it) => (
        <BaseTabs.Panel key={it.id} value={it.id} className={styles.panel}>
          {it.content}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  )
}

export type Facet = {
  readonly value: string
  readonly label: string
  readonly count?: number | string | undefined
}

type FacetsProps = {
  readonly label: string
  readonly facets: readonly Facet[]
  readonly active: string
  onPick(value: string): void
}

/** Readable filters over a list, one of which is on. */
export function Facets({ label, facets, active, onPick }: FacetsProps) {
  return (
    <div className={styles.facets} role="group" aria-label={label}>
      {facets.map((it) => (
        <button
          key={it.value}
          type="button"
          className={styles.tab}
          aria-pressed={it.value === active}
          onClick={() => onPick(it.value)}
        >
          {it.label}
          {it.count === undefined ? null : <span>{it.count}</span>}
        </button>
      ))}
    </div>
  )
}
