import { hostname } from "node:os"
import { processIdentity, type Random } from "#ground/base"

/** Who this process is among all that may work on the rows of one store. */
export function processOwner(random: Random) {
  const { pid, startedAt = "" } = processIdentity()
  const instance = Buffer.from(random.bytes(12)).toString("hex")
  return { pid, startedAt, machine: hostname(), instance }
}
