/**
 * Exit code of a rejection; every other failure of qm lets git continue, so that a broken install
 * blocks no commit. 65 is EX_DATAERR of sysexits, which Node never exits with.
 */
export const REFUSED_CODE = 65
