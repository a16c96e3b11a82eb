import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { toWireError } from "../../base/errors.ts"
import { formatClock, formatScore } from "../../base/format.ts"
import { type ConfigSetting, formatExact, plural } from "../../contract.ts"
import type { Input } from "../../data/client.ts"
import { useSettled } from "../../data/clock.ts"
import { keys } from "../../data/keys.ts"
import { useWatched } from "../../data/live/watch-query.ts"
import { readOrigin } from "../../data/origin.ts"
import type { GuardParams } from "../../data/paths.ts"
import { useClient, useOperation } from "../../data/queries.tsx"
import { useToast } from "../../ui/toast/toast.tsx"

/** Polled every 5 s, so the page is limited. */
const MOST_LISTED = 500
const MOST_HITS = 200
const TYPING_MS = 300

type Filter = Pick<GuardParams, "verdict" | "rule" | "session" | "hours">

export const verdictsInput = ({ verdict, ...rest }: Filter): Input<"guard.verdicts"> => ({
  ...filterOf(rest),
  ...(verdict === null ? { reported: true } : { verdict }),
  limit: MOST_LISTED,
})

export const countsInput = (params: Omit<Filter, "verdict">): Input<"guard.verdicts"> => ({
  ...filterOf(params),
  limit: 1,
})

const filterOf = ({ rule, session, hours }: Omit<Filter, "verdict">) => ({
  sinceHours: hours,
  ...(session === "" ? {} : { session }),
  ...(rule === null ? {} : { rule }),
})

export function useVerdicts(params: Filter) {
  return useWatched("guard.verdicts", verdictsInput(params))
}

/** Of all decisions, also of those that the list leaves out. */
export function useCounts(params: Filter) {
  return useWatched("guard.verdicts", countsInput(params)).data?.counts
}

const RISK_KEY = "guard.highRiskPaths"

export function useRiskSettings() {
  const { data } = useOperation("config.show", { sources: true })
  const find = (key: string) => data?.settings.find((it) => it.key === key)
  const level = find("kit.level")?.value
  return { paths: find(RISK_KEY), level: typeof level === "number" ? level : undefined }
}

export const tryInput = (patterns: string, hours: number): Input<"guard.try"> => ({
  patterns,
  sinceHours: hours,
  limit: MOST_HITS,
})

export function useTried(text: string, hours: number) {
  const client = useClient()
  const patterns = useSettled(text.trim(), TYPING_MS)
  return useQuery({
    queryKey: keys.operation("guard.try", tryInput(patterns, hours)),
    queryFn: ({ signal }) => client.read("guard.try", tryInput(patterns, hours), { signal }),
    enabled: patterns !== "",
    placeholderData: keepPreviousData,
  })
}

export function useActivateRule() {
  const client = useClient()
  const queries = useQueryClient()
  const toast = useToast()
  const settle = () => void queries.invalidateQueries({ queryKey: keys.anyInput("config.show") })
  const fail = (error: unknown) => toast.fail(toWireError(error))
  const save = useMutation({
    mutationFn: ({ value }: Change) =>
      value === null
        ? client.write("config.unset", { key: RISK_KEY, layer: "project" })
        : client.write("config.set", { key: RISK_KEY, layer: "project", value }),
    onSuccess: (after, { before }) => {
      const undo = before === undefined ? undefined : previousValue(before)
      toast.show({
        text: describeSaved(after),
        ...(undo === undefined ? {} : { undo: () => save.mutate({ value: undo.value }) }),
      })
    },
    onError: fail,
    onSettled: settle,
  })
  return { makeLive: save.mutate, isBusy: save.isPending }
}

type Change = { readonly value: string | null; readonly before?: ConfigSetting }

/** The previous value of the project file; undefined if a higher layer hides it. */
export function previousValue(
  before: ConfigSetting,
): { readonly value: string | null } | undefined {
  const isOfProject = (origin: string) => readOrigin(origin).kind === "project"
  if (isOfProject(before.origin)) return { value: String(before.value) }
  return before.hides.some(isOfProject) ? undefined : { value: null }
}

export function describeSaved({ key, origin }: ConfigSetting): string {
  const { kind, description } = readOrigin(origin)
  const counts = kind === "project" || kind === "user" || kind === "default"
  return `${key} was changed in the project file${counts ? "" : `; ${description} takes precedence`}`
}

export function useWays() {
  const client = useClient()
  const queries = useQueryClient()
  const toast = useToast()
  const fail = (error: unknown) => toast.fail(toWireError(error))
  const simulate = useMutation({
    mutationFn: (paths: readonly string[]) => client.write("guard.simulate", { paths: [...paths] }),
    onSuccess: ({ receipt, reachCount, testCount }) => {
      const reach = `${plural(reachCount, "file")} and ${plural(testCount, "test")} depend on it`
      toast.show({ text: `Risk ${formatScore(receipt.risk)}, ${reach}; edit allowed for 4 hours` })
    },
    onError: fail,
  })
  const override = useMutation({
    mutationFn: (input: Input<"guard.override">) => client.write("guard.override", input),
    onSuccess: ({ paths, until }) => {
      const what = paths.length === 1 ? "It" : `${formatExact(paths.length)} paths`
      toast.show({
        text: `${what} may be edited until ${formatClock(until)}, the reason is recorded`,
      })
    },
    onError: fail,
    onSettled: () => void queries.invalidateQueries({ queryKey: keys.anyInput("guard.verdicts") }),
  })
  return { simulate, override }
}
