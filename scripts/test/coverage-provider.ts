import v8 from "@vitest/coverage-v8"
import { V8CoverageProvider } from "@vitest/coverage-v8/dist/provider.js"
import type { CoverageProviderModule } from "vitest/node"

export const UNCOUNTED = { QM_TEST_COVERAGE: "off" }

const isCounted = process.env["QM_TEST_COVERAGE"] !== "off"

type Reading = Parameters<V8CoverageProvider["readCoverageFiles"]>[0]
type Project = Parameters<Reading["onFinished"]>

/**
 * Converts the counts once for all projects, which transform the sources alike: a conversion per
 * project would parse most of the sources a dozen times.
 */
class MergedCoverage extends V8CoverageProvider {
  override async readCoverageFiles(reading: Reading): Promise<void> {
    let first: Project | undefined
    const onFinished = async (...project: Project) => {
      first ??= project
    }
    await super.readCoverageFiles({ ...reading, onFinished })
    if (first !== undefined) await reading.onFinished(...first)
  }
}

/**
 * V8 coverage only in the projects that need it: code with coverage takes up to four times as long.
 */
const provider: CoverageProviderModule = {
  getProvider: () => new MergedCoverage(),
  startCoverage: (options) => (isCounted ? v8.startCoverage?.(options) : undefined),
  takeCoverage: (options) => (isCounted ? v8.takeCoverage?.(options) : undefined),
  stopCoverage: (options) => (isCounted ? v8.stopCoverage?.(options) : undefined),
}

// oxlint-disable-next-line import/no-default-export -- vitest imports it so
export default provider
