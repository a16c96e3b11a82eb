/** The host drops a larger instruction file whole, without a word; seen on 2.1.325. */
export const LARGEST_INSTRUCTION_BYTES = 4_194_304

/** A longer name in the head of a skill or an agent is not taken. */
export const LONGEST_NAME_UNITS = 256
