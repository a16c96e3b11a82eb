import { defineError, visibleLine } from "#ground/base"

export const CredentialsUnreadable = defineError<{ path: string; reason: string }>()(
  "CREDENTIALS_UNREADABLE",
  {
    family: "unavailable",
    message: (it) => `The credentials in ${visibleLine(it.path)} cannot be read: ${it.reason}.`,
    hint: () =>
      "Nothing was changed. Restore the file from a backup, or move it away and set the credentials again.",
  },
)

export const CredentialsLocked = defineError<{ path: string }>()("CREDENTIALS_LOCKED", {
  family: "denied",
  message: (it) => `The credentials in ${visibleLine(it.path)} are protected by a passphrase.`,
  hint: () => "Set QM_PASSPHRASE to the passphrase and run the command again.",
})

export const CredentialsKeychainLocked = defineError<{ path: string; title: string }>()(
  "CREDENTIALS_KEYCHAIN_LOCKED",
  {
    family: "denied",
    message: (it) => `The key of ${visibleLine(it.path)} could not be read from ${it.title}.`,
    hint: () =>
      "Unlock the keychain in a desktop session. Without it, move credentials.json away and set them again.",
  },
)

export const CredentialsWrongKey = defineError<{ path: string; by: string }>()(
  "CREDENTIALS_WRONG_KEY",
  {
    family: "denied",
    message: (it) => `The ${it.by} does not match the credentials in ${visibleLine(it.path)}.`,
    hint: () =>
      "Use the passphrase or key file they were set with, or move both files away and set them again.",
  },
)

export const CredentialsKeyMissing = defineError<{ path: string; reason: string }>()(
  "CREDENTIALS_KEY_MISSING",
  {
    family: "unavailable",
    message: (it) => `The key file ${visibleLine(it.path)} cannot be used: ${it.reason}.`,
    hint: () =>
      "Restore credentials.key from a backup. Without one, move credentials.json away and set the credentials again.",
  },
)

export const CredentialDamaged = defineError<{ name: string }>()("CREDENTIALS_DAMAGED", {
  family: "unavailable",
  message: (it) => `The credential ${it.name} was modified outside Quartermaster and is not used.`,
  hint: (it) => `Run \`qm credential set ${it.name}\` to set it again.`,
})

export const CredentialUnknown = defineError<{ name: string }>()("CREDENTIALS_NOT_FOUND", {
  family: "not-found",
  message: (it) => `Credential ${it.name} does not exist.`,
  hint: () => "Run `qm credential list` to see all credentials.",
})

export const CredentialInvalid = defineError<{ name: string; reason: string }>()(
  "CREDENTIALS_INVALID",
  {
    family: "invalid",
    message: (it) => `The credential ${visibleLine(it.name)} cannot be stored: ${it.reason}.`,
    hint: () =>
      "Use a name of a-z, 0-9, dots and dashes, and a value of 1 to 20,000 characters on one line.",
  },
)

export const CredentialsBusy = defineError<{ pid: number }>()("CREDENTIALS_BUSY", {
  family: "conflict",
  message: (it) => `Process ${it.pid} is changing the credentials.`,
  hint: () => "Nothing was changed. Try again when that process is done.",
})
