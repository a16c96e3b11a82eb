import { defineError } from "#ground/base"

export const GitFailed = defineError<{ command: string; said: string }>()("REPO_GIT_FAILED", {
  family: "unavailable",
  message: (it) => `git ${it.command} could not read the history: ${it.said}.`,
  hint: () =>
    "Run `git fsck` in the repository. Without git, Quartermaster works from the files alone.",
})

export const GitTimedOut = defineError<{ command: string; timeoutMs: number }>()(
  "REPO_GIT_TIMED_OUT",
  {
    family: "unavailable",
    message: (it) => `git ${it.command} did not finish within ${it.timeoutMs} ms.`,
    hint: () =>
      "Try again when the machine is less busy, or run `git gc`: the repository may be very large.",
  },
)

export const GitAnswerTooLarge = defineError<{ command: string; maxBytes: number }>()(
  "REPO_GIT_ANSWER_TOO_LARGE",
  {
    family: "full",
    message: (it) => `The output of git ${it.command} exceeds ${it.maxBytes} bytes.`,
    hint: () =>
      "Work in a subdirectory of the repository: this commit has more files than can be indexed.",
  },
)
