/**
 * Whether a host's failure means that it no longer has the session it was asked to go on with.
 * Hosts say it in words only; these are theirs, and what they have in common.
 */
export function isSessionGone(words: string): boolean {
  return GONE.some((it) => it.test(words))
}

const GONE = [
  /no (conversation|rollout|session|thread) (was )?found/i,
  /(conversation|session|thread)( id)?\b.{0,60}\b(not found|unknown|expired|does not exist)/i,
  /(unknown|invalid|expired) (conversation|session|thread)/i,
]
