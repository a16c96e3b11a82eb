import { defineError } from "#ground/base"

export const SyncNoGit = defineError<{ reason: string }>()("SYNC_NO_GIT", {
  family: "unavailable",
  message: (it) => `The branches cannot be compared: ${it.reason}.`,
  hint: () => "Run the command in a git repository with a commit, and with git on the PATH.",
})

export const BaseUnknown = defineError<{ base: string; remote: string }>()("SYNC_BASE_UNKNOWN", {
  family: "not-found",
  message: (it) => `The remote ${it.remote} has no branch ${it.base}, as last fetched.`,
  hint: (it) => `Fetch it with \`git fetch ${it.remote}\`, or name another branch with --base.`,
})

export const RemoteMissing = defineError<{ reason: string }>()("REVIEW_NO_REMOTE", {
  family: "not-found",
  message: (it) => `There is no remote for pull requests: ${it.reason}.`,
  hint: () => "Add one with `git remote add origin URL`.",
})

export const ToolUnknown = defineError<{ host: string }>()("REVIEW_TOOL_UNKNOWN", {
  family: "invalid",
  message: (it) => `No program for pull requests is known for the host ${it.host}.`,
  hint: () => "Set it to gh, glab, bb or tea, such as `qm config set review.tool glab`.",
})

export const ToolMissing = defineError<{ tool: string; host: string }>()("REVIEW_TOOL_MISSING", {
  family: "unavailable",
  message: (it) => `Pull requests of ${it.host} need the program ${it.tool}, which was not found.`,
  hint: (it) => `Install ${it.tool} outside the project, log in with it, then try again.`,
})

export const NotLoggedIn = defineError<{ tool: string; host: string; command: string }>()(
  "REVIEW_NOT_LOGGED_IN",
  {
    family: "denied",
    message: (it) => `${it.tool} has no login for ${it.host}.`,
    hint: (it) => `Log in with \`${it.command}\`, then try again.`,
  },
)

export const ReviewFailed = defineError<{ tool: string; what: string; reason: string }>()(
  "REVIEW_FAILED",
  {
    family: "unavailable",
    message: (it) => `${it.tool} could not ${it.what}: ${it.reason}`,
    hint: (it) => `Check the network, the rights of your login and the version of ${it.tool}.`,
  },
)

export const PullMissing = defineError<{ what: string }>()("REVIEW_NOT_FOUND", {
  family: "not-found",
  message: (it) => `No pull request is open for ${it.what}.`,
  hint: () => 'Open one with `qm review create "Fix rounding"`, or pass the number of another one.',
})

export const PullExists = defineError<{ branch: string; url: string }>()("REVIEW_EXISTS", {
  family: "conflict",
  message: (it) => `The branch ${it.branch} already has an open pull request: ${it.url}`,
  hint: () => "Push to the branch to update it; see `qm review status`.",
})

export const BranchUnusable = defineError<{ reason: string; step: string }>()(
  "REVIEW_BRANCH_UNUSABLE",
  {
    family: "conflict",
    message: (it) => `A pull request cannot be opened: ${it.reason}.`,
    hint: (it) => `${it.step} Then try again.`,
  },
)

export const CommentIncomplete = defineError<{ reason: string }>()("REVIEW_COMMENT_INVALID", {
  family: "invalid",
  message: (it) => `The comment cannot be posted: ${it.reason}.`,
  hint: () => "Pass --path and --line together; the path is relative to the repository.",
})

export const TextUnreadable = defineError<{ file: string; reason: string }>()(
  "REVIEW_TEXT_UNREADABLE",
  {
    family: "invalid",
    message: (it) => `The text in ${it.file} cannot be used: ${it.reason}.`,
    hint: () => "Name a readable text file of at most 60,000 characters.",
  },
)
