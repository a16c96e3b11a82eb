export { runHookByHand } from "./by-hand.ts"
export { answerStatusLine } from "./status-line.ts"
