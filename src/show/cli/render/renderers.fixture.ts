import { OPERATIONS, type Operation } from "#ground/contract"
import { findPrinter, type ResultPrinter } from "./renderers.ts"

/** They parse the output first, as a call of the operation does. */
export async function loadPrinters(): Promise<Readonly<Record<string, ResultPrinter>>> {
  const operations: readonly Operation[] = Object.values(OPERATIONS)
  const loaded = await Promise.all(
    operations.map(async ({ name, output: schema }) => {
      const printer = await findPrinter(name)
      if (printer === undefined) return []
      const { text, exitCode } = printer
      const parsing: ResultPrinter = {
        ...printer,
        text: (output, screen) => text(schema.parse(output), screen),
        exitCode: (output) => exitCode(schema.parse(output)),
      }
      return [[name, parsing] as const]
    }),
  )
  return Object.fromEntries(loaded.flat())
}
