import path from "node:path"
import { isAppError } from "#ground/base"
import { type DoctorReport, defineOperation, SIGNATURES } from "#ground/contract"
import type { Store } from "#ground/store"
import { currentBranch } from "#see/repo"
import type { Places } from "./places.ts"

type NowDeps = {
  places(): Places
  examine(): Promise<DoctorReport>
  store(): Promise<Store>
}

export function nowOperations(deps: NowDeps) {
  return [
    defineOperation({
      name: "now.show",
      summary: "Show where you are, how it is, what runs and what waits for you",
      effect: "read",
      surfaces: ["cli", "http"],
      ...SIGNATURES["now.show"],
      async run() {
        const { repository } = deps.places()
        const { isHealthy, checks } = await deps.examine()
        const count = (state: string): number => checks.filter((it) => it.state === state).length
        return {
          repository: {
            root: repository.root,
            name: path.basename(repository.root),
            branch: (await currentBranch(repository)) ?? null,
          },
          health: { isHealthy, failed: count("fail"), warnings: count("warn") },
          store: await describeStore(deps),
          // Runs come with the agents; until then nothing runs, waits or has ended.
          running: [],
          waiting: [],
          ended: [],
        }
      },
    }),
  ] as const
}

async function describeStore(deps: NowDeps) {
  try {
    const { dialect, events, sizeBytes } = await (await deps.store()).status()
    return { dialect, events, sizeBytes }
  } catch (error) {
    // The doctor's report beside this says what is wrong.
    if (isAppError(error)) return null
    throw error
  }
}
