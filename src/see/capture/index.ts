export { contextMessage } from "./context-message.ts"
export { createHistory } from "./history.ts"
export { captureOperations } from "./operations.ts"
export { createRedact } from "./redact.ts"
