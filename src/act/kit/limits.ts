/** Settings files have a few kilobytes; no host reads a larger file. */
export const LARGEST_SETTINGS_BYTES = 4 * 1024 * 1024

/** Ten times the size of our bundle. */
export const LARGEST_BUNDLE_BYTES = 4 * 1024 * 1024

/** A template is one page; all of them are read at every install. */
export const LARGEST_TEMPLATE_BYTES = 64 * 1024
