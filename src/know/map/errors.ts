import { defineError } from "#ground/base"

export const MapNameUnknown = defineError<{ name: string; near: readonly string[] }>()(
  "MAP_NAME_UNKNOWN",
  {
    family: "not-found",
    message: (it) => `The map has no file, folder or symbol ${shortened(it.name)}.`,
    hint: (it) =>
      it.near.length === 0
        ? "Search for it by its words, or scan again if it is new."
        : `Near it are: ${it.near.map(shortened).join(", ")}.`,
  },
)

export const MapPathOutside = defineError<{ path: string }>()("MAP_PATH_OUTSIDE", {
  family: "invalid",
  message: (it) => `${shortened(it.path)} leads out of the repository.`,
  hint: () => "Name a path from the root of the repository, with forward slashes.",
})

export const MapFileLeftOut = defineError<{ path: string; reason: string }>()("MAP_FILE_LEFT_OUT", {
  family: "not-found",
  message: (it) => `The map has nothing of ${shortened(it.path)}: ${it.reason}.`,
  hint: () => "Scan again if that has changed; a scan says what it left out.",
})

/** A hint has 160 characters; three names of 44 fit. */
function shortened(name: string): string {
  return name.length <= 44 ? name : `…${name.slice(-43)}`
}
