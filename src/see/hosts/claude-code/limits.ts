/** The host silently drops a larger instruction file; seen on 2.1.325. */
export const LARGEST_INSTRUCTION_BYTES = 4_194_304

export const LONGEST_NAME_UNITS = 256
