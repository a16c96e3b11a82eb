import { defineError } from "#ground/base"

export const DirectoryUnusable = defineError<{ path: string; reason: string }>()(
  "CAPTURE_DIRECTORY_UNUSABLE",
  {
    family: "invalid",
    message: (it) => `Cannot capture ${it.path}: ${it.reason}.`,
    hint: () => "Pass an existing, readable directory, for example: qm capture .",
  },
)

export const CaptureUnknown = defineError<{ id: string }>()("CAPTURE_UNKNOWN", {
  family: "not-found",
  message: (it) =>
    it.id === "last"
      ? "There is no capture of this directory yet."
      : `Capture ${it.id} does not exist.`,
  hint: (it) =>
    it.id === "last"
      ? "Run `qm capture`. The next capture can be compared with it."
      : "Run `qm capture list` to see the capture ids of this repository.",
})

export const ItemUnknown = defineError<{ id: string; path: string }>()("CAPTURE_ITEM_UNKNOWN", {
  family: "not-found",
  message: (it) => `Capture ${it.id} has no item ${it.path}.`,
  hint: (it) => `Run \`qm capture show ${it.id}\` to list its items.`,
})
