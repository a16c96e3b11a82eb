import { defineError } from "#ground/base"

export const MapNameUnknown = defineError<{ name: string; near: readonly string[] }>()(
  "MAP_NAME_UNKNOWN",
  {
    family: "not-found",
    message: (it) => `The map has no file, folder or symbol ${shortened(it.name)}.`,
    hint: (it) =>
      it.near.length === 0
        ? `Run \`qm search ${JSON.stringify(shortened(it.name))}\` to search by words, or \`qm map\` if it is new.`
        : `Similar names: ${it.near.map(shortened).join(", ")}.`,
  },
)

export const MapPathOutside = defineError<{ path: string }>()("MAP_PATH_OUTSIDE", {
  family: "invalid",
  message: (it) => `${shortened(it.path)} is outside the repository.`,
  hint: () => "Pass a path relative to the repository root, with forward slashes.",
})

export const MapFileLeftOut = defineError<{ path: string; reason: string }>()("MAP_FILE_LEFT_OUT", {
  family: "not-found",
  message: (it) => `${shortened(it.path)} is not in the map: ${it.reason}.`,
  hint: () => "Run `qm map` if that has changed; it lists the excluded files.",
})

/** A hint has 160 characters; three names of 44 fit. */
function shortened(name: string): string {
  return name.length <= 44 ? name : `…${name.slice(-43)}`
}
