import { ChoiceField } from "../../ui/field/field.tsx"
import { Flow, Stack } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { type Draft, GATEWAYS, type Problems } from "./launch-draft.ts"

type GatewayEntryProps = {
  readonly draft: Draft
  readonly problems: Problems
  set(change: Partial<Draft>): void
}

export function GatewayEntry({ draft, problems, set }: GatewayEntryProps) {
  const chosen = GATEWAYS.find((it) => it.value === draft.gateway)
  const pick = (value: string) => {
    const found = GATEWAYS.find((it) => it.value === value)
    if (found !== undefined) set({ gateway: found.value })
  }
  return (
    <Stack gap="8">
      <Flow align="apart">
        <Text size="sm" tone="2">
          Gateway
        </Text>
        <ChoiceField
          small
          label="Gateway"
          choices={GATEWAYS.map(({ value, label }) => ({ value, label }))}
          value={draft.gateway}
          onPick={pick}
        />
      </Flow>
      <Text as="p" size="sm" tone="2">
        {problems.gateway ?? chosen?.says}
      </Text>
    </Stack>
  )
}
