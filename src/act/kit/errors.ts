import { defineError, visibleLine } from "#ground/base"

type File = { readonly path: string }

export const FileIsLink = defineError<File>()("KIT_FILE_IS_LINK", {
  family: "conflict",
  message: (it) => `${visibleLine(it.path)} is a link, and links are not followed here.`,
  hint: () => "Put a regular file in its place, or wire the hooks by hand where it leads.",
})

export const FolderLeadsOut = defineError<File & { readonly to: string }>()(
  "KIT_FOLDER_LEADS_OUT",
  {
    family: "conflict",
    message: (it) =>
      `A folder above ${visibleLine(it.path)} is a link that leads out, to ${visibleLine(it.to)}.`,
    hint: () => "Name the real folder (CLAUDE_CONFIG_DIR, CODEX_HOME), or put it where it belongs.",
  },
)

export const FileNotUsable = defineError<File & { readonly what: string }>()(
  "KIT_FILE_NOT_REGULAR",
  {
    family: "conflict",
    message: (it) => `${visibleLine(it.path)} is a ${it.what}, not a regular file.`,
    hint: () => "Move it away, then repeat the command.",
  },
)

export const FileOfOthers = defineError<File>()("KIT_FILE_OF_OTHERS", {
  family: "denied",
  message: (it) => `${visibleLine(it.path)} belongs to another user.`,
  hint: () => "Run the command as its owner, without sudo, or give the file to yourself.",
})

export const FileReadOnly = defineError<File>()("KIT_FILE_READ_ONLY", {
  family: "denied",
  message: (it) => `${visibleLine(it.path)} is read-only, so somebody wants it to stay as it is.`,
  hint: () => "Let its owner write to it (chmod u+w), then repeat the command.",
})

export const FileTooLarge = defineError<File & { readonly mostBytes: number }>()(
  "KIT_FILE_TOO_LARGE",
  {
    family: "invalid",
    message: (it) => `${visibleLine(it.path)} is larger than ${it.mostBytes} bytes.`,
    hint: () => "Look at what is in it; a host would not read it either.",
  },
)

export const FileNotText = defineError<File>()("KIT_FILE_NOT_TEXT", {
  family: "invalid",
  message: (it) => `${visibleLine(it.path)} is not text in UTF-8.`,
  hint: () => "Save it as UTF-8, then repeat the command.",
})

export const FileUnreadable = defineError<File & { readonly reason: string }>()(
  "KIT_FILE_UNREADABLE",
  {
    family: "denied",
    message: (it) => `${visibleLine(it.path)} could not be read (${it.reason}).`,
    hint: () => "Check the owner and the mode of the file and of the folders above it.",
  },
)

export const SettingsInvalid = defineError<File & { readonly wrong: string }>()(
  "KIT_SETTINGS_INVALID",
  {
    family: "invalid",
    message: (it) => `${visibleLine(it.path)} cannot be edited: ${it.wrong}.`,
    hint: () => "Mend the file, then repeat the command; nothing was written.",
  },
)

export const BlockDamaged = defineError<File>()("KIT_BLOCK_DAMAGED", {
  family: "conflict",
  message: (it) => `The marks of Quartermaster's block in ${visibleLine(it.path)} do not pair up.`,
  hint: () => "Leave one qm:begin with one qm:end after it, or delete the block with both marks.",
})

export const InstallerBusy = defineError<{ readonly pid: number }>()("KIT_INSTALLER_BUSY", {
  family: "unavailable",
  message: (it) => `Another install is at work (process ${it.pid}).`,
  hint: () => "Wait until it is done, then repeat the command.",
})

export const PlanStale = defineError<Record<never, never>>()("KIT_PLAN_STALE", {
  family: "conflict",
  message: () => "A file changed between the plan and its writing; nothing was written.",
  hint: () => "Look at the new plan, then repeat the command.",
})

export const NoHost = defineError<Record<never, never>>()("KIT_NO_HOST", {
  family: "not-found",
  message: () => "None of Claude Code, Codex and Antigravity was found on this machine.",
  hint: () => "Name the host with --host, e.g. `qm init --host claude-code`.",
})

export const ManifestInvalid = defineError<File>()("KIT_MANIFEST_INVALID", {
  family: "invalid",
  message: (it) => `${visibleLine(it.path)}, the list of what was installed, cannot be read.`,
  hint: () => "Restore it from a backup, or move it away: hooks are then found by what they run.",
})

export const TemplateInvalid = defineError<File & { readonly wrong: string }>()(
  "KIT_TEMPLATE_INVALID",
  {
    family: "invalid",
    message: (it) => `The template ${visibleLine(it.path)} cannot be used: ${it.wrong}.`,
    hint: () => "Install Quartermaster again; its templates are part of it.",
  },
)

export const BundleInvalid = defineError<Record<never, never>>()("KIT_BUNDLE_INVALID", {
  family: "invalid",
  message: () => "The bundle of the hooks is not what its hash says.",
  hint: () => "Build it again with `node scripts/build.ts`, or install Quartermaster again.",
})

export const BundleMissing = defineError<{ why: string }>()("APP_BUNDLE_MISSING", {
  family: "unavailable",
  message: ({ why }) => `The program that hosts start for our hooks ${why}.`,
  hint: () => "Run `npm run build` in the clone, then try again.",
})
