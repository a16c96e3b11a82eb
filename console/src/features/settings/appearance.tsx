import { ChoiceField, type Swatch, SwatchField } from "../../ui/field/field.tsx"
import { FormRow } from "../../ui/form/form.tsx"
import { Group, Section } from "../../ui/list/list.tsx"

/** What the page must know of looks; the app hands it in. */
export type AppearanceChoice = {
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

export function AppearanceForm({ choice }: { readonly choice: AppearanceChoice }) {
  const { mode, modes, density, densities, light, dark, onChange } = choice
  return (
    <Section label="Appearance">
      <Group name="Appearance" sum="in this browser" />
      <FormRow name="Theme" says="System follows this machine">
        <ChoiceField
          label="Theme"
          choices={modes.map(capitalised)}
          value={mode}
          onPick={(value) => onChange("mode", value)}
        />
      </FormRow>
      <FormRow name="Density" says="Rows of 26, 30 or 36 pixels">
        <ChoiceField
          label="Density"
          choices={densities.map(capitalised)}
          value={density}
          onPick={(value) => onChange("density", value)}
        />
      </FormRow>
      <FormRow name="Light theme" says="Base, accent and contrast give all its colours" wide>
        <SwatchField
          label="Light theme"
          swatches={choice.lightThemes}
          value={light}
          onPick={(name) => onChange("light", name)}
        />
      </FormRow>
      <FormRow name="Dark theme" says="Each passes the same contrast test" wide>
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

function capitalised(value: string) {
  return { value, label: value.charAt(0).toUpperCase() + value.slice(1) }
}
