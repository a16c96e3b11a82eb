import type { ConfigSetting } from "../../contract.ts"
import { describeField, fieldOf, formatValue, parseField } from "../../data/schema-form.ts"
import { ChoiceField, TextField } from "../../ui/field/field.tsx"

type SettingControlProps = {
  readonly setting: ConfigSetting
  readonly disabled: boolean
  onSet(value: unknown): void
}

const YES_NO = [
  { value: "true", label: "yes" },
  { value: "false", label: "no" },
] as const

export function SettingControl({ setting, disabled, onSet }: SettingControlProps) {
  const field = fieldOf(setting.schema)
  const given = formatValue(setting.value)
  const commit = (text: string) => {
    const parsed = parseField(field, text)
    if (parsed.kind === "value") onSet(parsed.value)
  }
  if (setting.isSecret) {
    return (
      <TextField
        kind="secret"
        label={setting.key}
        value=""
        placeholder={given === "" ? "Not set" : "Set, not shown"}
        disabled={disabled}
        onCommit={commit}
      />
    )
  }
  if (field.kind === "choice" || field.kind === "yes-no") {
    const choices =
      field.kind === "yes-no" ? YES_NO : field.options.map((it) => ({ value: it, label: it }))
    return (
      <ChoiceField
        label={setting.key}
        choices={choices}
        value={given}
        disabled={disabled}
        onPick={commit}
      />
    )
  }
  return (
    <TextField
      kind={field.kind === "number" ? "number" : "text"}
      label={setting.key}
      value={given}
      placeholder={describeField(field)}
      disabled={disabled}
      check={(text) => {
        const parsed = parseField(field, text)
        return parsed.kind === "wrong" ? parsed.message : undefined
      }}
      onCommit={commit}
    />
  )
}
