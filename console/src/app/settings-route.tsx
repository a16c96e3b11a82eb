import type { ParamsProps } from "../data/params.ts"
import type { SettingsParams } from "../data/paths.ts"
import { SettingsPage } from "../features/settings/page.tsx"
import { useNotificationChoice } from "./notifications.ts"
import { type Appearance, appearanceChoice } from "./theme/appearance.ts"
import { useWakeLockChoice } from "./wake-lock.ts"

type SettingsProps = ParamsProps<SettingsParams> & {
  readonly now: number
  readonly appearance: Appearance
}

export function Settings({ appearance, ...props }: SettingsProps) {
  return (
    <SettingsPage
      {...props}
      appearance={appearanceChoice(appearance)}
      notifications={useNotificationChoice()}
      wakeLock={useWakeLockChoice()}
    />
  )
}
