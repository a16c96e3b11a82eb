import v8 from "@vitest/coverage-v8"
import type { CoverageProviderModule } from "vitest/node"

/** The environment of a project whose tests are not counted. */
export const UNCOUNTED = { QM_TEST_COVERAGE: "off" }

const isCounted = process.env["QM_TEST_COVERAGE"] !== "off"

/**
 * The coverage of V8, in the projects that ask for it: code that is counted takes up to four times
 * as long, which is too much where nothing is to be counted.
 */
const provider: CoverageProviderModule = {
  getProvider: () => v8.getProvider(),
  startCoverage: (options) => (isCounted ? v8.startCoverage?.(options) : undefined),
  takeCoverage: (options) => (isCounted ? v8.takeCoverage?.(options) : undefined),
  stopCoverage: (options) => (isCounted ? v8.stopCoverage?.(options) : undefined),
}

// oxlint-disable-next-line import/no-default-export -- vitest imports it so
export default provider
