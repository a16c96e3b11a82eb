import { useMutation, useQueryClient } from "@tanstack/react-query"
import { toWireError } from "../../base/errors.ts"
import type { ConfigLayer, ConfigReport, ConfigSetting } from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import { useClient } from "../../data/queries.tsx"
import { useToast } from "../../ui/toast/toast.tsx"
import { describeOutcome, type Undo, undoFor } from "./layers.ts"

export type Change = {
  readonly setting: ConfigSetting
  readonly layer: ConfigLayer
  readonly what: { readonly kind: "set"; readonly value: unknown } | { readonly kind: "unset" }
}

const CONFIG_KEY = keys.anyInput("config.show")

/** Saves optimistically; an error restores the value, a success offers an undo. */
export function useSave() {
  const client = useClient()
  const queries = useQueryClient()
  const toast = useToast()
  const put = (setting: ConfigSetting) =>
    queries.setQueriesData<ConfigReport>({ queryKey: CONFIG_KEY }, (report) => {
      if (report === undefined) return report
      const settings = report.settings.map((it) => (it.key === setting.key ? setting : it))
      return { ...report, settings }
    })
  const mutation = useMutation({
    mutationFn: ({ setting: { key }, layer, what }: Change) =>
      what.kind === "set"
        ? client.write("config.set", { key, layer, value: String(what.value) })
        : client.write("config.unset", { key, layer }),
    onMutate: ({ setting, what }) => {
      // A secret is never put on the screen, not even briefly.
      if (what.kind === "set" && !setting.isSecret) put({ ...setting, value: what.value })
    },
    onError: (error, { setting }) => {
      put(setting)
      toast.fail(toWireError(error))
    },
    onSuccess: (after, { setting, layer, what }) => {
      put(after)
      const undo = undoFor(setting, layer)
      toast.show({
        text: describeOutcome(after, layer, what.kind === "set" ? "saved" : "removed"),
        ...(undo.kind === "impossible"
          ? {}
          : { undo: () => mutation.mutate(undoing(after, layer, undo)) }),
      })
    },
  })
  return mutation.mutate
}

function undoing(
  setting: ConfigSetting,
  layer: ConfigLayer,
  undo: Exclude<Undo, { kind: "impossible" }>,
): Change {
  return { setting, layer, what: undo }
}
