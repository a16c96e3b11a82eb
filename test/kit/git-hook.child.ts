import { text } from "node:stream/consumers"
import { runGitHook } from "#act/kit"
import { invariant } from "#ground/base"
import { GIT_HOOKS } from "#ground/contract"
import { locateRepository } from "#see/repo"

/** `qm hook <name>` without the rest of qm, to save start-up time; git-hooks.test.ts runs it. */
const [, , , hookName, ...args] = process.argv
const name = GIT_HOOKS.find((it) => it === hookName)
invariant(name !== undefined, "the hooks call qm with their own name")
const git = {
  file: process.env["QM_TEST_GIT"] ?? "",
  repository: await locateRepository(process.cwd()),
  environment: process.env,
  signal: new AbortController().signal,
}
const stdin = name === "pre-push" ? await text(process.stdin) : ""
const mayFetch = process.env["QM_TEST_FETCH"] !== "no"
const answer = await runGitHook(name, git, { args, stdin, level: 3, mayFetch })
process.stderr.write(answer.stderr)
process.exitCode = answer.code
