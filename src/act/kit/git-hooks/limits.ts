/**
 * With this code a hook refuses. Any other failure of qm lets the work go on: a broken install must
 * not keep anybody from committing. It is "bad data" of sysexits, which Node never ends with.
 */
export const REFUSED_CODE = 65
