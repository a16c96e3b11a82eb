import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { toWireError } from "../../base/errors.ts"
import { visibleLine } from "../../base/format.ts"
import type { Run } from "../../contract.ts"
import { EXPORT_CHOICES, exportOf, useExport } from "../../data/actions/use-export.ts"
import { keys } from "../../data/keys.ts"
import { navigate } from "../../data/location.ts"
import { paths } from "../../data/paths.ts"
import { useClient } from "../../data/queries.tsx"
import { Button, IconButton } from "../../ui/button/button.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { Icon } from "../../ui/icon/icon.tsx"
import { ChoiceMenu } from "../../ui/menu/menu.tsx"
import { OnlyWide } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useToast } from "../../ui/toast/toast.tsx"
import { PromptField, TitleButton } from "../../ui/transcript/title-button.tsx"
import { useWasTrue } from "../../ui/use-was-true.ts"
import { isWorking } from "./words.ts"

type RunHeaderProps = {
  readonly run: Run
  readonly isReadOnly: boolean
  readonly isDrawerShown: boolean
  readonly isChartShown: boolean
  onChart(): void
  onDrawer(): void
  onHandoff(): void
}

export function RunHeader(props: RunHeaderProps) {
  const { run, isReadOnly } = props
  const { rename, stop } = useRunWrites(run)
  const isAtWork = isWorking(run.status)
  const keepsStop = useWasTrue(isAtWork)
  return (
    <Header
      parent={{ label: "Runs", href: paths.runs() }}
      isDetail
      name={visibleLine(run.title)}
      title={<Title run={run} isReadOnly={isReadOnly} onRename={(title) => rename.mutate(title)} />}
    >
      <OnlyWide>
        <Button
          variant="ghost"
          keyId="run.chart"
          pressed={props.isChartShown}
          onPress={props.onChart}
        >
          Context
        </Button>
      </OnlyWide>
      <OnlyWide>
        <Button variant="ghost" keyId="run.gateway" onPress={() => navigate(paths.gateway(run.id))}>
          Gateway
        </Button>
      </OnlyWide>
      <OnlyWide>
        <Button variant="ghost" keyId="run.handoff" disabled={isReadOnly} onPress={props.onHandoff}>
          Hand off
        </Button>
      </OnlyWide>
      <RunMenu
        run={run}
        isReadOnly={isReadOnly}
        onChart={props.onChart}
        onHandoff={props.onHandoff}
      />
      <IconButton
        icon="panel"
        label={props.isDrawerShown ? "Hide the context" : "Show the context"}
        keyId="panel.right"
        pressed={props.isDrawerShown}
        onPress={props.onDrawer}
      />
      {keepsStop && !isReadOnly ? (
        <Button
          variant="danger"
          icon="stop"
          disabled={!isAtWork || stop.isPending}
          shrinks
          onPress={() => stop.mutate()}
        >
          Stop
        </Button>
      ) : null}
    </Header>
  )
}

type RunMenuProps = Pick<RunHeaderProps, "run" | "isReadOnly" | "onChart" | "onHandoff">

function RunMenu({ run, isReadOnly, onChart, onHandoff }: RunMenuProps) {
  const toFile = useExport(useToast())
  const wire = { value: "gateway", label: "Gateway", detail: "Requests to the model" }
  const handoff = { value: "handoff", label: "Hand off", detail: "To a new session" }
  const chart = { value: "chart", label: "Context over time", detail: "The window at each report" }
  const choices = [...EXPORT_CHOICES, chart, wire]
  return (
    <ChoiceMenu
      label="Actions"
      keyId="run.actions"
      choices={isReadOnly ? choices : [...choices, handoff]}
      value=""
      onPick={(value) => {
        const format = exportOf(value)
        if (value === chart.value) onChart()
        else if (value === wire.value) navigate(paths.gateway(run.id))
        else if (format === null) onHandoff()
        else toFile.mutate({ id: run.id, format })
      }}
    >
      <Icon name="dots" />
    </ChoiceMenu>
  )
}

type TitleProps = {
  readonly run: Run
  readonly isReadOnly: boolean
  onRename(title: string): void
}

function Title({ run, isReadOnly, onRename }: TitleProps) {
  const [isEdited, setIsEdited] = useState(false)
  if (isEdited) {
    return (
      <PromptField
        label="Title of the run"
        value={run.title}
        onCommit={(text) => {
          setIsEdited(false)
          const title = text.trim()
          if (title !== "" && title !== run.title) onRename(title)
        }}
        onCancel={() => setIsEdited(false)}
      />
    )
  }
  const title = run.title === "" ? run.id : visibleLine(run.title)
  if (isReadOnly) return <Text>{title}</Text>
  return (
    <TitleButton label="Change the title" onPress={() => setIsEdited(true)}>
      {title}
    </TitleButton>
  )
}

function useRunWrites({ id }: Run) {
  const client = useClient()
  const queries = useQueryClient()
  const toast = useToast()
  const take = (run: Run) => queries.setQueryData(keys.operation("agents.show", { id }), run)
  const onError = (error: unknown) => toast.fail(toWireError(error))
  return {
    rename: useMutation({
      mutationFn: (title: string) => client.write("agents.edit", { id, title }),
      onSuccess: take,
      onError,
    }),
    stop: useMutation({
      mutationFn: () => client.write("agents.stop", { id }),
      onSuccess: take,
      onError,
    }),
  }
}
