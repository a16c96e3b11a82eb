import { expect, test } from "vitest"
import { titleOf } from "./tools.ts"

const SECRET = "hunter2".repeat(6)
const redact = (text: string) => text.replaceAll(SECRET, "[redacted]")

test("[AGENTS-30] a secret at the end of a long title is replaced before the title is cut", () => {
  const command = `${"x".repeat(130)} ${SECRET} and more than fits`
  const title = titleOf("Bash", { command }, redact)
  expect(title).toBe(`Bash ${"x".repeat(130)} [redacted] and more tha…`)
})
