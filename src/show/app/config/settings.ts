import type { Config } from "#ground/contract"
import { ConfigInvalid } from "../errors.ts"
import { type ConfigLayers, type LoadedConfig, loadConfig } from "./layers.ts"

/** The layers as they are now; read again when one of them was written. */
export async function createSettings(layers: ConfigLayers) {
  let loaded: LoadedConfig = await loadConfig(layers)
  return {
    loaded: () => loaded,
    async reload(): Promise<void> {
      loaded = await loadConfig(layers)
    },
    /** The settings in force, or CONFIG_INVALID. */
    config(): Config {
      if (loaded.problems.length > 0) throw ConfigInvalid({ problems: loaded.problems })
      return loaded.config
    },
    /** Whether nobody has set it: neither file, nor environment, nor flag. */
    isDefault: (key: string): boolean =>
      loaded.settings.some((it) => it.field.key === key && it.origin.kind === "default"),
  }
}
