import type { CallContext, PackBuilt } from "#ground/contract"
import type { Asked } from "./asked.ts"
import { build, keptIn, type PackDeps, rendered } from "./build.ts"
import { listGuidelines, readGuidelines } from "./guidelines/guidelines.ts"
import { diffPacks } from "./kept/diff.ts"

/** Task in, package out: analyze, gather, score, filter, fit, render, validate. */
export function createPack(deps: PackDeps) {
  return {
    build: (input: Asked<"pack.build">, context: CallContext) => build(input, context, deps),
    async list({ limit }: Asked<"pack.list">) {
      return { packs: await (await keptIn(deps)).list(limit) }
    },
    async show({ id, format }: Asked<"pack.show">): Promise<PackBuilt> {
      const pack = await (await keptIn(deps)).find(id)
      return rendered(pack, format, deps)
    },
    async diff({ from, to }: Asked<"pack.diff">) {
      const history = await keptIn(deps)
      return diffPacks(await history.find(from), await history.find(to))
    },
    async guidelines({ role, action, domain, path }: Asked<"guidelines.list">) {
      const known = readGuidelines(await deps.guidelineFile())
      const paths = path === undefined ? undefined : [path]
      return listGuidelines(known, { role, action, domain, paths })
    },
  }
}
