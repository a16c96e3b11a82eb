const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|PRIVATE/i

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name)
}

/** A plain value such as `APP_NAME=harbour` occurs in every text and is not a secret. */
export function isSecretSetting(setting: {
  readonly name: string
  readonly value: string
}): boolean {
  const { name, value } = setting
  return isSecretName(name) || /\d/.test(value) || !/^[\w .-]+$/.test(value)
}
