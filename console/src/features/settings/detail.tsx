import { type ConfigLayer, type ConfigSetting, formatExact } from "../../contract.ts"
import { describeField, fieldOf, formatValue } from "../../data/schema-form.ts"
import { Button } from "../../ui/button/button.tsx"
import { CopyIcon } from "../../ui/copy/copy.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { Block, DetailHead, Flow, Pane, PaneScroll, Value, Values } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { isSetIn } from "./layers.ts"

type SettingDetailProps = {
  readonly setting: ConfigSetting
  readonly layer: ConfigLayer
  readonly isReadOnly: boolean
  onUnset(): void
  onClose(): void
}

export function SettingDetail(props: SettingDetailProps) {
  const { setting, layer, isReadOnly, onUnset, onClose } = props
  const allowed = describeField(fieldOf(setting.schema))
  useKey("panel.right", onClose)
  return (
    <Pane label="Setting" ground="canvas">
      <DetailHead back="Back to the settings" onClose={onClose}>
        <Text as="h2" mono strong cut>
          {setting.key}
        </Text>
      </DetailHead>
      <PaneScroll>
        <Block>
          <Text as="p" tone="2" read>
            {setting.description}.
          </Text>
        </Block>
        <Block title="Value">
          <Values>
            <Value name="Current" wrap>
              <Text mono>{describeValue(setting)}</Text>
            </Value>
            <Value name="Origin" wrap>
              {setting.origin}
            </Value>
            <Value name="Overrides" wrap>
              {setting.hides.length === 0 ? "nothing" : setting.hides.join(", ")}
            </Value>
            <Value name="Default" wrap>
              <Text mono>{describeAmount(setting.schema.default) || "empty"}</Text>
            </Value>
            {allowed === "" ? null : (
              <Value name="Allowed" wrap>
                {allowed}
              </Value>
            )}
            <Value name="Environment" wrap>
              <Flow>
                <Text mono>{setting.env}</Text>
                <CopyIcon text={setting.env} label="Copy the name" />
              </Flow>
            </Value>
          </Values>
        </Block>
        {isSetIn(setting, layer) && !isReadOnly ? (
          <Block>
            <Button small onPress={onUnset}>
              Remove from the {layer} file
            </Button>
          </Block>
        ) : null}
      </PaneScroll>
    </Pane>
  )
}

/** Numbers as in the range below them. */
function describeAmount(value: unknown): string {
  return typeof value === "number" && Number.isInteger(value)
    ? formatExact(value)
    : formatValue(value)
}

function describeValue({ isSecret, value }: ConfigSetting): string {
  const text = describeAmount(value)
  if (text === "") return "empty"
  return isSecret ? "set, not shown" : text
}
