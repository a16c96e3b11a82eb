/** Settings files of people are a few kilobytes; a host itself reads none over this. */
export const LARGEST_SETTINGS_BYTES = 4 * 1024 * 1024

/** Our own bundle is a tenth of this. */
export const LARGEST_BUNDLE_BYTES = 4 * 1024 * 1024

/** A template is a page; all of them are read at every install. */
export const LARGEST_TEMPLATE_BYTES = 64 * 1024
