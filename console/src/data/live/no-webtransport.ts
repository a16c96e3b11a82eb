/** Takes the place of a transport that needs HTTP/3, which the server does not offer. */
export const WT = undefined
