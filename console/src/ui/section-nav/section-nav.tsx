import type { ReactNode } from "react"
import { ChoiceMenu } from "../menu/menu.tsx"
import styles from "./section-nav.module.css"

type NavSection = { readonly value: string; readonly label: string; readonly href: string }

type SectionNavProps = {
  readonly label: string
  readonly sections: readonly NavSection[]
  readonly active: string
  onPick(value: string): void
  readonly children: ReactNode
}

/** Sections of a long page beside it; above it, as a menu, where the pane is narrow. */
export function SectionNav({ label, sections, active, onPick, children }: SectionNavProps) {
  return (
    <div className={styles.columns}>
      <nav className={styles.nav} aria-label={label}>
        {sections.map((it) => (
          <a key={it.value} href={it.href} aria-current={it.value === active ? "true" : undefined}>
            {it.label}
          </a>
        ))}
      </nav>
      <div className={styles.menu}>
        <ChoiceMenu
          label={label}
          boxed="small"
          choices={sections.map(({ value, label: name }) => ({ value, label: name }))}
          value={active}
          onPick={onPick}
        >
          {sections.find((it) => it.value === active)?.label ?? active}
        </ChoiceMenu>
      </div>
      {children}
    </div>
  )
}
