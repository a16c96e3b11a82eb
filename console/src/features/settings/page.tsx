import { toWireError } from "../../base/errors.ts"
import { type ConfigSetting, plural } from "../../contract.ts"
import { readOrigin } from "../../data/origin.ts"
import type { ParamsProps } from "../../data/params.ts"
import { paths, type SettingsParams } from "../../data/paths.ts"
import {
  useClient,
  useIsOwner,
  useOperation,
  useReadOnly,
  useSession,
} from "../../data/queries.tsx"
import { describeField, fieldOf, formatValue, parseField } from "../../data/schema-form.ts"
import { Button } from "../../ui/button/button.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import {
  ChoiceField,
  FilterField,
  type Swatch,
  SwatchField,
  TextField,
} from "../../ui/field/field.tsx"
import { FormRow } from "../../ui/form/form.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { Group, RowNote, RowSkeleton, Section } from "../../ui/list/list.tsx"
import { Flow, Pane, PaneHead, PaneScroll } from "../../ui/pane/pane.tsx"
import { SectionNav } from "../../ui/section-nav/section-nav.tsx"
import { Split } from "../../ui/split/split.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useToast } from "../../ui/toast/toast.tsx"
import { SettingDetail } from "./detail.tsx"
import { filterSettings, groupsOf, sectionOf } from "./layers.ts"
import { MachinesSection } from "./machines-section.tsx"
import { PeopleSection } from "./people-section.tsx"
import { StoreSection } from "./store-section.tsx"
import { useSave } from "./use-save.ts"

type SettingsPageProps = ParamsProps<SettingsParams> & {
  readonly now: number
  readonly appearance: AppearanceChoice
  readonly notifications: NotificationSetting
  readonly wakeLock: WakeLockSetting
}

const LAYERS = [
  { value: "user", label: "user" },
  { value: "project", label: "project" },
] as const

export function SettingsPage(props: SettingsPageProps) {
  const { now, params, onParams, appearance, notifications, wakeLock } = props
  const isOwner = useIsOwner()
  const config = useOperation("config.show", { sources: true }, { isEnabled: isOwner })
  const save = useSave()
  const isReadOnly = useReadOnly()
  const settings = filterSettings(config.data?.settings ?? [], params.text)
  const selected = config.data?.settings.find((it) => it.key === params.at)
  const close = () => onParams({ at: "" })
  const sections = [...Map.groupBy(settings, sectionOf)]
  const groups = groupsOf(config.data?.settings ?? [])
  // A filter searches all groups; an unknown group of an old link shows all of them.
  const group =
    params.text === "" && groups.some((it) => it.value === params.group) ? params.group : ""
  const isShown = (name: string) => params.text === "" && (group === "" || group === name)
  const shownSections = sections.filter(([section]) => group === "" || group === section)
  const otherLayer = params.layer === "user" ? "project" : "user"
  useKey("settings.layer", () => onParams({ layer: otherLayer }, "replace"))
  useKey("leave", selected === undefined ? undefined : close)
  return (
    <>
      <Header
        title="Settings"
        facts={<Text tone="3">{isReadOnly ? "read only" : describeFiles(config.data?.files)}</Text>}
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
            <SectionNav
              label="Groups of settings"
              sections={groups.map(({ value, label }) => ({
                value,
                label,
                href: paths.settings({ ...params, group: value, text: "", at: "" }),
              }))}
              active={group}
              onPick={(value) => onParams({ group: value, text: "", at: "" })}
            >
              <PaneScroll>
                {config.error === null ? null : (
                  <Failure
                    size="pane"
                    error={toWireError(config.error)}
                    onRetry={() => void config.refetch()}
                  />
                )}
                {isShown("appearance") ? <AppearanceForm choice={appearance} /> : null}
                {isShown("appearance") ? <NotificationForm setting={notifications} /> : null}
                {isShown("appearance") ? <WakeLockForm setting={wakeLock} /> : null}
                {isShown("session") ? <SessionForm /> : null}
                {isShown("people") ? <PeopleSection now={now} /> : null}
                {isShown("machines") ? <MachinesSection now={now} /> : null}
                {isOwner ? null : (
                  <RowNote>Settings of the server are shown to its owners.</RowNote>
                )}
                {isOwner && config.isPending ? <RowSkeleton rows={6} /> : null}
                {shownSections.map(([section, ofSection]) => (
                  <Section key={section} label={section}>
                    <Group name={section} count={ofSection.length} />
                    {ofSection.map((setting) => (
                      <FormRow
                        key={setting.key}
                        name={setting.key}
                        href={paths.settings({ ...params, at: setting.key })}
                        description={setting.description}
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
                {isOwner && isShown("store-health") ? <StoreSection now={now} /> : null}
                {config.data !== undefined && settings.length === 0 ? (
                  <RowNote>
                    No setting matches.
                    <Button small onPress={() => onParams({ text: "" })}>
                      Clear the filter
                    </Button>
                  </RowNote>
                ) : null}
              </PaneScroll>
            </SectionNav>
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
  const hidden = setting.hides.map((it) => readOrigin(it).description)
  return (
    <>
      <span title={setting.origin}>{readOrigin(setting.origin).description}</span>
      {hidden.length === 0 ? null : (
        <span title={setting.hides.join(", ")}>overrides {hidden.join(", ")}</span>
      )}
    </>
  )
}

function describeFiles(files: readonly { readonly found: boolean }[] | undefined): string {
  if (files === undefined) return ""
  return `${plural(files.filter((it) => it.found).length, "file")} read`
}

type AppearanceChoice = {
  readonly mode: string
  readonly modes: readonly string[]
  readonly density: string
  readonly densities: readonly string[]
  readonly light: string
  readonly dark: string
  readonly lightThemes: readonly Swatch[]
  readonly darkThemes: readonly Swatch[]
  onChange(what: "mode" | "density" | "light" | "dark", value: string): void
}

function AppearanceForm({ choice }: { readonly choice: AppearanceChoice }) {
  const { mode, modes, density, densities, light, dark, onChange } = choice
  return (
    <Section label="Appearance">
      <Group name="Appearance" sum="in this browser" />
      <FormRow name="Theme" description="System follows the operating system">
        <ChoiceField
          label="Theme"
          choices={modes.map(capitalised)}
          value={mode}
          onPick={(value) => onChange("mode", value)}
        />
      </FormRow>
      <FormRow name="Density" description="Rows of 26, 30 or 36 pixels">
        <ChoiceField
          label="Density"
          choices={densities.map(capitalised)}
          value={density}
          onPick={(value) => onChange("density", value)}
        />
      </FormRow>
      <FormRow
        name="Light theme"
        description="All colours derive from base, accent and contrast"
        wide
      >
        <SwatchField
          label="Light theme"
          swatches={choice.lightThemes}
          value={light}
          onPick={(name) => onChange("light", name)}
        />
      </FormRow>
      <FormRow name="Dark theme" description="Each theme passes the same contrast test" wide>
        <SwatchField
          label="Dark theme"
          swatches={choice.darkThemes}
          value={dark}
          onPick={(name) => onChange("dark", name)}
        />
      </FormRow>
    </Section>
  )
}

type NotificationSetting = {
  readonly choice: "on" | "off" | "denied" | "missing"
  pick(choice: "on" | "off"): void
}

const ON_OFF = [
  { value: "on", label: "on" },
  { value: "off", label: "off" },
] as const

const NOTIFICATION_TEXTS = {
  on: "A notification of the browser when an agent waits and this page is not in front",
  off: "A notification of the browser when an agent waits and this page is not in front",
  denied: "The browser blocks notifications of this page; allow them in its site settings",
  missing: "This browser has no notifications",
} as const

function NotificationForm({ setting }: { readonly setting: NotificationSetting }) {
  const { choice, pick } = setting
  return (
    <FormRow name="Notifications" description={NOTIFICATION_TEXTS[choice]}>
      <ChoiceField
        label="Notifications"
        choices={ON_OFF}
        value={choice === "on" ? "on" : "off"}
        disabled={choice === "denied" || choice === "missing"}
        onPick={(value) => pick(value === "on" ? "on" : "off")}
      />
    </FormRow>
  )
}

type WakeLockSetting = {
  readonly choice: "on" | "off" | "missing"
  pick(choice: "on" | "off"): void
}

function WakeLockForm({ setting }: { readonly setting: WakeLockSetting }) {
  const { choice, pick } = setting
  const isMissing = choice === "missing"
  return (
    <FormRow
      name="Keep the screen on"
      description={
        isMissing
          ? "This browser cannot keep the screen on"
          : "While runs work and this page is visible, so that the machine does not sleep"
      }
    >
      <ChoiceField
        label="Keep the screen on"
        choices={ON_OFF}
        value={choice === "on" ? "on" : "off"}
        disabled={isMissing}
        onPick={(value) => pick(value === "on" ? "on" : "off")}
      />
    </FormRow>
  )
}

/** After signing out, the reloaded page says how to sign in again. */
function SessionForm() {
  const client = useClient()
  const toast = useToast()
  const isPerson = (useSession().data?.person ?? null) !== null
  const signOut = (which: "this" | "all") => {
    client.signOut(which).then(
      () => window.location.reload(),
      (error: unknown) => toast.fail(toWireError(error)),
    )
  }
  return (
    <Section label="Session">
      <Group name="Session" />
      <FormRow name="This browser" description="Other browsers and scripts stay signed in">
        <Button onPress={() => signOut("this")}>Sign out</Button>
      </FormRow>
      <FormRow name="All sessions" description={isPerson ? ALL_OF_PERSON : ALL_OF_MACHINE}>
        <Button variant="danger" onPress={() => signOut("all")}>
          Sign out everywhere
        </Button>
      </FormRow>
    </Section>
  )
}

const ALL_OF_PERSON = "Signs out every browser of yours; your tokens stay valid"
const ALL_OF_MACHINE =
  "Signs out every browser and revokes the tokens of scripts and MCP clients, on all your servers"

function capitalised(value: string) {
  return { value, label: value.charAt(0).toUpperCase() + value.slice(1) }
}

type SettingControlProps = {
  readonly setting: ConfigSetting
  readonly disabled: boolean
  onSet(value: unknown): void
}

const YES_NO = [
  { value: "true", label: "yes" },
  { value: "false", label: "no" },
] as const

function SettingControl({ setting, disabled, onSet }: SettingControlProps) {
  const field = fieldOf(setting.schema)
  const current = formatValue(setting.value)
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
        placeholder={current === "" ? "Not set" : "Set, not shown"}
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
        value={current}
        disabled={disabled}
        onPick={commit}
      />
    )
  }
  return (
    <TextField
      kind={field.kind === "number" ? "number" : "text"}
      label={setting.key}
      value={current}
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
