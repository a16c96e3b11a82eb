/**
 * The only import of the engine. Types vanish in the build; functions come by a direct alias,
 * because the index would add zod (60 kB).
 */
export {
  formatBytes,
  formatCostChange,
  formatCostSum,
  formatCount,
  formatDuration,
  formatExact,
  formatForecast,
  plural,
} from "#ground/base/format"
export type * from "#ground/contract"
