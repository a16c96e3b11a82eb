/**
 * Claims one path for a short lease, reports it, and writes to a file on command. Before each write
 * it checks that the claim is still its own.
 */
import { createInterface } from "node:readline"
import { createJsonl, isAppError, processIdentity, systemClock, systemRandom } from "#ground/base"
import { createClaims } from "#know/ledger"

const [directory = "", session = "", leaseMs = "0", wallOffsetMs = "0"] = process.argv.slice(2)
const claims = createClaims({
  stateDirectory: directory,
  clock: { now: () => systemClock.now() + Number(wallOffsetMs), sleep: systemClock.sleep },
  random: systemRandom,
  machine: { name: "here", boot: "boot", uptimeMs: () => Number(process.hrtime.bigint()) / 1e6 },
})
const journal = createJsonl(`${directory}/journal.jsonl`)
const holder = { session, process: processIdentity(), leaseMs: Number(leaseMs) }
const outcome = await claims.take(["src/a.ts"], holder)
const [claim] = outcome.kind === "taken" ? outcome.claims : []
say(claim === undefined ? "held" : `taken ${claim.fence}`)

for await (const line of createInterface({ input: process.stdin })) {
  if (line === "end" || claim === undefined) break
  try {
    const { fence } = await claims.assertHeld(claim)
    await journal.append({ session, fence })
    say("written")
  } catch (error) {
    say(isAppError(error) ? error.code : String(error))
  }
}
process.exit(0)

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
