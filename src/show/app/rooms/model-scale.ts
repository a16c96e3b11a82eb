import { statFile } from "#ground/base"
import type { ModelScale, UsageSample } from "#ground/tokens"
import { checkForEvents } from "../room-events.ts"
import type { Services } from "../services.ts"

/** Recorded requests change it slowly. */
const MEASURED_FOR_MS = 60_000

type ScaleDeps = Pick<Services, "clock" | "config" | "location" | "log" | "places" | "store">

/**
 * The factor of the given model, else of `tokens.model`, else of the model that was used last here;
 * measured with its recorded requests.
 */
export function modelScales(deps: ScaleDeps): (model?: string) => Promise<ModelScale> {
  let last: { readonly at: number; readonly samples: Promise<readonly UsageSample[]> } | undefined
  return async (model) => {
    const now = deps.clock.now()
    if (last === undefined || now - last.at > MEASURED_FOR_MS) {
      last = { at: now, samples: readSamples(deps) }
    }
    const [{ scaleOf }, samples] = await Promise.all([import("#ground/tokens"), last.samples])
    const { encoding, model: configured } = deps.config().tokens
    const modelName = model ?? (configured === "" ? samples[0]?.model : configured)
    return scaleOf(modelName ?? null, encoding, samples)
  }
}

async function readSamples(deps: ScaleDeps): Promise<readonly UsageSample[]> {
  try {
    const location = deps.location()
    // Counting a text creates no database.
    if (location.kind === "sqlite" && (await statFile(location.file)).kind !== "found") return []
    if (!(await checkForEvents("gateway", deps))) return []
    const { readUsageSamples } = await import("#act/gateway")
    const db = (await deps.store()).forRoom("gateway")
    return await readUsageSamples({ db, root: () => deps.places().repository.root })
  } catch (error) {
    deps.log.warn("the stated token factor is used", { error })
    return []
  }
}
