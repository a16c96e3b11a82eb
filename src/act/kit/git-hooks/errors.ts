import { defineError } from "#ground/base"

export const HookNotAFile = defineError<{ path: string; what: string }>()("KIT_HOOK_NOT_A_FILE", {
  family: "conflict",
  message: (it) => `${it.path} is a ${it.what}, not a regular file; nothing was written.`,
  hint: () => "Replace it with a regular file or remove it, then run the command again.",
})

export const HookKeptExists = defineError<{ path: string }>()("KIT_HOOK_KEPT_EXISTS", {
  family: "conflict",
  message: (it) => `Your hook would be kept as ${it.path}, but that file already exists.`,
  hint: () => "Compare both files, move or delete the kept one, then run the command again.",
})

export const HooksChanged = defineError<{ folder: string }>()("KIT_HOOKS_CHANGED", {
  family: "conflict",
  message: (it) =>
    `The hooks in ${it.folder} changed after the plan was made; nothing was written.`,
  hint: () => "Run the command again and check the new plan.",
})

export const CommitMessageRefused = defineError<{ header: string; wrong: string }>()(
  "KIT_COMMIT_MESSAGE_REFUSED",
  {
    family: "invalid",
    message: (it) => `Commit message rejected: ${it.wrong}. The header is "${it.header}".`,
    hint: () =>
      "Use `type(scope): subject`, e.g. `fix(parser): keep empty lines`. To commit anyway: `QM_SKIP=commit-msg git commit …`",
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
    return `${it.branch} conflicts with ${it.base} in ${files}:${names}${more}`
  },
  hint: () =>
    "Merge it or rebase onto it, then push again. To push anyway: `QM_SKIP=pre-push git push …`",
})
