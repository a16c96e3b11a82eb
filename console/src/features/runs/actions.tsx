import { useState } from "react"
import { visibleLine } from "../../base/format.ts"
import { plural, type Run } from "../../contract.ts"
import { EXPORT_CHOICES, exportOf, useExport } from "../../data/actions/use-export.ts"
import { useKey } from "../../ui/keys/keys.tsx"
import { ChoiceMenu, type MenuChoice } from "../../ui/menu/menu.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useToast } from "../../ui/toast/toast.tsx"
import { useLater } from "../../ui/use-later.ts"
import { hasEnded } from "./lines.ts"
import type { Actions } from "./use-actions.ts"

const loadDialogs = () => import("./dialogs.tsx")

type RunAction = "rename" | "label" | "workflow" | "stop" | "delete"

type ActionMenuProps = {
  readonly runs: readonly Run[]
  readonly workflows: readonly string[]
  readonly actions: Actions
  readonly isReadOnly: boolean
  onDone(): void
}

export function ActionMenu({ runs, workflows, actions, isReadOnly, onDone }: ActionMenuProps) {
  const [doing, setDoing] = useState<RunAction | null>(null)
  const { part: dialogs, want } = useLater(loadDialogs)
  const [first] = runs
  const toFile = useExport(useToast())
  const begin = (it: RunAction) => want(() => setDoing(it))
  const isOff = isReadOnly || first === undefined
  useKey("runs.rename", isOff || runs.length > 1 ? undefined : () => begin("rename"))
  const archive = (archived: boolean) => {
    const words = archived ? "archived" : "restored from the archive"
    actions.change(runs, { archived }, `${plural(runs.length, "run")} ${words}`)
    onDone()
  }
  const pick = (value: string) => {
    const format = exportOf(value)
    if (format !== null && first !== undefined) return toFile.mutate({ id: first.id, format })
    if (value === "title" && first !== undefined) return actions.writeTitle(first)
    if (value === "archive" || value === "unarchive") return archive(value === "archive")
    const action = DOINGS.find((it) => it === value)
    if (action === "stop" && runs.length === 1) actions.stop(runs)
    else if (action !== undefined) begin(action)
  }
  return (
    <>
      <ChoiceMenu
        label={runs.length > 1 ? `Actions on ${plural(runs.length, "run")}` : "Actions"}
        keyId="runs.actions"
        choices={isOff ? [] : choicesFor(runs)}
        value=""
        onPick={pick}
      >
        <Text tone="2">{runs.length > 1 ? `${runs.length} selected` : "Actions"}</Text>
      </ChoiceMenu>
      {dialogs === undefined || doing === null || first === undefined ? null : (
        <DoingDialog
          dialogs={dialogs}
          doing={doing}
          runs={runs}
          first={first}
          workflows={workflows}
          actions={actions}
          onClose={() => setDoing(null)}
          onDone={onDone}
        />
      )}
    </>
  )
}

const DOINGS: readonly RunAction[] = ["rename", "label", "workflow", "stop", "delete"]

function choicesFor(runs: readonly Run[]): readonly MenuChoice[] {
  const many = runs.length > 1
  const isAllArchived = runs.every((it) => it.isArchived)
  const isLive = runs.some((it) => !hasEnded(it))
  return [
    ...(many
      ? []
      : [
          { value: "rename", label: "Rename", detail: "Your own title is not replaced" },
          { value: "title", label: "Write a title", detail: "By the agent's model" },
        ]),
    { value: "label", label: "Label", detail: "Keywords for filters" },
    { value: "workflow", label: "Progress", detail: "Progress: todo, in progress, done" },
    isAllArchived
      ? { value: "unarchive", label: "Restore from the archive", detail: "Show in the list again" }
      : { value: "archive", label: "Archive", detail: "Hide from the list, not deleted" },
    ...(many ? [] : EXPORT_CHOICES),
    ...(isLive ? [{ value: "stop", label: "Stop", detail: "Messages stay stored" }] : []),
    { value: "delete", label: "Delete", detail: "With all its messages, after a confirmation" },
  ]
}

type DoingProps = {
  readonly dialogs: typeof import("./dialogs.tsx")
  readonly doing: RunAction
  readonly runs: readonly Run[]
  readonly first: Run
  readonly workflows: readonly string[]
  readonly actions: Actions
  onClose(): void
  onDone(): void
}

function DoingDialog(props: DoingProps) {
  const { doing, runs, first, actions, onClose } = props
  const { AskTextDialog } = props.dialogs
  const count = plural(runs.length, "run")
  const dialogProps = { onClose, verb: "Save" } as const
  switch (doing) {
    case "rename":
      return (
        <AskTextDialog
          {...dialogProps}
          title="Rename the run"
          label="Title"
          value={first.title}
          onGive={(title) => actions.change(runs, { title }, "Run renamed")}
        />
      )
    case "label":
      return (
        <AskTextDialog
          {...dialogProps}
          title={`Label ${count}`}
          label="Labels"
          description="Separated by commas; replaces existing labels. A single dash removes all."
          value={runs.length === 1 ? first.labels.join(", ") : ""}
          onGive={(text) => actions.change(runs, labelsFrom(text), `${count} labelled`)}
        />
      )
    case "workflow":
      return (
        <AskTextDialog
          {...dialogProps}
          title={`Progress of ${count}`}
          label="Work"
          description={`States: ${props.workflows.map(visibleLine).join(", ")}.`}
          value={runs.length === 1 ? first.workflow : ""}
          onGive={(workflow) => actions.change(runs, { workflow }, `${count} moved`)}
        />
      )
    case "stop":
    case "delete":
      return <ConfirmDoing {...props} />
    default:
      return doing satisfies never
  }
}

function ConfirmDoing({ dialogs, doing, runs, actions, onClose, onDone }: DoingProps) {
  const { ConfirmDialog, describeDelete, describeStop } = dialogs
  const isStop = doing === "stop"
  const verb = `${isStop ? "Stop" : "Delete"} ${plural(runs.length, "run")}`
  return (
    <ConfirmDialog
      title={verb}
      description={isStop ? describeStop(runs) : describeDelete(runs)}
      verb={verb}
      onClose={onClose}
      onDo={() => {
        if (isStop) actions.stop(runs)
        else actions.remove(runs)
        onDone()
      }}
    />
  )
}

export function labelsFrom(text: string): { label: string[] } | { unlabel: true } {
  const names = text.split(",").map((it) => it.trim())
  const label = [...new Set(names)].filter((it) => it !== "" && it !== "-")
  return label.length === 0 ? { unlabel: true } : { label }
}
