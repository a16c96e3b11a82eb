import type { guidelinesOperations, Handlers, packOperations } from "#ground/contract"
import { createPack, type PackDeps } from "./pack.ts"

type PackHandlers = {
  readonly pack: Handlers<typeof packOperations>
  readonly guidelines: Handlers<typeof guidelinesOperations>
}

export function packHandlers(deps: PackDeps): PackHandlers {
  const { build, list, show, diff, guidelines } = createPack(deps)
  return { pack: { build, list, show, diff }, guidelines: { list: guidelines } }
}
