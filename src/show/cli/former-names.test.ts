import { expect, test } from "vitest"
import { OPERATIONS } from "#ground/contract"
import { deriveCommands } from "./derive-commands.ts"
import { parseLine } from "./parse.ts"

const COMMANDS = deriveCommands(Object.values(OPERATIONS))

/** Words that were public once, with the operation that they still run. */
const FORMER_WORDS: readonly (readonly [string, string])[] = [
  ["agent", "recipe.list"],
  ["agent list", "recipe.list"],
  ["agent new x", "recipe.new"],
  ["agent show x", "recipe.show"],
  ["agent trust x", "recipe.trust"],
  ["agent validate", "recipe.validate"],
  ["capture hosts", "hosts.list"],
  ["claim list", "claim.list"],
  ["credential list", "credential.list"],
  ["decision list", "decision.list"],
  ["fold tree", "fold.tree"],
  ["gateway list", "gateway.list"],
  ["guard verdicts", "guard.verdicts"],
  ["kb status", "kb.status"],
  ["memory list", "memory.list"],
  ["pipeline list", "pipeline.list"],
  ["providers", "hosts.list"],
  ["runs read x", "agents.read"],
  ["runs sessions", "agents.sessions"],
  ["session", "session.list"],
  ["session import x", "agents.read"],
  ["session index", "session.index"],
  ["session list", "session.list"],
  ["session register x y", "session.register"],
  ["session show x", "session.show"],
  ["session stored", "agents.sessions"],
  ["source list", "source.list"],
  ["status", "now.show"],
]

test.each(FORMER_WORDS)("[CLI-24] `qm %s` runs %s", (line, operation) => {
  const { action } = parseLine(line.split(" "), COMMANDS)
  expect(action.kind === "run" ? action.command.operation : action.kind).toBe(operation)
})

test("[HTTP-6] the former names of operations stay declared", () => {
  const former = Object.values(OPERATIONS).flatMap(({ name, formerName }) =>
    formerName === undefined ? [] : [`${formerName}: ${name}`],
  )
  expect(former.toSorted()).toEqual([
    "agent.list: recipe.list",
    "agent.new: recipe.new",
    "agent.show: recipe.show",
    "agent.trust: recipe.trust",
    "agent.validate: recipe.validate",
    "repositories.add: fleet.add",
    "repositories.list: fleet.list",
    "repositories.remove: fleet.remove",
    "swarm.send-back: swarm.reject",
  ])
})
