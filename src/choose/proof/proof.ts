import path from "node:path"
import type { benchOperations, Config, Handlers } from "#ground/contract"
import { loadRanker } from "#know/search"
import { type BenchDeps, openBench } from "./bench.ts"
import { measureIssues } from "./issues/issues.ts"
import { measureLines } from "./issues/lines.ts"
import { measureMemory } from "./memory/memory.ts"
import { measureRecall } from "./recall/recall.ts"
import { measureScan } from "./scan/scan.ts"

type ProofDeps = BenchDeps & {
  readonly settings: () => Config["pack"]
  readonly resolve: (directory: string) => string
}

export function benchHandlers(deps: ProofDeps): Handlers<typeof benchOperations> {
  return {
    async recall(input, context) {
      await using bench = await openBench(deps.resolve(input.repo), deps, context.signal)
      const parts = {
        bench,
        ranker: await loadRanker({ table: input.ablation ? "load" : "leave" }),
        counter: await deps.counter(),
        settings: deps.settings(),
        monotonicMs: () => deps.clock.monotonicMs(),
        searchPath: deps.environment["PATH"] ?? "",
      }
      const measured = await measureRecall(input, parts, context)
      return { repository: path.basename(bench.repository.root), ...measured }
    },

    async issues(input, context) {
      return await measureIssues(input, await issueParts(deps), context)
    },

    async lines(input, context) {
      return await measureLines(input, await issueParts(deps), context)
    },

    async memory(input, context) {
      const { clock, resolve } = deps
      return await measureMemory({ ...input, file: resolve(input.file) }, clock, context)
    },

    async scan(input, context) {
      await using bench = await openBench(deps.resolve(input.repo), deps, context.signal)
      const searchPath = deps.environment["PATH"] ?? ""
      return await measureScan(input, { bench, clock: deps.clock, searchPath }, context)
    },
  }
}

async function issueParts(deps: ProofDeps) {
  return {
    ranker: await loadRanker({ table: "leave" }),
    counter: await deps.counter(),
    settings: deps.settings(),
    deps,
  }
}
