import { toWireError } from "../../base/errors.ts"
import { saveFile } from "../../data/actions/use-export.ts"
import type { CostParams } from "../../data/paths.ts"
import { useClient } from "../../data/queries.tsx"
import { ChoiceMenu } from "../../ui/menu/menu.tsx"
import { useToast } from "../../ui/toast/toast.tsx"
import { useCostInput } from "./use-cost.ts"

type ExportMenuProps = {
  readonly params: CostParams
  /** Name of the grouping in the table. */
  readonly group: string
}

/** Saves what the chart or the table shows, with exact figures. */
export function ExportMenu({ params, group }: ExportMenuProps) {
  const client = useClient()
  const toast = useToast()
  const inputs = { day: useCostInput(params, "day"), table: useCostInput(params, params.by) }
  const save = async (input: typeof inputs.day) => {
    const {
      csv = "",
      since,
      until,
    } = await client.read("sessions.cost", {
      ...input,
      format: "csv",
    })
    const [from, to] = [since, until - 1].map((it) => new Date(it).toISOString().slice(0, 10))
    saveFile(`cost-by-${input.by}-${from}-to-${to}.csv`, `${csv}\n`)
  }
  const pick = (value: string) => {
    save(value === "day" ? inputs.day : inputs.table).catch((error: unknown) =>
      toast.fail(toWireError(error)),
    )
  }
  return (
    <ChoiceMenu
      label="Export CSV"
      keyId="cost.export"
      value=""
      choices={[
        { value: "day", label: "Days and models", detail: "As in the chart" },
        { value: "table", label: group, detail: "As in the table" },
      ]}
      onPick={pick}
    >
      Export CSV
    </ChoiceMenu>
  )
}
