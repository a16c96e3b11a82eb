import type { Status } from "../../base/status.ts"
import type { Source } from "../../contract.ts"

type State = { readonly label: string; readonly mark: Status; readonly tone: "2" | "warn" | "bad" }

/** A task of the user comes before the result of the last call. */
export function stateOf({ health, isApproved, isReady, login }: Source): State {
  if (health === "invalid") return { label: "invalid", mark: "failed", tone: "bad" }
  if (!isApproved) return { label: "not approved", mark: "waiting", tone: "warn" }
  if (login === "waiting") return { label: "signing in", mark: "waiting", tone: "warn" }
  if (login === "needed") return { label: "needs sign-in", mark: "waiting", tone: "warn" }
  if (!isReady) return { label: "needs its key", mark: "waiting", tone: "warn" }
  if (health === "dead") return { label: "failed", mark: "failed", tone: "bad" }
  if (health === "slow") return { label: "slow", mark: "done", tone: "warn" }
  return health === "ok"
    ? { label: "ok", mark: "done", tone: "2" }
    : { label: "not tested", mark: "queued", tone: "2" }
}

export const ORIGINS: Readonly<Record<Source["origin"], string>> = {
  shipped: "shipped",
  user: "yours",
  project: "this repository",
}
