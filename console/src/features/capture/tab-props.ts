export type TabProps = {
  readonly at: string
  onMove(line: { readonly key: string }): void
  onOpen(line: { readonly key: string }, how: "press" | "key"): void
}
