import { OPERATIONS } from "#ground/contract"
import { findPrinter, type ResultPrinter } from "./renderers.ts"

export async function loadPrinters(): Promise<Readonly<Record<string, ResultPrinter>>> {
  const loaded = await Promise.all(
    Object.values(OPERATIONS).map(async (it) => [it.name, await findPrinter(it)] as const),
  )
  return Object.fromEntries(loaded.flatMap(([name, it]) => (it === undefined ? [] : [[name, it]])))
}
