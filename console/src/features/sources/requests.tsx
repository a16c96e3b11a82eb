import { useState } from "react"
import { formatAge, visibleLine } from "../../base/format.ts"
import type { CredentialRequest } from "../../contract.ts"
import { Button } from "../../ui/button/button.tsx"
import { TextField } from "../../ui/field/field.tsx"
import { Block, Flow, Stack } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useDeny, useGive, useRequests } from "./use-sources.ts"

type RequestsProps = { readonly now: number; readonly isReadOnly: boolean }

/** Credentials that agents wait for. The value goes to the server once and is shown nowhere. */
export function Requests({ now, isReadOnly }: RequestsProps) {
  const requests = useRequests().data?.requests ?? []
  if (requests.length === 0) return null
  return (
    <Block title="Agents ask for credentials" aside={String(requests.length)}>
      <Stack gap="8">
        {requests.map((it) => (
          <RequestRow key={it.id} request={it} now={now} isReadOnly={isReadOnly} />
        ))}
      </Stack>
    </Block>
  )
}

type RequestRowProps = RequestsProps & { readonly request: CredentialRequest }

function RequestRow({ request, now, isReadOnly }: RequestRowProps) {
  const [value, setValue] = useState("")
  const give = useGive()
  const deny = useDeny()
  const isBusy = isReadOnly || give.isPending || deny.isPending
  const name = visibleLine(request.name)
  return (
    <Stack>
      <Text as="p" wrap>
        {visibleLine(request.client)} asks for <strong>{name}</strong>:{" "}
        {visibleLine(request.reason)}
      </Text>
      <Text as="p" size="sm" tone="3">
        {formatAge(request.requestedAt, now)}. The agent learns that it is set, never its value.
      </Text>
      <Flow wrap>
        <TextField
          label={`Value of ${name}`}
          kind="secret"
          value={value}
          placeholder="Value"
          disabled={isBusy}
          onCommit={setValue}
        />
        <Button
          small
          variant="primary"
          disabled={isBusy || value === ""}
          onPress={() => {
            give.mutate({ request, value })
            setValue("")
          }}
        >
          Store
        </Button>
        <Button small disabled={isBusy} onPress={() => deny.mutate(request)}>
          Deny
        </Button>
      </Flow>
    </Stack>
  )
}
