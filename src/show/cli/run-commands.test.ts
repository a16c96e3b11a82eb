import { expect, test } from "vitest"
import { describeOperations, inputFields } from "#show/app"
import { RUN_COMMANDS } from "./run-commands.ts"

/** What the command line itself adds to an operation. */
const ADDED: Readonly<Record<string, readonly string[]>> = {
  run: ["detach"],
  send: ["follow"],
  stop: [],
  approve: [],
  deny: [],
}
const OPERATIONS: Readonly<Record<string, string>> = {
  run: "agents.start",
  send: "agents.send",
  stop: "agents.stop",
  approve: "agents.answer",
  deny: "agents.answer",
}
/** A note is for a denial; a rule that lasts is for an allowance. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  approve: ["note"],
  deny: ["always"],
}

test.each(Object.keys(OPERATIONS))(
  "[CLI-4] qm %s takes what its operation takes, in the same words",
  async (word) => {
    const command = RUN_COMMANDS.find((it) => it.words.join(" ") === word)
    const operation = (await describeOperations()).find((it) => it.name === OPERATIONS[word])
    if (command === undefined || operation === undefined) throw new Error(`${word} is missing`)
    const typed = [...command.arguments, ...command.flags].filter(
      (it) => ADDED[word]?.includes(it.key) !== true,
    )
    const fields = inputFields(operation).filter(
      (it) => LEFT_OUT[word]?.includes(it.key) !== true && !(it.key in (command.given ?? {})),
    )
    const shape = (it: (typeof typed)[number] | (typeof fields)[number]) => ({
      key: it.key,
      type: it.type,
      values: it.values,
      isList: it.isList,
      isRequired: it.isRequired,
    })
    const byKey = (a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : 1)
    expect(typed.map(shape).toSorted(byKey)).toEqual(fields.map(shape).toSorted(byKey))
  },
)

test("[CLI-4] the exit codes of a run are in the help of what follows one", () => {
  const following = RUN_COMMANDS.filter((it) => it.notes !== undefined)
  expect(following.map((it) => it.words[0])).toEqual(["run", "send", "attach"])
  for (const { notes = [] } of following) {
    expect(notes.join(" ")).toMatch(/0 when .+ 1 when .+ 3 when .+ 4 when .+ 130 after Ctrl-C/)
    for (const note of notes) expect(note.length).toBeLessThanOrEqual(100)
  }
})
