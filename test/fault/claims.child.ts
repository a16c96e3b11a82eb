/**
 * Claims a few paths until it has won the given number. While it holds a claim it creates a file
 * that no other process may have created, and prints fence and path; then it deletes the file.
 */
import { createFile, processIdentity, removeFile, systemClock, systemRandom } from "#ground/base"
import { createClaims } from "#know/ledger"

const [directory = "", name = "", rounds = "0", paths = "", overlap = ""] = process.argv.slice(2)
const shared = paths.split(",")
const claims = createClaims({
  stateDirectory: directory,
  clock: systemClock,
  random: systemRandom,
  machine: { name: "here", boot: "boot", uptimeMs: () => Number(process.hrtime.bigint()) / 1e6 },
})

const won: { path: string; fence: number }[] = []
let intruders = 0
let lost = 0
let refused = 0
while (won.length < Number(rounds)) {
  const attempt = won.length + refused
  const path = shared[(attempt + name.length) % shared.length] ?? ""
  const holder = { session: `${name}-${attempt}`, process: processIdentity() }
  const outcome = await claims.take([path], holder)
  const [claim] = outcome.kind === "taken" ? outcome.claims : []
  if (claim === undefined) {
    refused++
    await systemClock.sleep(1)
    continue
  }
  // Overlapping paths share one file: only one of their holders may be inside.
  const inside = `${directory}/inside-${overlap || path.replaceAll("/", "+")}`
  if ((await createFile(inside)).kind === "exists") intruders++
  won.push({ path, fence: claim.fence })
  await removeFile(inside)
  if ((await claims.release(claim)).kind === "lost") lost++
}
process.stdout.write(`${JSON.stringify({ won, intruders, lost, refused })}\n`)
