import { expect, test } from "vitest"
import { redactArguments, redactCommand } from "./redact.ts"

test.each([
  ["server --api-key hunter2 --port 80", "server --api-key [redacted: argument] --port 80"],
  ["server --token=hunter2", "server --token=[redacted: argument]"],
  ["server --pass hunter2 -v", "server --pass [redacted: argument] -v"],
  ["server -e DB=hunter2 x", "server -e [redacted: argument] x"],
  ["server DB_PASSWORD=hunter2", "server DB_PASSWORD=[redacted: argument]"],
  [
    "http://h.invalid/mcp?token=hunter2&page=2",
    "http://h.invalid/mcp?token=[redacted: argument]&page=2",
  ],
  ["http://h.invalid/?accessKey=hunter2", "http://h.invalid/?accessKey=[redacted: argument]"],
  ["server --path /x --keyboard de --pattern a=b", "server --path /x --keyboard de --pattern a=b"],
])("[CAPTURE-4] %s", (line, shown) => {
  expect(redactCommand(line)).toBe(shown)
})

test("[CAPTURE-4] all words of a header value in a command line are redacted", () => {
  const shown = redactCommand("server --header Authorization: Bearer hunter2 --port 80")
  expect(shown).not.toMatch(/Bearer|hunter2/)
  expect(shown).toContain("--port 80")
})

test("[CAPTURE-4] in a list of arguments the previous argument tells which value is secret", () => {
  const { value, replaced } = redactArguments({
    mcpServers: {
      a: { command: "x", args: ["--api-key", "hunter2", "--quiet"], url: "http://h/?key=hunter2" },
      b: { command: ["x", "--token", "hunter2"], args: [1, "--token", "kept"] },
    },
  })
  expect(JSON.stringify(value)).not.toContain("hunter2")
  expect(replaced).toBe(3)
  expect(value).toMatchObject({
    mcpServers: { a: { args: ["--api-key", "[redacted: argument]", "--quiet"] } },
  })
})
