export { runHookByHand } from "./by-hand.ts"
export { createJudge } from "./judge.ts"
export { answerStatusLine } from "./status-line.ts"
