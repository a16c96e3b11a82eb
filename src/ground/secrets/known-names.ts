const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|PRIVATE/i

/** Whether the value of an environment variable of that name is a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name)
}

/**
 * Whether the value of a line of an `.env` file is a secret. A plain name such as
 * `APP_NAME=harbour` is in every text, and is none.
 */
export function isSecretSetting(setting: {
  readonly name: string
  readonly value: string
}): boolean {
  const { name, value } = setting
  return isSecretName(name) || /\d/.test(value) || !/^[\w .-]+$/.test(value)
}
