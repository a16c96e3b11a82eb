import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"

/** Which machine this is, and a clock of it that nobody can set. */
export type Machine = {
  /** Tells machines apart, and containers whose process numbers mean something else. */
  readonly name: string
  /** Another one after each start of the machine. */
  readonly boot: string
  /** Since that start, the same in all processes. */
  uptimeMs(): number
}

export function thisMachine(): Machine {
  own ??= {
    name: `${hostname()}${processNamespace()}`,
    boot: bootName(),
    // Of the system and not of this process: on every platform it counts from the start.
    uptimeMs: () => Number(process.hrtime.bigint() / 1_000_000n),
  }
  return own
}

let own: Machine | undefined

/** Eight letters that are others after each start; a word where the system does not say. */
export function bootName(): string {
  boot ??= readOr("boot", () => readFileSync("/proc/sys/kernel/random/boot_id", "latin1"))
  return boot.slice(0, 8)
}

let boot: string | undefined

/** Two containers may have the same name and different processes of one number. */
function processNamespace(): string {
  return readOr("", () => ` ${readlinkSync("/proc/self/ns/pid")}`)
}

function readOr(otherwise: string, read: () => string): string {
  try {
    return read()
  } catch {
    return otherwise
  }
}
