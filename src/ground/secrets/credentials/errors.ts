import { defineError, visibleLine } from "#ground/base"

export const CredentialsUnreadable = defineError<{ path: string; reason: string }>()(
  "CREDENTIALS_UNREADABLE",
  {
    family: "unavailable",
    message: (it) => `The credentials in ${visibleLine(it.path)} cannot be read: ${it.reason}.`,
    hint: () =>
      "Nothing was changed. Restore the file from a backup, or move it away and set the credentials anew.",
  },
)

export const CredentialsLocked = defineError<{ path: string }>()("CREDENTIALS_LOCKED", {
  family: "denied",
  message: (it) => `The credentials in ${visibleLine(it.path)} are kept by a passphrase.`,
  hint: () => "Start again with the passphrase in the variable QM_PASSPHRASE.",
})

export const CredentialsWrongKey = defineError<{ path: string; by: string }>()(
  "CREDENTIALS_WRONG_KEY",
  {
    family: "denied",
    message: (it) => `The ${it.by} does not open the credentials in ${visibleLine(it.path)}.`,
    hint: () =>
      "Give the passphrase or the key file they were set with, or move both files away and set them anew.",
  },
)

export const CredentialsKeyMissing = defineError<{ path: string; reason: string }>()(
  "CREDENTIALS_KEY_MISSING",
  {
    family: "unavailable",
    message: (it) => `The key file ${visibleLine(it.path)} cannot be used: ${it.reason}.`,
    hint: () =>
      "Restore credentials.key from a backup; without it, move credentials.json away and set them anew.",
  },
)

export const CredentialDamaged = defineError<{ name: string }>()("CREDENTIALS_DAMAGED", {
  family: "unavailable",
  message: (it) => `The credential ${it.name} was changed since it was set, and is not used.`,
  hint: (it) => `Set it again: qm credential set ${it.name}`,
})

export const CredentialUnknown = defineError<{ name: string }>()("CREDENTIALS_NOT_FOUND", {
  family: "not-found",
  message: (it) => `There is no credential ${it.name}.`,
  hint: () => "List what there is with qm credential list.",
})

export const CredentialInvalid = defineError<{ name: string; reason: string }>()(
  "CREDENTIALS_INVALID",
  {
    family: "invalid",
    message: (it) => `The credential ${visibleLine(it.name)} cannot be kept: ${it.reason}.`,
    hint: () =>
      "A name has small letters, digits, dots and dashes; a value is one line of 1 to 20,000 characters.",
  },
)

export const CredentialsBusy = defineError<{ pid: number }>()("CREDENTIALS_BUSY", {
  family: "conflict",
  message: (it) => `Process ${it.pid} is changing the credentials.`,
  hint: () => "Nothing was changed. Try again when it is done.",
})
