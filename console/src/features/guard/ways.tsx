import { useState } from "react"
import type { VerdictLine } from "../../contract.ts"
import { paths as places } from "../../data/paths.ts"
import { Button } from "../../ui/button/button.tsx"
import { CommandLine } from "../../ui/empty/empty.tsx"
import { TextEntry } from "../../ui/entry/entry.tsx"
import { Block, Flow, Stack } from "../../ui/pane/pane.tsx"
import { PlaceLink, Text } from "../../ui/text/text.tsx"
import { useWays } from "./use-guard.ts"
import { pathsForShell } from "./words.ts"

type WaysProps = { readonly line: VerdictLine; readonly isReadOnly: boolean }

export function Ways({ line, isReadOnly }: WaysProps) {
  const { simulate, override } = useWays()
  const { rule, paths } = line
  const typed = pathsForShell(paths)
  if (paths.length === 0) return null
  return (
    <Block title="To continue">
      <Stack gap="8">
        {rule === "risk" ? (
          <Stack gap="8">
            <Text as="p" tone="2" read>
              Simulate the change: dependent files, tests that reach it, and risk. The edit is then
              allowed for four hours while the file is unchanged.
            </Text>
            {typed === undefined ? null : <CommandLine command={`qm simulate ${typed}`} />}
            {isReadOnly ? null : (
              <div>
                <Button small disabled={simulate.isPending} onPress={() => simulate.mutate(paths)}>
                  {simulate.isPending ? "Simulating" : "Simulate now"}
                </Button>
              </div>
            )}
          </Stack>
        ) : (
          <Text as="p" tone="2" read>
            Wait until the other session releases the file, or ask it to:{" "}
            <PlaceLink href={places.sessions({ tab: "claims" })}>show claims</PlaceLink>.
          </Text>
        )}
        <Text as="p" tone="2" read>
          Or override with a reason. The override is recorded and valid for {MINUTES} minutes.
        </Text>
        {/* Pasted unchanged, the command is rejected: the user must fill in the reason. */}
        {typed === undefined ? null : <CommandLine command={`qm override ${typed} --reason ""`} />}
        {isReadOnly ? null : (
          <OverrideForm
            isBusy={override.isPending}
            onOverride={(reason) =>
              override.mutate({ paths: [...paths], reason, minutes: MINUTES })
            }
          />
        )}
      </Stack>
    </Block>
  )
}

const MINUTES = 30
/** The contract's minimum length of a reason. */
const LEAST_CHARACTERS = 3

type OverrideFormProps = { readonly isBusy: boolean; onOverride(reason: string): void }

function OverrideForm({ isBusy, onOverride }: OverrideFormProps) {
  const [reason, setReason] = useState("")
  const isReason = reason.trim().length >= LEAST_CHARACTERS
  return (
    <Stack gap="8">
      <TextEntry label="Reason" value={reason} onChange={setReason} />
      <Flow>
        <Button
          small
          variant="danger"
          disabled={!isReason || isBusy}
          onPress={() => onOverride(reason.trim())}
        >
          {isBusy ? "Recording" : "Override"}
        </Button>
        {isReason ? null : (
          <Text size="sm" tone="3">
            A reason is required.
          </Text>
        )}
      </Flow>
    </Stack>
  )
}
