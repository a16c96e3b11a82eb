import type { HookWorld } from "../../event.ts"

/** What each part of the boot text is made from. */
export type Asked = {
  readonly session: string
  readonly world: HookWorld
  readonly now: number
  /** For one who was here before. */
  readonly isShort: boolean
}
