// Building packages, and what surfaces may ask.

export type { PackDeps } from "./build.ts"
export { packOperations } from "./operations.ts"
export { createPack } from "./pack.ts"

// The steps, for who measures them.

export type { ChosenFile } from "./fit.ts"
export type { FitWeights } from "./fit-weights.ts"
export { FIT_WEIGHTS } from "./fit-weights.ts"
export type { PackRequest, PrepareDeps, Prepared } from "./prepare.ts"
export { prepare } from "./prepare.ts"
export type { SelectedFile, Selection, SelectOptions } from "./select.ts"
export { select } from "./select.ts"
