/** What every tab is told: which line is selected, and whom to tell of the next. */
export type TabProps = {
  readonly at: string
  onMove(line: { readonly key: string }): void
  onOpen(line: { readonly key: string }, how: "press" | "key"): void
}
