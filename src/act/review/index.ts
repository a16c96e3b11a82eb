export { reviewHandlers, syncHandlers } from "./handlers.ts"
export type { ReviewDeps } from "./review.ts"
export { createReview } from "./review.ts"
