import { expect, test } from "vitest"
import { startedActivity } from "./items.ts"
import { Item } from "./shapes.ts"

const SECRET = "hunter2".repeat(6)
const redact = (text: string) => text.replaceAll(SECRET, "[redacted]")

test("[AGENTS-30] a secret at the end of a long title is replaced before the title is cut", () => {
  const command = `/bin/bash -lc '${"x".repeat(135)} ${SECRET} and more'`
  const item = Item.parse({ type: "commandExecution", id: "c", command, status: "inProgress" })
  if (item.type !== "commandExecution") throw new Error("it is a command")
  const { title, input } = startedActivity(item, redact)
  expect(title).toBe(`${"x".repeat(135)} [redacted] and more`)
  // Rules are about the command itself; whoever keeps it redacts it.
  expect(input).toBe(command)
})
