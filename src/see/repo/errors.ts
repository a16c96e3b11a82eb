import { defineError } from "#ground/base"

export const GitFailed = defineError<{ command: string; said: string }>()("REPO_GIT_FAILED", {
  family: "unavailable",
  message: (it) => `git ${it.command} could not read the history: ${it.said}.`,
  hint: () =>
    "Run `git fsck` in the repository; without git everything works from the files as they are.",
})

export const GitTimedOut = defineError<{ command: string; timeoutMs: number }>()(
  "REPO_GIT_TIMED_OUT",
  {
    family: "unavailable",
    message: (it) => `git ${it.command} gave no answer within ${it.timeoutMs} ms.`,
    hint: () =>
      "Try again when the machine is less busy, or run `git gc` in the repository; it may be very large.",
  },
)

export const GitAnswerTooLarge = defineError<{ command: string; maxBytes: number }>()(
  "REPO_GIT_ANSWER_TOO_LARGE",
  {
    family: "full",
    message: (it) => `git ${it.command} had more to say than ${it.maxBytes} bytes.`,
    hint: () => "Work in a part of the repository; this commit has more files than can be indexed.",
  },
)
