import type { BenchScan, ScanRow } from "#ground/contract"

export type TreeSize = Pick<BenchScan, "files" | "lines" | "megabytes">

export type Used = Pick<ScanRow, "tool" | "note" | "cpuSeconds" | "peakMegabytes"> & {
  readonly seconds: number
}

export function rowOf(used: Used, size: TreeSize): ScanRow {
  const perSecond = (count: number) => (used.seconds === 0 ? null : count / used.seconds)
  return {
    ...used,
    filesPerSecond: perSecond(size.files),
    megabytesPerSecond: perSecond(size.megabytes),
  }
}
