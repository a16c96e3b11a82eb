export { planHandlers } from "./handlers.ts"
export { createPlans } from "./plans.ts"
