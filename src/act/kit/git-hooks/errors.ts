import { defineError } from "#ground/base"

export const HookNotAFile = defineError<{ path: string; what: string }>()("KIT_HOOK_NOT_A_FILE", {
  family: "conflict",
  message: (it) => `${it.path} is a ${it.what}, not a plain file; nothing was written.`,
  hint: () => "Put a plain file there or take it away, then run the command again.",
})

export const HookKeptExists = defineError<{ path: string }>()("KIT_HOOK_KEPT_EXISTS", {
  family: "conflict",
  message: (it) => `A hook of yours would be kept as ${it.path}, but that is there already.`,
  hint: () => "Look at both files, move or delete the kept one, then run the command again.",
})

export const HooksChanged = defineError<{ folder: string }>()("KIT_HOOKS_CHANGED", {
  family: "conflict",
  message: (it) =>
    `The hooks in ${it.folder} changed since the plan was made; nothing was written.`,
  hint: () => "Run the command again and look at the new plan.",
})

export const CommitMessageRefused = defineError<{ header: string; wrong: string }>()(
  "KIT_COMMIT_MESSAGE_REFUSED",
  {
    family: "invalid",
    message: (it) => `The commit message was refused: ${it.wrong}. Its header is "${it.header}".`,
    hint: () =>
      "Write it as `type(scope): subject`, e.g. `fix(parser): keep empty lines`. To commit it as it is: `QM_SKIP=commit-msg git commit …`",
  },
)

export const PushConflicts = defineError<{
  branch: string
  base: string
  files: readonly string[]
  count: number
}>()("KIT_PUSH_CONFLICTS", {
  family: "conflict",
  message: (it) => {
    const files = it.count === 1 ? "1 file" : `${it.count} files`
    const more = it.count > it.files.length ? `\n    and ${it.count - it.files.length} more` : ""
    const names = it.files.map((file) => `\n    ${file}`).join("")
    return `${it.branch} conflicts with ${it.base}, as last fetched, in ${files}:${names}${more}`
  },
  hint: () =>
    "Fetch, then merge or rebase onto it, and push again. To push as it is: `QM_SKIP=pre-push git push …`",
})
