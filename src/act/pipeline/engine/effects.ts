import { z } from "zod"
import { EffectRepeated, OutOfScope } from "../errors.ts"
import type { Effects, StepDone, StepFailed, StepLabel } from "../stage.ts"
import {
  type Attempt,
  begin,
  brief,
  keepable,
  recordedOf,
  refuseOverBudget,
  tell,
} from "./activity.ts"
import { type AskDeps, askUntilFitting } from "./ask.ts"
import { Interruption, interruptionOf } from "./interruption.ts"
import { refusal } from "./scope-check.ts"

export function createEffects(context: Attempt & AskDeps) {
  const used = new Set<string>()
  const running = new Set<Promise<unknown>>()

  /** After a crash, two effects with the same key would get the same result. */
  function track<Result>(key: string, effect: () => Promise<Result>): Promise<Result> {
    if (context.signal.aborted)
      return Promise.reject(new Interruption(interruptionOf(context.signal) ?? "stop"))
    if (used.has(key)) return Promise.reject(EffectRepeated({ stage: context.config.name, key }))
    used.add(key)
    const promise = effect()
    running.add(promise)
    const forget = (): void => void running.delete(promise)
    promise.then(forget, forget)
    return promise
  }
  const effects: Effects = {
    ask: (key, ask) => track(key, () => askUntilFitting(key, ask, context)),
    step: (key, label, work) => track(key, () => takeStep({ key, label, work }, context)),
    note: (key, label) => track(key, () => takeNote(key, label, context)),
  }
  return {
    effects,
    async settled(): Promise<void> {
      await Promise.allSettled(running)
    },
  }
}

type StepRequest<Result> = {
  readonly key: string
  readonly label: Parameters<Effects["step"]>[1]
  readonly work: (signal: AbortSignal) => Promise<StepDone<Result> | StepFailed>
}

async function takeStep<Result>(step: StepRequest<Result>, context: Attempt): Promise<Result> {
  const recorded = recordedOf(step.key, context)
  if (recorded?.kind === "result") return handed<Result>(recorded.result)
  const named = { key: step.key, label: step.label, prefix: prefixOf(step.label) }
  const refused = refusal(context.config, step.label.needs)
  if (refused !== undefined) {
    await tell(named, { outcome: "denied", detail: `Outside the scope: ${refused}` }, context)
    throw OutOfScope({ stage: context.config.name, wanted: refused })
  }
  if (named.prefix === "agent") refuseOverBudget(context)
  const activity = await begin(named, context)
  const done = await activity.during(() => step.work(context.signal))
  if ("error" in done) {
    await activity.end({ outcome: "failed", ...costOf(done, context) })
    throw done.error
  }
  const result = await activity.during(async () => keepable(done.result, context), priceOf(done))
  await activity.end({ outcome: done.outcome ?? "done", result, ...costOf(done, context) })
  return handed<Result>(result)
}

function costOf(
  { detail, tokens, usd }: Pick<StepDone<unknown>, "detail" | "tokens" | "usd">,
  context: Attempt,
) {
  return {
    ...(detail === undefined ? {} : { detail: brief(detail, context) }),
    ...priceOf({ tokens, usd }),
  }
}

function priceOf({
  tokens,
  usd,
}: {
  readonly tokens?: number | undefined
  readonly usd?: number | null | undefined
}) {
  return { ...(tokens === undefined ? {} : { tokens }), ...(usd === undefined ? {} : { usd }) }
}

async function takeNote(key: string, label: StepLabel, context: Attempt): Promise<void> {
  if (recordedOf(key, context) !== undefined) return
  await tell({ key, label, prefix: "step" }, { outcome: "noted", result: null }, context)
}

/** A copy, so that a stage cannot change the stored result. */
function handed<Result>(stored: unknown): Result {
  // The same key in the same stage produced it, so it has that effect's type.
  return z.custom<Result>().parse(structuredClone(stored))
}

/** Activity ids show their subject: orch-web-3, orch-kb-4. */
function prefixOf({ tool, kind }: StepLabel): string {
  if (kind === "agent") return "agent"
  if (tool === "Web Search") return "web"
  if (tool.endsWith("Verification")) return "cite"
  return tool === "Knowledge Base Search" || tool === "Deep Retrieval" ? "kb" : "step"
}
