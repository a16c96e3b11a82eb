import { writeFileSync } from "node:fs"
import type { Reporter, TestModule } from "vitest/node"
import { closingLines, NOT_CHECKED, type Outcome } from "./outcome.ts"

/** Adds the unchecked promises and the seed to vitest's output, at the very end. */
export function closingReporter(): Reporter {
  return {
    onTestRunEnd(modules, unhandledErrors) {
      const outcome = countOutcome(modules, unhandledErrors.length)
      const file = process.env.QM_TEST_OUTCOME
      if (file !== undefined) return writeFileSync(file, JSON.stringify(outcome))
      // Coverage is printed after this hook, so these lines are printed at exit.
      const words = closingLines(outcome, process.env.SEED ?? "")
      process.once("exit", () => process.stdout.write(words))
    },
  }
}

function countOutcome(modules: readonly TestModule[], unhandledErrors: number): Outcome {
  const tests = modules.flatMap((module) => [...module.children.allTests()])
  const count = (state: string) => tests.filter((test) => test.result().state === state).length
  const unchecked = tests.filter((it) => it.name.startsWith(NOT_CHECKED)).map((it) => it.name)
  return {
    passed: count("passed"),
    failed: count("failed") + modules.filter(failedWithoutATest).length + unhandledErrors,
    skipped: count("skipped"),
    notChecked: [...new Set(unchecked)].toSorted(),
  }
}

/**
 * A file that could not be loaded, or whose hooks failed, has no failing test that would be
 * counted.
 */
function failedWithoutATest(module: TestModule): boolean {
  const isFailed = module.state() === "failed"
  return isFailed && ![...module.children.allTests("failed")].length
}
