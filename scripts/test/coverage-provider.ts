import v8 from "@vitest/coverage-v8"
import type { CoverageProviderModule } from "vitest/node"

export const UNCOUNTED = { QM_TEST_COVERAGE: "off" }

const isCounted = process.env["QM_TEST_COVERAGE"] !== "off"

/**
 * V8 coverage only in the projects that need it: code with coverage takes up to four times as long.
 */
const provider: CoverageProviderModule = {
  getProvider: () => v8.getProvider(),
  startCoverage: (options) => (isCounted ? v8.startCoverage?.(options) : undefined),
  takeCoverage: (options) => (isCounted ? v8.takeCoverage?.(options) : undefined),
  stopCoverage: (options) => (isCounted ? v8.stopCoverage?.(options) : undefined),
}

// oxlint-disable-next-line import/no-default-export -- vitest imports it so
export default provider
