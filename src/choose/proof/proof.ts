import path from "node:path"
import type { BenchRecall, BenchScan, CallContext, Config } from "#ground/contract"
import { loadRanker } from "#know/search"
import { type BenchDeps, openBench } from "./bench.ts"
import { measureRecall, type RecallInput } from "./recall/recall.ts"
import { measureScan } from "./scan/scan.ts"

export type ProofDeps = BenchDeps & {
  readonly settings: () => Config["pack"]
  readonly resolve: (directory: string) => string
}

export function createProof(deps: ProofDeps) {
  return {
    async recall(
      input: RecallInput & { readonly repo: string },
      context: CallContext,
    ): Promise<BenchRecall> {
      await using bench = await openBench(deps.resolve(input.repo), deps, context.signal)
      const parts = {
        bench,
        ranker: await loadRanker({ table: input.ablation ? "load" : "leave" }),
        counter: await deps.counter(),
        settings: deps.settings(),
        monotonicMs: () => deps.clock.monotonicMs(),
      }
      const measured = await measureRecall(input, parts, context)
      return { repository: path.basename(bench.repository.root), ...measured }
    },

    async scan(
      input: { readonly repo: string; readonly commits: number },
      context: CallContext,
    ): Promise<BenchScan> {
      await using bench = await openBench(deps.resolve(input.repo), deps, context.signal)
      const searchPath = deps.environment["PATH"] ?? ""
      return await measureScan(input, { bench, clock: deps.clock, searchPath }, context)
    },
  }
}
