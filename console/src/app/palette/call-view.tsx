import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type KeyboardEvent, useEffect, useRef } from "react"
import { toWireError } from "../../base/errors.ts"
import type { TokenCount } from "../../contract.ts"
import type { OperationEntry } from "../../data/client.ts"
import { useClient } from "../../data/queries.tsx"
import {
  CommandFoot,
  CommandGiven,
  CommandInput,
  CommandLineBox,
  CommandMessage,
  CommandResult,
  TokenCountResult,
} from "../../ui/command/command.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { useToast } from "../../ui/toast/toast.tsx"
import { ValueTree } from "../../ui/tree/tree.tsx"
import { describeArguments } from "./argument-prompt.ts"

export type Call = { readonly operation: OperationEntry; readonly input: object }

type ConfirmViewProps = { readonly call: Call; onConfirm(): void; onBack(): void }

export function ConfirmView({ call, onConfirm, onBack }: ConfirmViewProps) {
  const input = useFocus()
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter") onConfirm()
    else if (event.key === "Escape") onBack()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const description = describeArguments({ ...call.input })
  return (
    <>
      <CommandLineBox icon="play">
        <CommandGiven name={call.operation.name} description={description} />
        <CommandInput
          ref={input}
          label="Press Enter to run"
          placeholder="Enter runs it"
          value=""
          onChange={() => undefined}
          onKeyDown={press}
        />
      </CommandLineBox>
      <CommandMessage
        hint={
          description === ""
            ? "This operation changes data. It has no arguments."
            : `This operation changes data. Arguments: ${description}.`
        }
      >
        {call.operation.summary}
      </CommandMessage>
      <CommandFoot
        description=""
        actions={[
          { label: "Back", keys: "Escape", onPress: onBack },
          { label: "Run", keys: "Enter", onPress: onConfirm },
        ]}
      />
    </>
  )
}

type CallViewProps = { readonly call: Call; onBack(): void; onClose(): void }

export function CallView({ call, onBack, onClose }: CallViewProps) {
  const client = useClient()
  const queries = useQueryClient()
  const toast = useToast()
  const input = useFocus()
  const isWrite = call.operation.effect === "write"
  const { mutate, data, error } = useMutation({
    mutationFn: () => client.run(call.operation, call.input),
    onSuccess: () => {
      if (!isWrite) return
      void queries.invalidateQueries()
      toast.show({ text: `${call.operation.name} completed` })
    },
  })
  const hasStarted = useRef(false)
  useEffect(() => {
    if (hasStarted.current) return
    hasStarted.current = true
    mutate()
  }, [mutate])
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter") onClose()
    else if (event.key === "Escape") onBack()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <>
      <CommandLineBox icon="terminal">
        <CommandGiven
          name={call.operation.name}
          description={describeArguments({ ...call.input })}
        />
        <CommandInput
          ref={input}
          label="Result"
          placeholder=""
          value=""
          onChange={() => undefined}
          onKeyDown={press}
        />
      </CommandLineBox>
      {error === null ? null : (
        <Failure size="pane" error={toWireError(error)} onRetry={() => mutate()} />
      )}
      {error === null && data === undefined ? <CommandMessage>Running</CommandMessage> : null}
      {data === undefined ? null : <Result operation={call.operation} output={data} />}
      <CommandFoot
        description=""
        actions={[
          { label: "Back", keys: "Escape", onPress: onBack },
          { label: "Close", keys: "Enter", onPress: onClose },
        ]}
      />
    </>
  )
}

function Result({ operation, output }: { operation: OperationEntry; output: object }) {
  if (operation.name === "tokens.count" && isTokenCount(output)) {
    return <TokenCountResult count={output} />
  }
  return (
    <CommandResult>
      <ValueTree value={output} label={`Result of ${operation.name}`} />
    </CommandResult>
  )
}

function isTokenCount(output: object): output is TokenCount {
  return "total" in output && "files" in output && "budget" in output
}

function useFocus() {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  return input
}
