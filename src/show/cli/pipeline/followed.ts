/** Commands that set a pipeline to work and stay with it; known before any room is loaded. */
const FOLLOWED: ReadonlySet<string> = new Set([
  "pipeline.run",
  "pipeline.resume",
  "pipeline.amend",
  "pipeline.skip",
  "pipeline.rerun",
  "pipeline.say",
])

export function isFollowed(operation: string): boolean {
  return FOLLOWED.has(operation)
}
