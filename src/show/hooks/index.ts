export { runHookByHand } from "./by-hand.ts"
