/**
 * The only way to the engine. Types vanish in the build; the functions come by a direct alias,
 * because the index would bring zod along (60 kB).
 */
export {
  formatBytes,
  formatCount,
  formatDuration,
  formatExact,
  plural,
} from "#ground/base/format"
export type * from "#ground/contract"
