import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type KeyboardEvent, useRef, useState } from "react"
import { toWireError } from "../../base/errors.ts"
import { visibleLine } from "../../base/format.ts"
import type { PipelineRun } from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import { navigate } from "../../data/location.ts"
import { paths } from "../../data/paths.ts"
import { useClient } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { Dialog, DialogActions, DialogEntry } from "../../ui/dialog/dialog.tsx"
import { AreaEntry, PickEntry } from "../../ui/entry/entry.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { Stack } from "../../ui/pane/pane.tsx"

type RerunProps = {
  readonly run: PipelineRun
  readonly stage: number
  onClose(): void
}

export function Rerun({ run, stage, onClose }: RerunProps) {
  const client = useClient()
  const queries = useQueryClient()
  const [name, setName] = useState(run.stages[stage]?.name ?? run.stages[0]?.name ?? "")
  const [edit, setEdit] = useState("")
  const area = useRef<HTMLTextAreaElement>(null)
  const start = useMutation({
    mutationFn: () => {
      const words = edit.trim()
      const input = { id: run.id, stage: name, ...(words === "" ? {} : { edit: words }) }
      return client.write("pipeline.rerun", input)
    },
    onSuccess: (next) => {
      void queries.invalidateQueries({ queryKey: keys.anyInput("pipeline.list") })
      onClose()
      navigate(paths.pipeline(next.id))
    },
  })
  const press = (event: KeyboardEvent) => {
    const isCommit = event.key === "Enter" && (event.metaKey || event.ctrlKey)
    if (isCommit && !start.isPending) start.mutate()
  }
  return (
    <Dialog title="Re-run from a stage" showsTitle onClose={onClose} initialFocus={area}>
      <DialogEntry onKeyDown={press}>
        <Stack gap="8">
          <PickEntry
            label="First stage"
            choices={run.stages.map((it) => ({
              value: it.name,
              label: visibleLine(it.title),
              detail: it.rounds > 0 ? visibleLine(it.summary ?? "done") : it.status,
              isMissing: !canBegin(run, it.index),
            }))}
            value={name}
            onPick={setName}
          />
          <AreaEntry
            ref={area}
            label="Requested change"
            rows={3}
            value={edit}
            placeholder="none, repeat unchanged"
            description="Earlier stages are reused. This run stays unchanged."
            onChange={setEdit}
          />
        </Stack>
      </DialogEntry>
      {start.error === null ? null : <Failure size="row" error={toWireError(start.error)} />}
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button variant="primary" disabled={start.isPending} onPress={() => start.mutate()}>
          {start.isPending ? "Starting" : "Re-run"}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function canBegin({ stages }: PipelineRun, index: number): boolean {
  return stages.slice(0, index).every((it) => it.rounds > 0 || it.status === "skipped")
}
