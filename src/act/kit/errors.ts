import { defineError, visibleLine } from "#ground/base"

type File = { readonly path: string }

export const FileIsLink = defineError<File>()("KIT_FILE_IS_LINK", {
  family: "conflict",
  message: (it) => `${visibleLine(it.path)} is a link; the kit does not follow links.`,
  hint: () => "Replace the link with a regular file, then run the command again.",
})

export const FolderLeadsOut = defineError<File & { readonly to: string }>()(
  "KIT_FOLDER_LEADS_OUT",
  {
    family: "conflict",
    message: (it) =>
      `${visibleLine(it.path)} is outside its folder: a parent folder is a link to ${visibleLine(it.to)}.`,
    hint: () =>
      "Set CLAUDE_CONFIG_DIR or CODEX_HOME to the real folder, or replace the link with a folder.",
  },
)

export const FileNotUsable = defineError<File & { readonly what: string }>()(
  "KIT_FILE_NOT_REGULAR",
  {
    family: "conflict",
    message: (it) => `${visibleLine(it.path)} is a ${it.what}, not a regular file.`,
    hint: () => "Move it away, then run the command again.",
  },
)

export const FileOfOthers = defineError<File>()("KIT_FILE_OF_OTHERS", {
  family: "denied",
  message: (it) => `${visibleLine(it.path)} belongs to another user.`,
  hint: () =>
    "Run the command as the owner of the file, without sudo, or change its owner with chown.",
})

export const FileReadOnly = defineError<File>()("KIT_FILE_READ_ONLY", {
  family: "denied",
  message: (it) => `${visibleLine(it.path)} is read-only.`,
  hint: (it) =>
    `Make it writable with \`chmod u+w '${visibleLine(it.path)}'\`, then run the command again.`,
})

export const FileTooLarge = defineError<File & { readonly mostBytes: number }>()(
  "KIT_FILE_TOO_LARGE",
  {
    family: "invalid",
    message: (it) => `${visibleLine(it.path)} is larger than ${it.mostBytes} bytes.`,
    hint: () =>
      "Check its content: settings files usually have a few kilobytes. Then run the command again.",
  },
)

export const FileNotText = defineError<File>()("KIT_FILE_NOT_TEXT", {
  family: "invalid",
  message: (it) => `${visibleLine(it.path)} is not UTF-8 text.`,
  hint: () => "Save it as UTF-8, then run the command again.",
})

export const FileUnreadable = defineError<File & { readonly reason: string }>()(
  "KIT_FILE_UNREADABLE",
  {
    family: "denied",
    message: (it) => `${visibleLine(it.path)} could not be read (${it.reason}).`,
    hint: () => "Check the owner and mode of the file and of its parent folders.",
  },
)

export const SettingsInvalid = defineError<File & { readonly wrong: string }>()(
  "KIT_SETTINGS_INVALID",
  {
    family: "invalid",
    message: (it) => `${visibleLine(it.path)} cannot be edited: ${it.wrong}.`,
    hint: () => "Fix the file, then run the command again. Nothing was written.",
  },
)

export const BlockDamaged = defineError<File>()("KIT_BLOCK_DAMAGED", {
  family: "conflict",
  message: (it) => `The qm:begin and qm:end marks in ${visibleLine(it.path)} are not paired.`,
  hint: () =>
    "Keep exactly one qm:begin followed by one qm:end, or delete the block with both marks.",
})

export const InstallerBusy = defineError<{ readonly pid: number }>()("KIT_INSTALLER_BUSY", {
  family: "unavailable",
  message: (it) => `Another install is running (process ${it.pid}).`,
  hint: () => "Wait until it has finished, then run the command again.",
})

export const PlanStale = defineError<Record<never, never>>()("KIT_PLAN_STALE", {
  family: "conflict",
  message: () => "A file changed after the plan was made; nothing was written.",
  hint: () => "Run the command again and check the new plan.",
})

export const NoHost = defineError<Record<never, never>>()("KIT_NO_HOST", {
  family: "not-found",
  message: () => "None of Claude Code, Codex and Antigravity was found on this machine.",
  hint: () => "Install one; `qm hosts` shows how. Or name the host: `qm init --host claude-code`.",
})

export const ManifestInvalid = defineError<File>()("KIT_MANIFEST_INVALID", {
  family: "invalid",
  message: (it) => `The install manifest ${visibleLine(it.path)} is invalid.`,
  hint: () =>
    "Restore it from a backup, or move it away: hooks are then recognized by their command.",
})

export const TemplateInvalid = defineError<File & { readonly wrong: string }>()(
  "KIT_TEMPLATE_INVALID",
  {
    family: "invalid",
    message: (it) => `The template ${visibleLine(it.path)} cannot be used: ${it.wrong}.`,
    hint: () => "Reinstall Quartermaster; the templates are part of the package.",
  },
)

export const BundleInvalid = defineError<Record<never, never>>()("KIT_BUNDLE_INVALID", {
  family: "invalid",
  message: () => "The hook bundle does not match its hash.",
  hint: () => "Rebuild it with `node scripts/build.ts`, or reinstall Quartermaster.",
})

export const BundleMissing = defineError<{ why: string }>()("APP_BUNDLE_MISSING", {
  family: "unavailable",
  message: ({ why }) => `The hook bundle that hosts run ${why}.`,
  hint: () => "Run `npm run build` in the clone, then run the command again.",
})

export const PackUnknown = defineError<{
  readonly name: string
  readonly nearest: string | undefined
}>()("KIT_PACK_UNKNOWN", {
  family: "not-found",
  message: (it) => `There is no pack ${visibleLine(it.name)}.`,
  hint: (it) =>
    `${it.nearest === undefined ? "" : `Did you mean ${it.nearest}? `}List all packs with \`qm packs\`.`,
})

export const KitMissing = defineError<Record<never, never>>()("KIT_NOT_INSTALLED", {
  family: "conflict",
  message: () => "The kit is not installed in this repository.",
  hint: () => "Install it with `qm init --yes`; `qm init` shows the plan.",
})

export const DefinitionInvalid = defineError<{
  readonly name: string
  readonly problems: readonly string[]
}>()("KIT_DEFINITION_INVALID", {
  family: "invalid",
  message: (it) => `${it.name} was not written: ${it.problems.map(visibleLine).join("; ")}.`,
  hint: () =>
    "Change the description or the file with the instructions, then run the command again.",
})

export const DefinitionExists = defineError<File>()("KIT_DEFINITION_EXISTS", {
  family: "conflict",
  message: (it) => `${visibleLine(it.path)} exists; nothing was written.`,
  hint: () => "Choose another name, or add --replace.",
})

export const DefinitionUnreadable = defineError<File & { readonly reason: string }>()(
  "KIT_DEFINITION_UNREADABLE",
  {
    family: "not-found",
    message: (it) => `${visibleLine(it.path)} cannot be read: it is ${it.reason}.`,
    hint: () => "Pass a text file of this repository with at most 64 kB.",
  },
)

export const DefinitionUnknown = defineError<{ name: string }>()("KIT_DEFINITION_UNKNOWN", {
  family: "not-found",
  message: (it) => `No agent, command or skill is called "${it.name}".`,
  hint: () => "Run `qm forge check` for those of this project, `qm packs` for those of the kit.",
})
