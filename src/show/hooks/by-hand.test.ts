import { mkdirSync } from "node:fs"
import path from "node:path"
import { expect, test } from "vitest"
import { commit, git } from "#test/git"
import { editPayload, enrol } from "#test/hooks"
import { tempDirectory } from "#test/temp"
import { runHookByHand } from "./by-hand.ts"

const NEWS = "# Changes\n\n## [Unreleased]\n- tea is served\n"

async function repository() {
  const temp = await tempDirectory()
  const root = path.join(temp.path, "repo")
  mkdirSync(root)
  git(root, "init", "-q")
  const files = { "src/a.ts": "a\n", "src/b.ts": "b\n", "CHANGELOG.md": NEWS }
  commit(root, "first", files)
  enrol(root)
  const asked = { host: "claude-code", environment: {}, home: temp.path, directory: root }
  return Object.assign(temp, { root, asked })
}

test("[HOOKS-17] the event name alone is enough, and the output is the host's line", async () => {
  await using repo = await repository()
  const { line } = await runHookByHand({
    ...repo.asked,
    eventName: "SessionStart",
    input: undefined,
  })
  expect(JSON.parse(line ?? "null")).toMatchObject({
    hookSpecificOutput: {
      hookEventName: "SessionStart",
      additionalContext: expect.stringContaining("tea is served"),
    },
  })
})

test("[HOOKS-17] a payload is judged like a host's, with its side effects", async () => {
  await using repo = await repository()
  const runEvent = (eventName: string, input: object) =>
    runHookByHand({ ...repo.asked, eventName, input: JSON.stringify(input) })
  for (const file of ["src/a.ts", "src/b.ts"]) {
    const edit = editPayload("PostToolUse", { cwd: repo.root }, file)
    expect(await runEvent("PostToolUse", edit)).toEqual({ line: undefined, troubles: [] })
  }
  const stop = { session_id: "session-1", cwd: repo.root, hook_event_name: "Stop" }
  expect((await runEvent("Stop", stop)).line).toContain('"decision":"block"')
  expect((await runEvent("Stop", stop)).line).toBeUndefined()
})

test("[HOOKS-17] reports why a hook is silent", async () => {
  await using repo = await repository()
  const result = await runHookByHand({ ...repo.asked, eventName: "Stop", input: "garbage" })
  expect(result).toEqual({
    line: undefined,
    troubles: [expect.stringContaining("the payload is not JSON")],
  })
})
