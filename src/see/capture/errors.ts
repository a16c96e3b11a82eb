import { defineError } from "#ground/base"

export const DirectoryUnusable = defineError<{ path: string; reason: string }>()(
  "CAPTURE_DIRECTORY_UNUSABLE",
  {
    family: "invalid",
    message: (it) => `${it.path} cannot be captured: ${it.reason}.`,
    hint: () => "Name a directory that exists and that you may read, as in: qm capture .",
  },
)

export const CaptureUnknown = defineError<{ id: string }>()("CAPTURE_UNKNOWN", {
  family: "not-found",
  message: (it) =>
    it.id === "last" ? "Nothing was captured here yet." : `There is no capture ${it.id}.`,
  hint: (it) =>
    it.id === "last"
      ? "Run qm capture once; the next one can be compared with it."
      : "Run qm capture list to see the ids of this repository.",
})

export const ItemUnknown = defineError<{ id: string; path: string }>()("CAPTURE_ITEM_UNKNOWN", {
  family: "not-found",
  message: (it) => `Capture ${it.id} has no item ${it.path}.`,
  hint: (it) => `Run qm capture show ${it.id} to see its items.`,
})
