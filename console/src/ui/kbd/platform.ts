/** Which modifier people of this machine press; outside a browser it is ctrl. */
export function isApple(): boolean {
  return typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.platform)
}
