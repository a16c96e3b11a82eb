/** Settings files have a few kilobytes; no host reads a larger file. */
export const LARGEST_SETTINGS_BYTES = 4 * 1024 * 1024

export const LARGEST_BUNDLE_BYTES = 4 * 1024 * 1024

export const LARGEST_TEMPLATE_BYTES = 64 * 1024
