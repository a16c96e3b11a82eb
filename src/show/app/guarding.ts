import { createGuard, hashFile } from "#choose/guard"
import { createIds } from "#ground/base"
import { type CallContext, defineOperation, SIGNATURES, Simulation } from "#ground/contract"
import { createGraphs, type Graphs, resolveNames } from "#know/map"
import { loadSecrets } from "./known-secrets.ts"
import { claimsOn } from "./ledgering.ts"
import type { OperationDeps } from "./operations.ts"
import { placeInside } from "./place-inside.ts"

/**
 * What a change would reach, from the map of this repository. Declared here and not in its room,
 * which hooks load without any package.
 */
export function guardOperations(deps: OperationDeps) {
  const graphs = createGraphs()
  return [
    defineOperation({
      name: "guard.simulate",
      summary: "Say what a change of files would reach and how risky it is, and keep a receipt",
      effect: "write",
      surfaces: ["cli", "http"],
      ...SIGNATURES["guard.simulate"],
      run: async (input, context) =>
        Simulation.parse(await guardOn(deps, { graphs, context }).simulate(input, context)),
    }),
  ] as const
}

type Asking = { readonly graphs: Graphs; readonly context: CallContext }

function guardOn(deps: OperationDeps, { graphs, context: { caller } }: Asking) {
  const { root, stateDirectory } = deps.places().repository
  return createGuard({
    stateDirectory,
    tree: (context) => deps.mapping().tree(context),
    refresh: async (context) => (await deps.mapping().scan("incremental", context)).tree,
    graphOf: (tree) => graphs.of(tree),
    resolveNames,
    hashOf: (path, format) => hashFile(path, { root, format }),
    place: (given) => placeInside(deps, given),
    claimsOn: async (paths) => claimsOn(paths, deps, caller),
    redact: async () => {
      const { redact } = await loadSecrets(root, deps)
      return (text) => redact(text).text
    },
    highRiskPaths: () => patternsIn(deps.config().guard.highRiskPaths),
    ids: createIds(deps),
    clock: deps.clock,
    log: deps.log,
  })
}

function patternsIn(text: string): readonly string[] {
  return text.split(",").flatMap((it) => (it.trim() === "" ? [] : [it.trim()]))
}
