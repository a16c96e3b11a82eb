import { formatExact } from "#ground/base"
import { type Progress } from "#ground/contract"

type Sink = { write(text: string): void; readonly isTerminal: boolean }

const BAR_CELLS = 24
const CLEAR_LINE = "\r\u001b[2K"

/**
 * Progress as one line that is overwritten. On stderr and on a terminal only, so that neither a
 * pipe nor a log gets it.
 */
export function createProgressLine(sink: Sink) {
  let shown = ""
  return {
    show({ what, done, total }: Progress): void {
      if (!sink.isTerminal || total === 0) return
      const full = Math.min(BAR_CELLS, Math.floor((done / total) * BAR_CELLS))
      const bar = `${"━".repeat(full)}${"·".repeat(BAR_CELLS - full)}`
      const percent = Math.floor((Math.min(done, total) / total) * 100)
      const line = `${bar} ${percent} %  ${what}, ${formatExact(done)} of ${formatExact(total)}`
      if (line === shown) return
      shown = line
      sink.write(`${CLEAR_LINE}${line}`)
    },
    clear(): void {
      if (shown !== "") sink.write(CLEAR_LINE)
      shown = ""
    },
  }
}
