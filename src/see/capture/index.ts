export { contextMessage } from "./context-message.ts"
export { captureHandlers } from "./handlers.ts"
export { createHistory } from "./history.ts"
export { createRedact } from "./redact.ts"
