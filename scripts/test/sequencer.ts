import path from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const ROOT = path.join(import.meta.dirname, "../..")

/** The files of full mode that take longest, longest first. A fresh clone has no earlier times. */
const LONG_FILES: readonly string[] = [
  "src/act/agents/acp/conformance.full.test.ts",
  "test/fault/team-drill.full.test.ts",
  "test/scenarios/package.full.test.ts",
  "test/scenarios/gateway-claude.full.test.ts",
  "test/scenarios/gateway-masks.full.test.ts",
  "src/act/agents/copilot/conformance.full.test.ts",
  "src/act/agents/claude-code/conformance.full.test.ts",
  "src/act/agents/codex/conformance.full.test.ts",
]

/**
 * Starts the long files first, so that none runs alone at the end, and the browser files last, because
 * they are short.
 */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}

function rankOf({ moduleId, project }: TestSpecification): number {
  const at = LONG_FILES.indexOf(path.relative(ROOT, moduleId))
  if (at >= 0) return at
  return LONG_FILES.length + (project.name === "browser" ? 1 : 0)
}
