export { reviewHandlers, syncHandlers } from "./handlers.ts"
export type { Review, ReviewDeps } from "./review.ts"
export { createReview } from "./review.ts"
