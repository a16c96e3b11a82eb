import { KINDS } from "../../base/kinds.ts"
import { type ContextKind, formatExact, plural } from "../../contract.ts"
import { paths } from "../../data/paths.ts"
import { RowBudgetBar } from "../../ui/budget-bar/budget-bar.tsx"

import { Text } from "../../ui/text/text.tsx"
import { Box, BoxBody, BoxTop } from "../../ui/transcript/box.tsx"
import { TextLink } from "../../ui/transcript/transcript.tsx"
import type { ContextStart } from "./entry.ts"

/** What the agent had in its window before its first word. */
export function ContextView({ entry }: { readonly entry: ContextStart }) {
  const { contextFileCount, tokens, kinds, window } = entry.message.metadata
  const files = typeof contextFileCount === "number" ? plural(contextFileCount, "item") : ""
  const counted = typeof tokens === "number" ? `${formatExact(tokens)} tokens` : ""
  const amounts = readKinds(kinds)
  return (
    <Box>
      <BoxBody>
        <BoxTop aside={<TextLink href={paths.capture()}>Open</TextLink>}>
          <b>Context at start</b>
          <Text tone="2">{[files, counted].filter((it) => it !== "").join(", ")}</Text>
        </BoxTop>
        {Object.keys(amounts).length === 0 ? null : (
          <RowBudgetBar tokens={amounts} {...(typeof window === "number" ? { window } : {})} />
        )}
      </BoxBody>
    </Box>
  )
}

function readKinds(kinds: unknown): Partial<Record<ContextKind, number>> {
  const amounts: Partial<Record<ContextKind, number>> = {}
  if (!Array.isArray(kinds)) return amounts
  const listed: readonly unknown[] = kinds
  for (const it of listed) {
    if (typeof it !== "object" || it === null || !("kind" in it) || !("tokens" in it)) continue
    const kind = KINDS.find((one) => one === it.kind)
    if (kind !== undefined && typeof it.tokens === "number") amounts[kind] = it.tokens
  }
  return amounts
}
