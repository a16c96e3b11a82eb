import type { Host, Place } from "../host.ts"
import { findProgram } from "../installed.ts"
import { ask } from "./ask.ts"
import { readLastSession } from "./session.ts"
import { survey } from "./survey.ts"

/** Claude Code: what it loads was seen on the real program, see test/conformance. */
export const claudeCode: Host = {
  name: "claude-code",
  title: "Claude Code",
  factsVersions: ["2.1.325"],
  isVerified: true,
  joinsLists: true,
  survey,
  findInstalled: (place, disk) =>
    findProgram(place, disk, {
      names: ["claude"],
      packages: packagesFor(place.platform),
    }),
  readLastSession,
  ask,
}

/** The package people install, and those with the program of a platform in them. */
function packagesFor(platform: Place["platform"]): readonly string[] {
  const machines = ["x64", "arm64", "x64-musl", "arm64-musl"]
  const own = machines.map((it) => `@anthropic-ai/claude-code-${platform}-${it}`)
  return ["@anthropic-ai/claude-code", ...own]
}
