import { toWireError } from "../../base/errors.ts"
import { type ConfigSetting, plural } from "../../contract.ts"
import { readOrigin } from "../../data/origin.ts"
import type { ParamsProps } from "../../data/params.ts"
import { paths, type SettingsParams } from "../../data/paths.ts"
import { useOperation, useReadOnly } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { ChoiceField, FilterField } from "../../ui/field/field.tsx"
import { FormRow } from "../../ui/form/form.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { Group, RowNote, RowSkeleton, Section } from "../../ui/list/list.tsx"
import { Flow, Pane, PaneHead, PaneScroll } from "../../ui/pane/pane.tsx"
import { Split } from "../../ui/split/split.tsx"
import { Text } from "../../ui/text/text.tsx"
import { type AppearanceChoice, AppearanceForm } from "./appearance.tsx"
import { SettingControl } from "./control.tsx"
import { SettingDetail } from "./detail.tsx"
import { filterSettings, sectionOf } from "./layers.ts"
import { useSave } from "./use-save.ts"

type SettingsPageProps = ParamsProps<SettingsParams> & {
  readonly appearance: AppearanceChoice
}

const LAYERS = [
  { value: "user", label: "user" },
  { value: "project", label: "project" },
] as const

export function SettingsPage({ params, onParams, appearance }: SettingsPageProps) {
  const config = useOperation("config.show", { sources: true })
  const save = useSave()
  const isReadOnly = useReadOnly()
  const settings = filterSettings(config.data?.settings ?? [], params.text)
  const selected = config.data?.settings.find((it) => it.key === params.at)
  const close = () => onParams({ at: "" })
  const otherLayer = params.layer === "user" ? "project" : "user"
  useKey("settings.layer", () => onParams({ layer: otherLayer }, "replace"))
  useKey("leave", selected === undefined ? undefined : close)
  return (
    <>
      <Header
        title="Settings"
        facts={<Text tone="3">{isReadOnly ? "read only" : sayFiles(config.data?.files)}</Text>}
      />
      <Split
        name="settings"
        list={
          <Pane label="Settings">
            <PaneHead
              edge="page"
              actions={
                <Flow>
                  <Text size="sm" tone="2">
                    Save to
                  </Text>
                  <ChoiceField
                    small
                    label="Save to"
                    choices={LAYERS}
                    value={params.layer}
                    disabled={isReadOnly}
                    onPick={(layer) =>
                      onParams({ layer: layer === "user" ? "user" : "project" }, "replace")
                    }
                  />
                </Flow>
              }
            >
              <FilterField
                label="Filter"
                value={params.text}
                onChange={(text) => onParams({ text }, "replace")}
              />
            </PaneHead>
            <PaneScroll>
              {params.text === "" ? <AppearanceForm choice={appearance} /> : null}
              {config.error === null ? null : (
                <Failure
                  size="pane"
                  error={toWireError(config.error)}
                  onRetry={() => void config.refetch()}
                />
              )}
              {config.isPending ? <RowSkeleton rows={6} /> : null}
              {[...Map.groupBy(settings, sectionOf)].map(([section, ofSection]) => (
                <Section key={section} label={section}>
                  <Group name={section} count={ofSection.length} />
                  {ofSection.map((setting) => (
                    <FormRow
                      key={setting.key}
                      name={setting.key}
                      href={paths.settings({ ...params, at: setting.key })}
                      says={setting.description}
                      isSelected={setting.key === params.at}
                      aside={<OriginAside setting={setting} />}
                    >
                      <SettingControl
                        setting={setting}
                        disabled={isReadOnly}
                        onSet={(value) =>
                          save({ setting, layer: params.layer, what: { kind: "set", value } })
                        }
                      />
                    </FormRow>
                  ))}
                </Section>
              ))}
              {config.data !== undefined && settings.length === 0 ? (
                <RowNote>
                  No setting matches.
                  <Button small onPress={() => onParams({ text: "" })}>
                    Clear the filter
                  </Button>
                </RowNote>
              ) : null}
            </PaneScroll>
          </Pane>
        }
        detail={
          selected === undefined ? null : (
            <SettingDetail
              setting={selected}
              layer={params.layer}
              isReadOnly={isReadOnly}
              onUnset={() =>
                save({ setting: selected, layer: params.layer, what: { kind: "unset" } })
              }
              onClose={close}
            />
          )
        }
      />
    </>
  )
}

function OriginAside({ setting }: { readonly setting: ConfigSetting }) {
  const hidden = setting.hides.map((it) => readOrigin(it).says)
  return (
    <>
      <span title={setting.origin}>{readOrigin(setting.origin).says}</span>
      {hidden.length === 0 ? null : (
        <span title={setting.hides.join(", ")}>hides {hidden.join(", ")}</span>
      )}
    </>
  )
}

function sayFiles(files: readonly { readonly found: boolean }[] | undefined): string {
  if (files === undefined) return ""
  return `${plural(files.filter((it) => it.found).length, "file")} read`
}
