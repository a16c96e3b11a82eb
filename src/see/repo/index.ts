export type { Repository } from "./repo.ts"
export { locateRepository, PROJECT_FOLDER } from "./repo.ts"
